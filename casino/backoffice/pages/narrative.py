"""What happened at a table, in one sentence for each event. Pure: amounts are minor units of the given currency."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.rules.cards import card_name
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables import events as te
from baccarat.domain.tables import rules_events as rv
from baccarat.domain.tables.kill_switch_events import PlayResumed, PlayStopped
from baccarat.domain.tables.shoe_events import (
    ShoeCommitted,
    ShoeCutContributed,
    ShoeRevealed,
    TableClosed,
    TableClosing,
)
from casino.kernel.money import format_amount


def words(event: object, currency: str) -> str:
    """Tell an event of a table or a round in one sentence. Raises KeyError for any other event."""
    return _TELL[type(event)](event, lambda minor: f"{format_amount(minor, currency)} {currency}")


Money = Callable[[int], str]


def stakes_in_words(stakes: Mapping[Spot, int], money: Money) -> str:
    """List stakes: "10.00 EUR on Banker and 5.00 EUR on Tie"."""
    return " and ".join(f"{money(amount)} on {spot.capitalize()}" for spot, amount in stakes.items())


def _opened(event: re.RoundOpened, money: Money) -> str:
    del money
    seats = ", ".join(str(seat.seat) for seat in event.seats)
    turn = "without a time limit" if event.deadline_at is None else f"until {event.deadline_at:%H:%M:%S} UTC"
    shoe = "" if event.commitment is None else " with a shoe of its own, committed to beforehand"
    opened = f"Round {event.number} opened for {_plural('seat', len(event.seats))} {seats}, {turn}{shoe}."
    return opened + _named(event.next_shoe, event.number + 1)


def _named(shoe: ShoeCommitment | None, number: int) -> str:
    return "" if shoe is None else f" The shoe of round {number} was committed to: {shoe.commitment}."


def _confirmed(event: re.WagerConfirmed, money: Money) -> str:
    raised = f", raised to the minimum by {stakes_in_words(event.raised, money)}" if event.raised else ""
    return f"Seat {event.seat} confirmed {stakes_in_words(event.stakes, money)}{raised}."


def _dealt(event: re.CardsDealt, money: Money) -> str:
    del money
    return f"Dealt from place {event.position + 1} of the shoe: {', '.join(card_name(card) for card in event.cards)}."


def _handed_back(event: ce.CardsHandedBack, money: Money) -> str:
    del money
    if event.by is ce.HandedBackBy.TIME:
        return f"The time of seat {event.seat} with the cards was over; the Caller took them back."
    return f"Seat {event.seat} handed the cards back."


def _turned(event: ce.HandTurned, money: Money) -> str:
    del money
    return (
        f"The Caller turned the {event.side.capitalize()}'s hand: {', '.join(card_name(card) for card in event.cards)}."
    )


def _settled(event: re.RoundSettled, money: Money) -> str:
    score = f"Player {event.player_total}, Banker {event.banker_total}"
    won = "a tie" if event.outcome == "tie" else f"{event.outcome.capitalize()} wins"
    natural = " with a natural" if event.natural else ""
    staked, returned = (sum(getattr(seat, part) for seat in event.wagers) for part in ("staked", "returned"))
    seed = "" if event.seed is None else " The shoe's seed is revealed."
    return f"{score}: {won}{natural}. Staked {money(staked)}, returned {money(returned)}.{seed}"


def _closed(event: re.BettingClosed, money: Money) -> str:
    del money
    return f"Betting closed.{_cut_by(event.contributions)}"


def _cut_by(contributions: Sequence[Contribution]) -> str:
    seats = ", ".join(str(each.seat) for each in contributions)
    return f" The shoe was cut by {_plural('seat', len(contributions))} {seats}." if contributions else ""


def _shoe_started(event: te.ShoeStarted, money: Money) -> str:
    del money
    burned = (
        "" if event.turned is None else f" The {card_name(event.turned)} was turned and {event.burned} more burned."
    )
    cut = _cut_by(event.contributions)
    return f"Shoe {event.number} was shuffled, committed to beforehand.{cut}{burned}"


def _table_closed(event: TableClosed, money: Money) -> str:
    del money
    revealed = sum(each.seed is not None for each in event.seeds)
    seeds = f" {revealed} of {len(event.seeds)} secret seeds revealed." if event.seeds else ""
    return f"The table was closed by {event.by}: “{event.reason}”.{seeds}"


def _shoe_ended(event: te.ShoeEnded, money: Money) -> str:
    collected = money(sum(owed.amount for owed in event.collected))
    return f"The shoe ended after {event.dealt} cards. Commission collected: {collected}. Its seed is revealed."


def _voided(event: ve.RoundVoided, money: Money) -> str:
    agreed = f", approved by {event.approved_by}" if event.approved_by else ""
    back = money(sum(seat.staked for seat in event.seats))
    taken = money(sum(seat.paid for seat in event.seats))
    burned = f" {event.burned} cards that a player had seen some of were burned." if event.burned else ""
    return (
        f"Voided by {event.requested_by}{agreed} ({event.reason}): “{event.note}”. "
        f"Stakes of {back} given back, payouts of {taken} taken.{burned}"
    )


def _left(event: te.SeatLeft, money: Money) -> str:
    paid = f", after {money(event.collected)} of owed commission" if event.collected else ""
    return f"The player left seat {event.seat} with {money(event.returned)} of {event.money_type} money{paid}."


def _freed(event: te.SeatReleased, money: Money) -> str:
    paid = f", after {money(event.collected)} of owed commission" if event.collected else ""
    why = {
        te.SeatReleaseReason.MISSED_ROUNDS: f"{event.missed} {_plural('turn', event.missed)} ran out in a row",
        te.SeatReleaseReason.DISCONNECTED: "the player is gone",
        te.SeatReleaseReason.TABLE_CLOSED: "the table closes",
    }[event.reason]
    back = f"{money(event.returned)} of {event.money_type} money went back to the account{paid}"
    return f"Seat {event.seat} was freed: {why}, last heard of at {event.seen_at:%H:%M:%S} UTC; {back}."


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _said(words: str) -> str:
    return f" Acknowledged: “{words}”" if words else ""


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


_TELL: Final[dict[type, Callable[[Any, Money], str]]] = {
    re.RoundOpened: _opened,
    re.ChipsPlaced: lambda e, money: f"Seat {e.seat} placed {money(e.amount)} on {e.spot.capitalize()}.",
    re.PlacementUndone: lambda e, _: f"Seat {e.seat} took the last placement back.",
    re.ChipsCleared: lambda e, _: f"Seat {e.seat} cleared its chips.",
    re.StakesRebet: lambda e, money: f"Seat {e.seat} placed its last wager again: {stakes_in_words(e.stakes, money)}.",
    re.WagerConfirmed: _confirmed,
    re.SeatPassed: lambda e, _: f"Seat {e.seat} passed.",
    re.SeatTimedOut: lambda e, _: f"Seat {e.seat} let its turn run out; nothing was taken.",
    re.SeatLeftRound: lambda e, _: f"Seat {e.seat} was left before a wager.",
    CutContributed: lambda e, _: f"Seat {e.seat} added {e.contribution} to the cut of the round's shoe.",
    re.BettingClosed: _closed,
    ce.CardsHandedOut: lambda e, _: f"The Player's two cards went face down to seat {e.seat}.",
    ce.CardsLookedAt: lambda e, _: f"Seat {e.seat} looked at the cards.",
    ce.CardsHandedBack: _handed_back,
    ce.HandTurned: _turned,
    re.CardsDealt: _dealt,
    re.RoundSettled: _settled,
    re.RoundLapsed: lambda e, _: f"The round lapsed without a card: {e.reason}.",
    re.RoundSuspended: lambda e, _: f"Set aside, it could not be dealt: {e.reason}",
    re.RoundResumed: lambda e, _: f"Sent back to be dealt by {e.by}.",
    ve.RoundVoidRequested: lambda e, _: f"A void was asked for by {e.by} ({e.reason}): “{e.note}”",
    ve.RoundVoidDeclined: lambda e, _: f"The void was declined by {e.by}: “{e.note}”",
    ve.RoundVoided: _voided,
    te.TableOpened: lambda e, _: (
        f"Table “{e.name}” opened with the rules of {e.rules.preset}@{e.rules.version}." + _named(e.next_shoe, 1)
    ),
    te.SeatTaken: lambda e, money: f"Seat {e.seat} taken with {money(e.bought_in)} of {e.money_type} money.",
    te.SeatChanged: lambda e, _: f"The player of seat {e.from_seat} moved to seat {e.to_seat}.",
    te.Rebought: lambda e, money: f"Seat {e.seat} brought {money(e.amount)} of {e.money_type} money more.",
    te.SeatLeft: _left,
    te.SeatReleased: _freed,
    ShoeCommitted: lambda e, _: f"Shoe {e.number}, the next one, was committed to: {e.commitment}.",
    ShoeCutContributed: lambda e, _: f"Seat {e.seat} added {e.contribution} to the cut of the next shoe.",
    te.ShoeStarted: _shoe_started,
    te.ShoeEnded: _shoe_ended,
    PlayStopped: lambda e, _: f"Play was stopped ({e.scope}) by {e.by}: “{e.reason}”. Players are told: “{e.says}”",
    rv.RulesDrafted: lambda e, _: f"Rules {e.rules.label} were drafted by {e.by}.{_said(e.acknowledgement)}",
    rv.RulesRejected: lambda e, _: f"The draft of version {e.version} was rejected by {e.by}: “{e.reason}”",
    rv.RulesPublished: lambda e, _: (
        f"Rules {e.rules.label} by {e.drafted_by} were published by {e.by}: from the {_plain(e.effective_from)} on."
    ),
    rv.RulesTookEffect: lambda e, _: f"Rules {e.rules.label} hold from round {e.first_round} on.",
    rv.RulesRetired: lambda e, _: f"The rules of version {e.version} were withdrawn by {e.by}: “{e.reason}”",
    PlayResumed: lambda e, _: f"Play was resumed ({e.scope}) by {e.by}: “{e.reason}”",
    ShoeRevealed: lambda e, _: f"The seed of the shoe of the void round {e.round} could be read again: {e.seed}.",
    TableClosing: lambda e, _: f"The table is to be closed for good, by {e.by}: “{e.reason}”",
    TableClosed: _table_closed,
}
