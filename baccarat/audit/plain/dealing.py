"""A round's usual course from the close of betting on, as `betting` follows it: cards, outcome, payouts, commission."""

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.ceremony import is_turned
from baccarat.audit.plain.cutting import is_fixed
from baccarat.audit.plain.rounds import PlainPart, PlainRound, moment
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.deal import Deal, Outcome, replay
from baccarat.domain.rules.roads.marks import MAX_RUN_LENGTH

_BETTING, _CLOSED, _DEALT, _SETTLED = Phase.BETTING, Phase.CLOSED, Phase.DEALT, Phase.SETTLED
_DECIDING, _CONFIRMED, _PASSED = SeatStatus.DECIDING, SeatStatus.CONFIRMED, SeatStatus.PASSED


def closed(round_: PlainRound, event: f.BettingClosed) -> bool:
    """Follow the close of betting, and the cut."""
    if round_.phase is not _BETTING or not is_fixed(round_, event):
        return False
    at, deadline, wagers = moment(event.closed_at), round_.deadline_at, 0
    for part in round_.parts.values():
        if part.standing is _CONFIRMED:
            wagers += 1
            if part.confirmed_at is None or part.confirmed_at > at:
                return False
        elif part.standing is not _PASSED and (part.standing is _DECIDING or deadline is None or at < deadline):
            return False
    if not wagers:
        return False
    round_.phase, round_.closed, round_.closed_at = _CLOSED, event, at
    return True


def dealt(round_: PlainRound, event: f.CardsDealt) -> bool:
    """Follow the cards. Raises IllegalDeal for others than the rules deal, and then nothing has changed."""
    shoe = round_.table.shoe
    if round_.phase is not _CLOSED or event.position != (0 if shoe is None else shoe.cards_out):
        return False
    if not is_turned(round_, event):
        return False
    round_.dealt = replay(event.cards)
    round_.phase, round_.position, round_.cards = _DEALT, event.position, event.cards
    if shoe is not None:
        shoe.deals.append((event.position, event.cards, round_.opened.round))
        shoe.draw(event.position + len(event.cards), round_.table.rules)
    return True


def settled(round_: PlainRound, event: f.RoundSettled) -> bool:
    """Follow the settlement: every figure worked out anew. The seed is not tried here."""
    deal, closed_at = round_.dealt, round_.closed_at
    if round_.phase is not _DEALT or deal is None or closed_at is None or round_.closed is None:
        return False
    if event.settled_at != round_.closed.closed_at and moment(event.settled_at) < closed_at:
        return False
    if not _is_result(event, deal):
        return False
    parts = [part for part in round_.parts.values() if part.wager is not None]
    if len(parts) != len(event.wagers):
        return False
    for part, wager in zip(parts, event.wagers, strict=True):
        if not _is_due(round_, event.outcome, part, wager):
            return False
    for part, wager in zip(parts, event.wagers, strict=True):
        part.guest.balance += wager.returned
        if wager.deferred:
            part.guest.balance -= wager.commission
            part.guest.owed += wager.commission
    _end(round_, event, deal)
    return True


def _is_result(event: f.RoundSettled, deal: Deal) -> bool:
    return (
        event.outcome is deal.outcome
        and event.natural is deal.natural
        and event.player_total == deal.player_total
        and event.banker_total == deal.banker_total
    )


def _is_due(round_: PlainRound, outcome: Outcome, part: PlainPart, found: f.SeatSettled) -> bool:
    """Whether one wager was settled as the rules settle it. Raises UnknownStake."""
    if found.seat != part.seat or found.player != part.player or found.book is not part.book or part.wager is None:
        return False
    due = part.due = round_.seating.due(part.wager.stakes, outcome)
    return (
        found.returned == due.returned
        and found.commission == due.commission
        and found.won == due.won
        and found.staked == due.staked
        and found.deferred is due.deferred
        and found.results == due.results
    )


def _end(round_: PlainRound, event: f.RoundSettled, deal: Deal) -> None:
    table = round_.table
    round_.phase, round_.settled = _SETTLED, event
    table.last_round = round_.opened.round
    if not table.has_long_shoe and len(table.marks) >= MAX_RUN_LENGTH:
        table.marks.clear()
    table.marks[round_.opened.number] = deal.outcome, round_.cards, deal.natural
