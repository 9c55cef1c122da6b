"""Replay voids: who agreed, and recompute every amount from the settlement and the balances."""

from typing import Final

from baccarat.audit import closings
from baccarat.audit.shoes import check_seed
from baccarat.audit.traces import OUT_OF_PLACE, RoundSeatTrace, RoundTrace, SeatTrace
from baccarat.audit.witnesses import follows_from_replaced
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rounds.voiding import ANSWER_LIMIT, BY_LIMIT, VOID_CAUSES
from casino.kernel.money import MoneyType
from casino.kernel.persons import is_another_person
from casino.witness.statements import ClosingKind

ALONE: Final = "void without approval"
TWICE: Final = "round voided twice"
AMOUNTS: Final = "void differs"
MAX_CARDS_PER_ROUND: Final = 6
"""Both hands with their thirds."""
SEED_UNAVAILABLE: Final = "SeedUnavailable"
"""Prefix of the reason of a round suspended because its seed cannot be read, nor revealed."""


def replay_round_voided(round_: RoundTrace, event: e.RoundVoided) -> None:
    """Check a void: once, by two persons if cards may be known, with exactly the round's amounts."""
    if round_.phase is Phase.VOIDED:
        round_.record_difference(TWICE, "one void", event.voided_at)
        return
    if event.number != round_.opened.number:
        round_.record_difference("round number differs", round_.opened.number, event.number)
    if event.round != round_.opened.round or event.was_settled is round_.is_running():
        round_.record_difference(
            OUT_OF_PLACE, f"{round_.opened.round} {round_.phase}", f"{event.round} {event.was_settled}"
        )
    _approval(round_, event)
    _check_closing(round_, event)
    _burned(round_, event)
    undone = {each.seat: each for each in event.seats}
    if list(undone) != [part.seat for part in round_.confirmed_seats()] or len(undone) != len(event.seats):
        round_.record_difference(
            AMOUNTS, [part.seat for part in round_.confirmed_seats()], [each.seat for each in event.seats]
        )
    for part in round_.confirmed_seats():
        if part.seat in undone:
            _wager(round_, part, undone[part.seat])
    _close(round_, event)


def _cards_may_be_known(round_: RoundTrace) -> bool:
    """Return whether cards may be known: once they are out, a Caller has looked, or links may have been given out."""
    looked = round_.ceremony is not None and round_.ceremony.looked_at is not None
    waits = round_.phase is Phase.CLOSED and (bool(round_.opened.witnesses) or looked)
    return waits or round_.phase in {Phase.DEALT, Phase.SETTLED}


def _approval(round_: RoundTrace, event: e.RoundVoided) -> None:
    """Check who voided: two persons if cards may be known, one otherwise. That they agreed, changes show."""
    if event.requested_by == BY_LIMIT:
        if round_.phase is Phase.BETTING and follows_from_replaced(round_.table, round_.opened.witnesses):
            return
        waits = round_.phase is Phase.CLOSED and bool(round_.opened.witnesses) and not round_.releases
        if not waits or round_.closed_at is None or event.voided_at < round_.closed_at + ANSWER_LIMIT:
            round_.record_difference(ALONE, f"no link for {ANSWER_LIMIT}", event.voided_at)
        return
    if not _cards_may_be_known(round_):
        if event.approved_by is not None:
            round_.record_difference(ALONE, "no approval before the outcome", event.approved_by)
        return
    if not is_another_person(event.approved_by or "", event.requested_by):
        round_.record_difference(ALONE, "two persons", f"{event.requested_by}, {event.approved_by}")


def _check_closing(round_: RoundTrace, event: e.RoundVoided) -> None:
    """Check the closing of a void while betting was open; any other round is closed already."""
    if round_.phase is Phase.BETTING:
        cause = VOID_CAUSES[event.reason]
        closings.check_round_closing(round_, event.closing, ClosingKind.VOID, now=event.voided_at, cause=cause)
    elif event.closing is not None:
        round_.record_difference(closings.OTHER_CLOSING, "the closing before", event.closing)


def _burned(round_: RoundTrace, event: e.RoundVoided) -> None:
    """Check that cards seen from a shoe of fixed order were burned, as many as a round can take; otherwise none."""
    shoe, rules, held = round_.table.shoe, round_.table.rules, round_.ceremony
    if shoe is None:  # the replay of a single round has no shoe
        if event.burned_count and not round_.table.has_long_shoe:
            round_.record_difference("burned cards differ", 0, event.burned_count)
        return
    seen = round_.is_running() and held is not None and held.looked_at is not None and not rules.draws_by_round
    expected = min(MAX_CARDS_PER_ROUND, rules.decks * 52 - shoe.cards_used) if seen else 0
    if event.burned_count != expected:
        round_.record_difference("burned cards differ", expected, event.burned_count)
    if event.burned_count:
        shoe.draw(shoe.cards_used + event.burned_count, rules)


def _wager(round_: RoundTrace, part: RoundSeatTrace, undone: e.SeatVoided) -> None:
    table_seat = round_.table.seats.get(part.player)
    if table_seat is not None and table_seat.money_type is not part.money_type:
        table_seat = None
    expected = _expected(part, undone, table_seat)
    if undone != expected:
        round_.record_difference(AMOUNTS, expected, undone, seat=part.seat)
    if table_seat is not None and part.debit is None:
        table_seat.balance += undone.to_game - undone.from_game
        table_seat.owed -= undone.from_rack


def _expected(part: RoundSeatTrace, undone: e.SeatVoided, table_seat: SeatTrace | None) -> e.SeatVoided:
    """Return the expected record. The ledger proves what the account paid: at most what was left to take."""
    settled = part.settlement
    staked = sum((part.stakes or {}).values())
    returned = commission = rack = 0
    if settled is not None:
        held = settled.commission if settled.deferred else 0
        returned, commission = settled.returned, settled.commission
        rack = 0 if table_seat is None else min(held, table_seat.owed)
    back, taken = max(staked - returned, 0), max(returned - staked, 0)
    remote = part.debit is not None  # what the operator's own wallet has goes back by the game balance, or is owed
    from_game = 0 if table_seat is None or remote else min(taken, table_seat.balance)
    from_account = 0 if remote else max(0, min(undone.from_account, taken - from_game))
    lacking = taken - from_game - from_account
    forgiven = lacking if part.money_type is MoneyType.PLAY or undone.forgiven else 0
    return e.SeatVoided(
        wager=part.wager or undone.wager,
        seat=part.seat,
        player=part.player,
        money_type=part.money_type,
        staked=staked,
        returned=returned,
        commission=commission,
        from_rack=rack,
        to_game=back if table_seat is not None or remote else 0,
        to_account=0 if table_seat is not None or remote else back,
        from_game=from_game,
        from_account=from_account,
        owed=lacking - forgiven,
        forgiven=forgiven,
    )


def _close(round_: RoundTrace, event: e.RoundVoided) -> None:
    """Close the void round; one in play leaves the table, and its own shoe's seed is revealed."""
    round_.table.voids += 1
    table, lost = round_.table, (round_.suspension_reason or "").startswith(SEED_UNAVAILABLE)
    if round_.is_running():
        round_.seed, round_.ended_at = event.seed, event.voided_at
        if event.seed is None and not table.has_long_shoe:
            table.unrevealed[round_.opened.shoe] = round_.opened
        if not (lost and event.seed is None):
            check_seed(round_)
    elif event.seed is not None:
        round_.record_difference("seed revealed twice", "the settlement's", event.seed)
    if table.round is round_:
        table.round, table.last_round = None, round_.opened.round
    else:
        table.marks.pop(event.number, None)
    round_.phase, round_.voided = Phase.VOIDED, event
    round_.suspension_reason = round_.suspended_at = None
