"""Replay a round from the close of betting: the Caller's ceremony, cards, outcome, payouts, commission and seed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from baccarat.audit import closings, shoes, witnesses
from baccarat.audit.betting import OTHER_WAGER
from baccarat.audit.traces import OUT_OF_PLACE, RoundSeatTrace, RoundTrace
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rounds.state import Ceremony, Phase, SeatStatus
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import IllegalDeal, replay
from baccarat.domain.rules.payouts import InvalidStake, Settlement
from baccarat.domain.rules.roads import MAX_RUN_LENGTH
from casino.witness.statements import ClosingKind

FINDINGS_BY_FIELD: Final = {
    "commission": "commission differs",
    "deferred": "commission differs",
    "staked": "stake differs",
    "results": "payout differs",
    "won": "payout differs",
    "returned": "payout differs",
}
"""Message for each field of a settled wager that differs from the rules."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CONFIRMED = SeatStatus.CONFIRMED
_BETTING, _CLOSED, _DEALT, _SETTLED, _LAPSED = Phase.BETTING, Phase.CLOSED, Phase.DEALT, Phase.SETTLED, Phase.LAPSED
_DECIDING, _TIMED_OUT = SeatStatus.DECIDING, SeatStatus.TIMED_OUT

NO_DEAL = "cards are not a legal deal"
NOT_CHOSEN: Final = "cards are not the chosen ones"
OTHER_SEAT: Final = "cards with the wrong seat"
OTHER_TIME: Final = "time for the cards differs"
NOT_TURNED: Final = "hands not turned as dealt"


def replay_betting_closed(round_: RoundTrace, event: e.BettingClosed) -> None:
    """Check the close of betting: all have acted or the turn is over, and at least one wager is confirmed."""
    if round_.phase is not _BETTING or round_.suspension_reason is not None:
        round_.record_difference(OUT_OF_PLACE, "open betting", round_.suspension_reason or round_.phase)
    if not round_.confirmed_seats():
        round_.record_difference("betting closed without a wager", "a confirmed wager", "none")
    _check_all_acted(round_, event.closed_at)
    for part in round_.seats.values():
        if part.confirmed_at is not None and part.confirmed_at > event.closed_at:
            round_.record_difference(
                "times out of order", f"confirmed by {event.closed_at}", part.confirmed_at, seat=part.seat
            )
    shoes.close_cut(round_)
    closings.check_round_closing(round_, event.closing, ClosingKind.PLAYED, now=event.closed_at)
    round_.phase, round_.closed_at = _CLOSED, event.closed_at


def _check_all_acted(round_: RoundTrace, now: datetime) -> None:
    deadline = round_.opened.deadline_at
    for part in round_.seats.values():
        if part.status is _DECIDING:
            round_.record_difference("betting closed on a seat", "a decision or a time-out", "neither", seat=part.seat)
        elif part.status is _TIMED_OUT and (deadline is None or now < deadline):
            round_.record_difference("seat timed out early", f"from {deadline}", now, seat=part.seat)


def replay_cards_forced(round_: RoundTrace, event: CardsForced) -> None:
    """Check that cards were chosen once, before any seat had acted."""
    acted = [part.seat for part in round_.seats.values() if part.status not in {_DECIDING, SeatStatus.LEFT}]
    if round_.phase is not _BETTING or round_.forced or acted:
        round_.record_difference(OUT_OF_PLACE, "open betting before a seat acts", acted or round_.phase)
    deadline = round_.opened.deadline_at
    if deadline is not None and event.forced_at >= deadline:
        round_.record_difference("times out of order", f"before {deadline}", event.forced_at)
    round_.forced = event.cards


def replay_cards_dealt(round_: RoundTrace, event: e.CardsDealt) -> None:
    """Check the cards: after the close, from the shoe's next place, dealt by the rules."""
    if round_.phase is not _CLOSED:
        what = "card dealt before betting closed" if round_.phase is _BETTING else OUT_OF_PLACE
        round_.record_difference(what, _CLOSED, round_.phase)
    if round_.opened.witnesses and not round_.releases:
        round_.record_difference(witnesses.NO_LINKS, round_.opened.witnesses, "none")
    shoe, rules = round_.table.shoe, round_.table.rules
    place = 0 if shoe is None else shoe.cards_used
    if event.shoe_position != place:
        round_.record_difference("place in the shoe differs", place, event.shoe_position)
    if round_.forced and event.cards != round_.forced:
        round_.record_difference(NOT_CHOSEN, " ".join(round_.forced), " ".join(event.cards))
    check_hands_turned(round_, event)
    round_.phase, round_.shoe_position, round_.cards = _DEALT, event.shoe_position, event.cards
    try:
        round_.deal = replay(event.cards)
    except IllegalDeal as illegal:
        round_.record_difference(NO_DEAL, illegal, " ".join(event.cards))
    if shoe is not None:
        shoe.deals.append((event.shoe_position, event.cards, round_.opened.round))
        if round_.forced:
            shoe.forced.add(event.shoe_position)
        shoe.draw(event.shoe_position + len(event.cards), rules)


def replay_round_settled(round_: RoundTrace, event: e.RoundSettled) -> None:
    """Check the settlement; recompute every amount from the cards and the confirmed wagers."""
    if round_.phase is not _DEALT or round_.suspension_reason is not None:
        round_.record_difference(OUT_OF_PLACE, _DEALT, round_.suspension_reason or round_.phase)
    if round_.closed_at is not None and event.settled_at < round_.closed_at:
        round_.record_difference("times out of order", f"from {round_.closed_at}", event.settled_at)
    _result(round_, event)
    coup = None if round_.deal is None else Coup.of(round_.deal)
    wagers = {wager.seat: wager for wager in event.wagers}
    if len(wagers) != len(event.wagers):
        round_.record_difference("wager settled twice", f"{len(wagers)} wagers", f"{len(event.wagers)} settlements")
    for part in round_.confirmed_seats():
        result = wagers.pop(part.seat, None)
        if result is None:
            round_.record_difference("wager not settled", _stakes(part), "nothing", seat=part.seat)
        else:
            _wager(round_, part, result, coup)
    for seat, wager in wagers.items():
        round_.record_difference("wager settled but never confirmed", "nothing", wager.staked, seat=seat)
    round_.phase, round_.ended_at = _SETTLED, event.settled_at
    round_.outcome, round_.natural = event.outcome, event.natural
    round_.player_total, round_.banker_total = event.player_total, event.banker_total
    _end(round_, event.seed)
    round_.table.last_round = round_.opened.round
    _show(round_, event)
    _mark(round_, event)


def _show(round_: RoundTrace, event: e.RoundSettled) -> None:
    """Check until when the next turn waits: for as long as the rules show these cards, and for the least cycle."""
    table, deal = round_.table, round_.deal
    if deal is not None:
        show = round_.rules.show_milliseconds.length(
            cards=len(deal.cards), natural=deal.natural, ceremony=round_.ceremony is not None
        )
        opens_at = max(event.settled_at + show, round_.opened.opened_at + round_.rules.minimum_cycle)
        if event.betting_opens_at != opens_at:
            round_.record_difference("length of the show differs", opens_at, event.betting_opens_at)
    if event.betting_opens_at > event.settled_at and table.pending_closure is None:
        table.betting_opens_at = event.betting_opens_at


def _mark(round_: RoundTrace, event: e.RoundSettled) -> None:
    """Add the round to the table's board, unless its cards were chosen; without a long shoe, a full board is cleared
    first.
    """
    table = round_.table
    if round_.forced:
        return
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
        actual = f"Player {event.player_total}, Banker {event.banker_total}"
        round_.record_difference("totals differ", f"Player {deal.player_total}, Banker {deal.banker_total}", actual)
    if event.natural is not deal.natural:
        round_.record_difference("natural differs", deal.natural, event.natural)


def _wager(round_: RoundTrace, part: RoundSeatTrace, wager: e.SeatSettled, coup: Coup | None) -> None:
    """Compare one wager's settlement with its recomputed result, and apply it to the player's balances."""
    part.settlement = wager
    if coup is None:
        return
    try:
        settlement = round_.table.expected_settlement(part.stakes or {}, coup)
    except InvalidStake as unknown:
        round_.record_difference("wager can't be settled", unknown, wager.results, seat=part.seat)
        return
    if wager.wager != part.wager:
        round_.record_difference(OTHER_WAGER, part.wager, wager.wager, seat=part.seat)
    if wager.player != part.player or wager.money_type is not part.money_type:
        actual = f"{wager.player} {wager.money_type}"
        round_.record_difference(
            "wager settled to another player", f"{part.player} {part.money_type}", actual, seat=part.seat
        )
    if _amounts(settlement) != _amounts(wager):
        for name, what in FINDINGS_BY_FIELD.items():
            expected, actual = getattr(settlement, name), getattr(wager, name)
            if expected != actual:
                round_.record_difference(what, f"{name} {expected}", f"{name} {actual}", seat=part.seat)
    table_seat = round_.table.seats.get(wager.player)
    if table_seat is None or part.debit is not None:
        return
    table_seat.balance += wager.returned
    if wager.deferred:
        table_seat.owed += wager.commission


def _amounts(settlement: Settlement | e.SeatSettled) -> tuple[object, ...]:
    each = settlement
    return each.commission, each.deferred, each.staked, each.won, each.returned, each.results


def replay_round_lapsed(round_: RoundTrace, event: e.RoundLapsed) -> None:
    """Check that a lapsed round has no confirmed wager."""
    if round_.phase is not _BETTING:
        round_.record_difference(OUT_OF_PLACE, "open betting", round_.phase)
    for part in round_.confirmed_seats():
        round_.record_difference("wager not settled", _stakes(part), "the round lapsed", seat=part.seat)
    _check_all_acted(round_, event.lapsed_at)
    closings.check_round_closing(round_, event.closing, ClosingKind.LAPSED, now=event.lapsed_at)
    round_.phase, round_.ended_at, round_.lapse_reason = _LAPSED, event.lapsed_at, event.reason
    round_.suspension_reason = round_.suspended_at = None
    _end(round_, event.seed)
    table, opens_at = round_.table, round_.opened.opened_at + round_.rules.minimum_cycle
    if opens_at > event.lapsed_at and table.pending_closure is None:
        table.betting_opens_at = opens_at


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


def replay_cards_handed_out(round_: RoundTrace, event: e.CardsHandedOut) -> None:
    """Check that the cards go to the seat with the highest Player wager; ties go to the earliest."""
    limit = round_.table.rules.ceremony_seconds()
    if round_.phase is not Phase.CLOSED or round_.ceremony is not None or limit is None:
        round_.record_difference(OUT_OF_PLACE, "betting just closed at a table with a Caller", round_.phase)
    holder_seat = _holder(round_)
    if holder_seat != event.seat:
        round_.record_difference(OTHER_SEAT, holder_seat, event.seat)
    if limit is not None:
        _check_deadline(round_, event.handed_out_at + timedelta(seconds=limit.look), event.until)
    round_.ceremony = Ceremony(event.seat, event.until)


def _holder(round_: RoundTrace) -> int | None:
    bets = [part for part in round_.confirmed_seats() if _on_player(part)]
    highest = max((_on_player(part) for part in bets), default=0)
    equals = [(part.place, part.seat) for part in bets if _on_player(part) == highest]
    return min(equals)[1] if equals else None


def _on_player(part: RoundSeatTrace) -> int:
    return (part.stakes or {}).get("player", 0)


def _check_deadline(round_: RoundTrace, expected: datetime, actual: datetime) -> None:
    if actual != expected:
        round_.record_difference(OTHER_TIME, expected, actual)


def replay_cards_looked_at(round_: RoundTrace, event: e.CardsLookedAt) -> None:
    """Check that the seat's first look at the cards is within its time."""
    ceremony, limit = _open_ceremony(round_, event.seat), round_.table.rules.ceremony_seconds()
    if ceremony is None:
        return
    if ceremony.looked_at is not None or event.looked_at >= ceremony.until:
        round_.record_difference(OUT_OF_PLACE, f"one look before {ceremony.until}", event.looked_at)
    if limit is not None:
        _check_deadline(round_, event.looked_at + timedelta(seconds=limit.hand_back), event.until)
    round_.ceremony = Ceremony(event.seat, event.until, event.looked_at)


def replay_cards_handed_back(round_: RoundTrace, event: e.CardsHandedBack) -> None:
    """Check the return of the cards: by the player before the deadline, by time-out not before it."""
    ceremony = _open_ceremony(round_, event.seat)
    if ceremony is None:
        return
    if (event.handed_back_at >= ceremony.until) is not (event.by is e.HandedBackBy.TIME):
        round_.record_difference(OTHER_TIME, f"by {event.by}, until {ceremony.until}", event.handed_back_at)
    round_.ceremony = Ceremony(ceremony.seat, ceremony.until, ceremony.looked_at, event.by)


def _open_ceremony(round_: RoundTrace, seat: int) -> Ceremony | None:
    ceremony = round_.ceremony
    if ceremony is None or ceremony.handed_back is not None or round_.phase is not Phase.CLOSED:
        round_.record_difference(
            OUT_OF_PLACE, "cards with a seat", round_.phase if ceremony is None else ceremony.handed_back
        )
        return None
    if ceremony.seat != seat:
        round_.record_difference(OTHER_SEAT, ceremony.seat, seat)
    return ceremony


def replay_hand_turned(round_: RoundTrace, event: e.HandTurned) -> None:
    """Record a hand that is turned over; `check_hands_turned` checks it once all cards are dealt."""
    if round_.phase is not Phase.CLOSED or round_.table.rules.ceremony_seconds() is None:
        round_.record_difference(OUT_OF_PLACE, "betting closed at a table with a Caller", round_.phase)
    round_.turned_hands = (*round_.turned_hands, event)


def check_hands_turned(round_: RoundTrace, event: e.CardsDealt) -> None:
    """Check that the cards were handed out and returned where required, and how they were turned over."""
    if round_.table.rules.ceremony_seconds() is None:
        return
    ceremony = round_.ceremony
    if ceremony is None and _holder(round_) is not None:
        round_.record_difference(OTHER_SEAT, f"handed to seat {_holder(round_)}", "never handed out")
    if ceremony is not None and ceremony.handed_back is None:
        round_.record_difference(OUT_OF_PLACE, "cards handed back", f"with seat {ceremony.seat}")
    hands = ((e.Side.PLAYER, event.cards[0:4:2]), (e.Side.BANKER, event.cards[1:4:2]))
    turned = tuple((each.side, each.cards) for each in round_.turned_hands)
    if turned != hands:
        round_.record_difference(NOT_TURNED, _format_hands(hands), _format_hands(turned))


def _format_hands(hands: Sequence[tuple[e.Side, Sequence[Card]]]) -> str:
    return "; ".join(f"{side.capitalize()} {' '.join(cards)}" for side, cards in hands)
