"""Replays a round from the close of betting; recomputes cards, outcome, payouts, commission and seed."""

from datetime import datetime
from typing import Final

from baccarat.audit import ceremony, cutting
from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.traces import RoundSeatTrace, RoundTrace
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.deal import IllegalDeal, Outcome, replay
from baccarat.domain.rules.payouts import InvalidStake, Settlement
from baccarat.domain.rules.roads.marks import MAX_RUN_LENGTH

FINDINGS_BY_FIELD: Final = {
    "commission": "commission differs",
    "deferred": "commission differs",
    "staked": "stake differs",
    "results": "payout differs",
    "won": "payout differs",
    "returned": "payout differs",
}
"""Message for each field of a settled wager that differs from the rules."""

_BETTING, _CLOSED, _DEALT, _SETTLED, _LAPSED = Phase.BETTING, Phase.CLOSED, Phase.DEALT, Phase.SETTLED, Phase.LAPSED
_DECIDING, _TIMED_OUT = SeatStatus.DECIDING, SeatStatus.TIMED_OUT

NO_DEAL = "cards are not a legal deal"


def replay_betting_closed(round_: RoundTrace, event: e.BettingClosed) -> None:
    """Check the close of betting: all have acted or the turn is over, and at least one wager is confirmed."""
    if round_.phase is not _BETTING or round_.suspension_reason is not None:
        round_.record_difference(OUT_OF_PLACE, "open betting", round_.suspension_reason or round_.phase)
    if not round_.confirmed_seats():
        round_.record_difference("betting closed without a wager", "a confirmed wager", "none")
    _everybody_acted(round_, event.closed_at)
    for part in round_.seats.values():
        if part.confirmed_at is not None and part.confirmed_at > event.closed_at:
            round_.record_difference(
                "times out of order", f"confirmed by {event.closed_at}", part.confirmed_at, seat=part.seat
            )
    cutting.check_cut(round_, event)
    round_.phase, round_.closed_at = _CLOSED, event.closed_at


def _everybody_acted(round_: RoundTrace, now: datetime) -> None:
    deadline = round_.opened.deadline_at
    for part in round_.seats.values():
        if part.status is _DECIDING:
            round_.record_difference("betting closed on a seat", "its word or its time-out", "neither", seat=part.seat)
        elif part.status is _TIMED_OUT and (deadline is None or now < deadline):
            round_.record_difference("seat timed out early", f"from {deadline}", now, seat=part.seat)


def replay_cards_dealt(round_: RoundTrace, event: e.CardsDealt) -> None:
    """Check the cards: after the close, from the shoe's next place, dealt by the rules."""
    if round_.phase is not _CLOSED:
        what = "card dealt before betting closed" if round_.phase is _BETTING else OUT_OF_PLACE
        round_.record_difference(what, _CLOSED, round_.phase)
    shoe, rules = round_.table.shoe, round_.table.rules
    place = 0 if shoe is None else shoe.cards_used
    if event.position != place:
        round_.record_difference("place in the shoe differs", place, event.position)
    ceremony.check_hands_turned(round_, event)
    round_.phase, round_.position, round_.cards = _DEALT, event.position, event.cards
    try:
        round_.deal = replay(event.cards)
    except IllegalDeal as illegal:
        round_.record_difference(NO_DEAL, illegal, " ".join(event.cards))
    if shoe is not None:
        shoe.deals.append((event.position, event.cards, round_.opened.round))
        shoe.draw(event.position + len(event.cards), rules)


def replay_round_settled(round_: RoundTrace, event: e.RoundSettled) -> None:
    """Check the settlement; recompute every amount from the cards and the confirmed wagers."""
    if round_.phase is not _DEALT or round_.suspension_reason is not None:
        round_.record_difference(OUT_OF_PLACE, _DEALT, round_.suspension_reason or round_.phase)
    if round_.closed_at is not None and event.settled_at < round_.closed_at:
        round_.record_difference("times out of order", f"from {round_.closed_at}", event.settled_at)
    _result(round_, event)
    outcome = event.outcome if round_.deal is None else round_.deal.outcome
    wagers = {wager.seat: wager for wager in event.wagers}
    if len(wagers) != len(event.wagers):
        round_.record_difference("wager settled twice", f"{len(wagers)} wagers", f"{len(event.wagers)} settlements")
    for part in round_.confirmed_seats():
        result = wagers.pop(part.seat, None)
        if result is None:
            round_.record_difference("wager not settled", _stakes(part), "nothing", seat=part.seat)
        else:
            _wager(round_, part, result, outcome)
    for seat, wager in wagers.items():
        round_.record_difference("wager settled but never confirmed", "nothing", wager.staked, seat=seat)
    round_.phase, round_.ended_at = _SETTLED, event.settled_at
    round_.outcome, round_.natural = event.outcome, event.natural
    round_.player_total, round_.banker_total = event.player_total, event.banker_total
    _end(round_, event.seed)
    round_.table.last_round = round_.opened.round
    _mark(round_, event)


def _mark(round_: RoundTrace, event: e.RoundSettled) -> None:
    """Add the round to the table's board; without a long shoe, a full board is cleared first."""
    table = round_.table
    if not table.has_long_shoe and len(table.marks) >= MAX_RUN_LENGTH:
        table.marks.clear()
    table.marks[round_.opened.number] = event.outcome, round_.cards, event.natural


def _stakes(part: RoundSeatTrace) -> str:
    return " ".join(f"{spot} {stake}" for spot, stake in (part.stakes or {}).items())


def _result(round_: RoundTrace, event: e.RoundSettled) -> None:
    deal = round_.deal
    if deal is None:
        return
    if event.outcome is not deal.outcome:
        round_.record_difference("outcome differs", deal.outcome, event.outcome)
    if event.player_total != deal.player_total or event.banker_total != deal.banker_total:
        found = f"Player {event.player_total}, Banker {event.banker_total}"
        round_.record_difference("totals differ", f"Player {deal.player_total}, Banker {deal.banker_total}", found)
    if event.natural is not deal.natural:
        round_.record_difference("natural differs", deal.natural, event.natural)


def _wager(round_: RoundTrace, part: RoundSeatTrace, wager: e.SeatSettled, outcome: Outcome) -> None:
    """Compare one wager's settlement with its recomputed result, and apply it to the player's balances."""
    part.settlement = wager
    try:
        due = round_.table.expected_settlement(part.stakes or {}, outcome)
    except InvalidStake as unknown:
        round_.record_difference("wager can't be settled", unknown, wager.results, seat=part.seat)
        return
    if wager.player != part.player or wager.money_type is not part.money_type:
        found = f"{wager.player} {wager.money_type}"
        round_.record_difference(
            "wager settled to another player", f"{part.player} {part.money_type}", found, seat=part.seat
        )
    if _figures(due) != _figures(wager):
        for name, what in FINDINGS_BY_FIELD.items():
            expected, found = getattr(due, name), getattr(wager, name)
            if expected != found:
                round_.record_difference(what, f"{name} {expected}", f"{name} {found}", seat=part.seat)
    guest = round_.table.seats.get(wager.player)
    if guest is None:
        return
    guest.balance += wager.returned
    if wager.deferred:
        guest.balance -= wager.commission
        guest.owed += wager.commission


def _figures(one: Settlement | e.SeatSettled) -> tuple[object, ...]:
    return one.commission, one.deferred, one.staked, one.won, one.returned, one.results


def replay_round_lapsed(round_: RoundTrace, event: e.RoundLapsed) -> None:
    """Check that a lapsed round has no confirmed wager."""
    if round_.phase is not _BETTING:
        round_.record_difference(OUT_OF_PLACE, "open betting", round_.phase)
    for part in round_.confirmed_seats():
        round_.record_difference("wager not settled", _stakes(part), "the round lapsed", seat=part.seat)
    _everybody_acted(round_, event.lapsed_at)
    round_.phase, round_.ended_at, round_.lapse_reason = _LAPSED, event.lapsed_at, event.reason
    round_.suspension_reason = round_.suspended_at = None
    _end(round_, event.seed)


def _end(round_: RoundTrace, seed: str | None) -> None:
    round_.seed = seed
    if round_.table.round is round_:
        round_.table.round = None


def replay_round_suspended(round_: RoundTrace, event: e.RoundSuspended) -> None:
    """Record that a round could not be dealt."""
    if not round_.is_running() or round_.suspension_reason is not None:
        round_.record_difference(OUT_OF_PLACE, "a running round", round_.suspension_reason or round_.phase)
    round_.suspension_reason, round_.suspended_at = event.reason, event.suspended_at


def replay_round_resumed(round_: RoundTrace, _event: e.RoundResumed) -> None:
    """Record that staff returned a suspended round to be dealt."""
    if round_.suspension_reason is None:
        round_.record_difference(OUT_OF_PLACE, "a round suspended", round_.phase)
    round_.suspension_reason = round_.suspended_at = None
