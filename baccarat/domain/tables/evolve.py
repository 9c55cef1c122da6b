"""Applies events to a table's state, both its own and those of its rounds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds import cut
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.void_events import RoundVoided
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.rules.roads.marks import MAX_RUN_LENGTH, RoundMark, append_mark, find_pairs, remove_mark
from baccarat.domain.tables import events as e
from baccarat.domain.tables.kill_switch_events import PlayResumed, PlayStopped
from baccarat.domain.tables.rules_events import (
    RulesDrafted,
    RulesPublished,
    RulesRejected,
    RulesRetired,
    RulesTookEffect,
    VersionEvent,
)
from baccarat.domain.tables.rules_state import evolve as after
from baccarat.domain.tables.shoe_events import ShoeCommitted, ShoeCutContributed, TableClosed, TableClosureAnnounced
from baccarat.domain.tables.state import NextShoe, PendingClosure, PlayStop, Seat, Shoe, TableState

GameEvent = e.TableEvent | re.RoundEvent
SeatAction = re.ChipsPlaced | re.PlacementUndone | re.ChipsCleared | re.StakesRebet | re.SeatPassed


def evolve(state: TableState, event: GameEvent) -> TableState:
    """Apply one event of the table or of its rounds. Most events of rounds leave the table unchanged."""
    apply = _APPLY.get(type(event))
    return state if apply is None else apply(state, event)


def _opened(state: TableState, event: e.TableOpened) -> TableState:
    return replace(state, opened=event, next_shoe=_named(event.next_shoe, number=1))


def _named(named: ShoeCommitment | None, *, number: int) -> NextShoe | None:
    """Return the shoe announced for the round with this number."""
    return None if named is None else NextShoe(named.shoe, number, named.commitment, named.shape)


def _seated(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(sorted((*seats, seat), key=lambda taken: taken.seat))


def _without(seats: tuple[Seat, ...], player: UUID) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats if seat.player != player)


def _taken(state: TableState, event: e.SeatTaken) -> TableState:
    return replace(
        state, seats=_seated(state.seats, Seat(seat=event.seat, player=event.player, money_type=event.money_type))
    )


def _changed(state: TableState, event: e.SeatChanged) -> TableState:
    moved = next(replace(seat, seat=event.to_seat) for seat in state.seats if seat.player == event.player)
    return replace(state, seats=_seated(_without(state.seats, event.player), moved))


def _left(state: TableState, event: e.SeatLeft | e.SeatReleased) -> TableState:
    return replace(state, seats=_without(state.seats, event.player))


def _shoe_committed(state: TableState, event: ShoeCommitted) -> TableState:
    return replace(state, next_shoe=NextShoe(event.shoe, event.number, event.commitment, event.shape))


def _shoe_cut_given(state: TableState, event: ShoeCutContributed) -> TableState:
    coming = state.next_shoe
    if coming is None:
        return state
    contributions = cut.replace_contribution(
        coming.contributions, seat=event.seat, player=event.player, contribution=event.contribution
    )
    return replace(state, next_shoe=replace(coming, contributions=contributions))


def _closing(state: TableState, event: TableClosureAnnounced) -> TableState:
    return replace(state, pending_closure=PendingClosure(event.by, event.reason, event.announced_at))


def _closed(state: TableState, event: TableClosed) -> TableState:
    return replace(state, closed=True, shoe=None, next_shoe=None)


def _shoe_started(state: TableState, event: e.ShoeStarted) -> TableState:
    shoe = Shoe(
        shoe=event.shoe,
        number=event.number,
        commitment=event.commitment,
        cards_used=0 if event.turned_card is None else 1 + event.burned_count,
        cut=event.cut,
        root=event.root,
    )
    return replace(state, shoe=shoe, shoes=event.number, marks="", next_shoe=None)


def _shoe_ended(state: TableState, event: e.ShoeEnded) -> TableState:
    return replace(state, shoe=None, seats=tuple(replace(seat, owed=0) for seat in state.seats))


def _round_opened(state: TableState, event: re.RoundOpened) -> TableState:
    coming = state.next_shoe if event.next_shoe is None else _named(event.next_shoe, number=event.number + 1)
    return replace(state, round=event.round, rounds=event.number, next_shoe=coming)


def _wager_confirmed(state: TableState, event: re.WagerConfirmed) -> TableState:
    seats = tuple(
        replace(seat, last_wager=event.stakes, missed_turns=0) if seat.player == event.player else seat
        for seat in state.seats
    )
    return replace(state, seats=seats)


def _spoke(state: TableState, event: SeatAction) -> TableState:
    seat = state.seat_at(event.seat)
    return state if seat is None or not seat.missed_turns else _with_missed(state, event.seat, 0)


def _timed_out(state: TableState, event: re.SeatTimedOut) -> TableState:
    seat = state.seat_at(event.seat)
    return state if seat is None else _with_missed(state, event.seat, seat.missed_turns + 1)


def _with_missed(state: TableState, number: int, missed: int) -> TableState:
    return replace(
        state, seats=tuple(replace(seat, missed_turns=missed) if seat.seat == number else seat for seat in state.seats)
    )


def _cards_dealt(state: TableState, event: re.CardsDealt) -> TableState:
    pairs = find_pairs(event.cards)
    if state.shoe is None:
        return replace(state, pairs=pairs) if pairs else state
    shoe = _drawn(state.shoe, state.rules, out=event.position + len(event.cards))
    return replace(state, shoe=shoe, pairs=pairs)


def _drawn(shoe: Shoe, rules: TableRules, *, out: int) -> Shoe:
    """Return the shoe after a round took cards from it, or after a voided round's cards were burned."""
    before_cut = rules.decks * 52 - (rules.cut_cards_from_end or 0)
    return replace(shoe, cards_used=out, cut_card_out=out > before_cut, finished=shoe.cut_card_out)


def _round_settled(state: TableState, event: re.RoundSettled) -> TableState:
    owed = {wager.player: wager.commission for wager in event.wagers if wager.deferred}
    seats = tuple(replace(seat, owed=seat.owed + owed.get(seat.player, 0)) for seat in state.seats)
    mark = RoundMark(state.rounds, event.outcome, "p" in state.pairs, "b" in state.pairs, event.natural)
    marks = append_mark(state.marks, mark, max_marks=None if state.has_long_shoe() else MAX_RUN_LENGTH)
    return replace(state, round=None, last_round=state.round, seats=seats, marks=marks, pairs="")


def _round_lapsed(state: TableState, event: re.RoundLapsed) -> TableState:
    return replace(state, round=None)


def _round_voided(state: TableState, event: RoundVoided) -> TableState:
    """Remove a round in play from the table; for an earlier round, remove its mark and its commission still in the
    racks.
    """
    state = replace(state, voids=state.voids + 1)
    taken = {each.player: each.from_rack for each in event.seats if each.from_rack}
    if taken:
        seats = tuple(replace(seat, owed=seat.owed - taken.get(seat.player, 0)) for seat in state.seats)
        state = replace(state, seats=seats)
    if state.round == event.round:
        shoe = state.shoe
        if shoe is not None and event.burned_count:
            shoe = _drawn(shoe, state.rules, out=shoe.cards_used + event.burned_count)
        return replace(state, round=None, last_round=event.round, shoe=shoe, pairs="")
    return replace(state, marks=remove_mark(state.marks, event.number))


def _stopped(state: TableState, event: PlayStopped) -> TableState:
    return replace(
        state, stops=(*state.stops, PlayStop(event.scope, event.subject, event.player_message, event.stopped_at))
    )


def _resumed(state: TableState, event: PlayResumed) -> TableState:
    released = event.scope, event.subject
    return replace(state, stops=tuple(held for held in state.stops if (held.scope, held.subject) != released))


def _ruled(state: TableState, event: VersionEvent) -> TableState:
    return replace(state, rules_lifecycle=after(state.current_rules_lifecycle(), event))


def _took_effect(state: TableState, event: RulesTookEffect) -> TableState:
    """Put rules into effect. They start a new board, and forget last wagers that their chips might not make up."""
    seats = tuple(replace(seat, last_wager=None) for seat in state.seats)
    return replace(_ruled(state, event), seats=seats, marks="")


_APPLY: Final[dict[type, Callable[[TableState, Any], TableState]]] = {
    RulesDrafted: _ruled,
    RulesRejected: _ruled,
    RulesPublished: _ruled,
    RulesTookEffect: _took_effect,
    RulesRetired: _ruled,
    e.TableOpened: _opened,
    e.SeatTaken: _taken,
    e.SeatChanged: _changed,
    e.SeatLeft: _left,
    e.SeatReleased: _left,
    ShoeCommitted: _shoe_committed,
    ShoeCutContributed: _shoe_cut_given,
    e.ShoeStarted: _shoe_started,
    e.ShoeEnded: _shoe_ended,
    PlayStopped: _stopped,
    PlayResumed: _resumed,
    TableClosureAnnounced: _closing,
    TableClosed: _closed,
    re.RoundOpened: _round_opened,
    re.ChipsPlaced: _spoke,
    re.PlacementUndone: _spoke,
    re.ChipsCleared: _spoke,
    re.StakesRebet: _spoke,
    re.SeatPassed: _spoke,
    re.SeatTimedOut: _timed_out,
    re.WagerConfirmed: _wager_confirmed,
    re.CardsDealt: _cards_dealt,
    re.RoundSettled: _round_settled,
    re.RoundLapsed: _round_lapsed,
    RoundVoided: _round_voided,
}
