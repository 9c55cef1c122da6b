"""How each event changes a table's state: the table's own events and those of its rounds."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any, Final
from uuid import UUID

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.fairness.links import LinksReleased, WitnessChain, links_of, next_indexes, without_used_up
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds import cut
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rules.roads import MAX_RUN_LENGTH, RoundMark, append_mark, find_pairs, remove_mark
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as e
from baccarat.domain.tables.kill_switch import PlayResumed, PlayStopped
from baccarat.domain.tables.shoes import terms_fixed_by
from baccarat.domain.tables.state import (
    INITIAL,
    NextShoe,
    OpenClosing,
    PendingClosure,
    PendingRules,
    PlayStop,
    RulesDraft,
    RulesLifecycle,
    Seat,
    Shoe,
    TableState,
)
from baccarat.domain.tables.witness_events import (
    ShoeCutClosed,
    ShoeLinksReleased,
    WitnessChainOpened,
    WitnessChainsReplaced,
)
from casino.witness.statements import ChainHeader, ClosingKind

GameEvent = e.TableEvent | re.RoundEvent
SeatAction = re.ChipsPlaced | re.PlacementUndone | re.ChipsCleared | re.StakesRebet | re.SeatPassed


def evolve(state: TableState, event: GameEvent) -> TableState:
    """Apply one event of the table or of its rounds. Most events of rounds leave the table unchanged."""
    apply = _APPLY.get(type(event))
    return state if apply is None else apply(state, event)


def fold_table(events: Iterable[GameEvent]) -> TableState:
    """Rebuild the state of a table from its events and those of its rounds."""
    return reduce(evolve, events, INITIAL)


def _table_opened(state: TableState, event: e.TableOpened) -> TableState:
    return replace(state, opened=event, next_shoe=_announced_shoe(event.next_shoe, number=1))


def _announced_shoe(commitment: re.ShoeCommitment | None, *, number: int) -> NextShoe | None:
    """Return the shoe announced for the round with this number."""
    if commitment is None:
        return None
    return NextShoe(commitment.shoe, number, commitment.commitment, commitment.shape)


def _add_seat(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(sorted((*seats, seat), key=lambda seat: seat.seat))


def _remove_seat(seats: tuple[Seat, ...], player: UUID) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats if seat.player != player)


def _seat_taken(state: TableState, event: e.SeatTaken) -> TableState:
    return replace(
        state, seats=_add_seat(state.seats, Seat(seat=event.seat, player=event.player, money_type=event.money_type))
    )


def _seat_changed(state: TableState, event: e.SeatChanged) -> TableState:
    moved = next(replace(seat, seat=event.to_seat) for seat in state.seats if seat.player == event.player)
    return replace(state, seats=_add_seat(_remove_seat(state.seats, event.player), moved))


def _seat_left(state: TableState, event: e.SeatLeft | e.SeatReleased) -> TableState:
    return replace(state, seats=_remove_seat(state.seats, event.player))


def _shoe_committed(state: TableState, event: e.ShoeCommitted) -> TableState:
    return replace(state, next_shoe=NextShoe(event.shoe, event.number, event.commitment, event.shape))


def _shoe_cut_contributed(state: TableState, event: e.ShoeCutContributed) -> TableState:
    next_shoe = state.next_shoe
    if next_shoe is None:
        return state
    contributions = cut.replace_contribution(
        next_shoe.contributions,
        seat=event.seat,
        player=event.player,
        contribution=event.contribution,
        contributed_at=event.contributed_at,
        public_key="" if event.signature is None else event.signature.public_key,
    )
    return replace(state, next_shoe=replace(next_shoe, contributions=contributions))


def _terms_fixed(state: TableState, event: e.TermsFixed | re.NextTerms) -> TableState:
    terms, following = terms_fixed_by(event, state), _announced_shoe(event.next_shoe, number=event.number + 1)
    if following is None:
        is_new = state.shoe is not None and state.fixed_terms() is None
        return replace(_take_indexes(state) if is_new else state, terms=terms)
    following = replace(following, witnesses=next_indexes(state.chains))
    return replace(_take_indexes(state), terms=terms, coming_shoe=state.next_shoe, next_shoe=following)


def _take_indexes(state: TableState) -> TableState:
    """Count the next link of each witness as used."""
    used = {each.chain for each in next_indexes(state.chains)}
    moved = (replace(each, next_index=each.next_index + (each.chain in used)) for each in state.chains)
    return replace(state, chains=without_used_up(tuple(moved)))


def _shoe_cut_closed(state: TableState, event: ShoeCutClosed) -> TableState:
    state = _take_indexes(replace(state, last_closing=event.closing.digest))
    opened = OpenClosing(event.shoe, ClosingKind.SHOE, event.closing.digest, event.witnesses, event.closed_at)
    closed = None if state.next_shoe is None else replace(state.next_shoe, witnesses=event.witnesses)
    return replace(state, coming_shoe=closed, next_shoe=None, open_closings=(*state.open_closings, opened))


def _shoe_links_released(state: TableState, event: ShoeLinksReleased) -> TableState:
    state = _without_closing(state, event.shoe)
    coming = state.coming_shoe
    if coming is None or coming.shoe != event.shoe:  # table closed, or shoe discarded, before the witnesses answered
        return state
    return replace(state, coming_shoe=replace(coming, links=links_of(coming.witnesses, event.releases)))


def _witness_chain_opened(state: TableState, event: WitnessChainOpened) -> TableState:
    header = ChainHeader.parse(bytes.fromhex(event.header))
    chain = WitnessChain(header.chain.hex(), header.release_key.hex(), header.size)
    return _join_first_round(replace(state, chains=without_used_up((*state.chains, chain))), chain)


def _join_first_round(state: TableState, chain: WitnessChain) -> TableState:
    """Have a table's first round use a chain's first link: its own shoe is committed to before there are chains."""
    first = state.next_shoe
    if first is None or not state.awaits_first_terms() or chain.release_key in _keys_of(state, first.witnesses):
        return state
    used = replace(chain, next_index=1)
    witnesses = tuple(sorted((*first.witnesses, WitnessIndex(chain.chain, 0)), key=lambda each: each.chain))
    chains = tuple(used if each.chain == chain.chain else each for each in state.chains)
    return replace(state, chains=chains, next_shoe=replace(first, witnesses=witnesses))


def _keys_of(state: TableState, witnesses: tuple[WitnessIndex, ...]) -> set[str]:
    used = {each.chain for each in witnesses}
    return {each.release_key for each in state.chains if each.chain in used}


def _witness_chains_replaced(state: TableState, event: WitnessChainsReplaced) -> TableState:
    ended = {each.chain for each in event.ended}
    state = replace(state, replaced=(*state.replaced, *(each.chain for each in event.ended)))
    closings = (
        replace(each, is_late=each.is_late or state.follows_from_replaced(each.witnesses))
        for each in state.open_closings
    )
    first = state.next_shoe
    if first is not None and state.awaits_first_terms():
        first = replace(first, witnesses=tuple(each for each in first.witnesses if each.chain not in ended))
    return replace(
        state,
        next_shoe=first,
        chains=tuple(each for each in state.chains if each.chain not in ended),
        open_closings=tuple(closings),
        coming_shoe=state.coming_shoe if event.discarded is None else None,
    )


def _show_skip_requested(state: TableState, event: e.ShowSkipRequested) -> TableState:
    return replace(state, show_skips=(*state.show_skips, event.player))


def _show_ended(state: TableState, event: e.ShowEnded) -> TableState:
    return replace(state, betting_opens_at=None, show_skips=())


def _table_closure_announced(state: TableState, event: e.TableClosureAnnounced) -> TableState:
    closure = PendingClosure(event.by, event.reason, event.announced_at)
    return replace(state, pending_closure=closure, betting_opens_at=None, show_skips=())


def _table_closed(state: TableState, event: e.TableClosed) -> TableState:
    return replace(
        state,
        closed=True,
        shoe=None,
        next_shoe=None,
        coming_shoe=None,
        terms=None,
        betting_opens_at=None,
        show_skips=(),
    )


def _shoe_started(state: TableState, event: e.ShoeStarted) -> TableState:
    shoe = Shoe(
        links=() if state.coming_shoe is None else state.coming_shoe.links,
        shoe=event.shoe,
        number=event.number,
        commitment=event.commitment,
        cards_used=0 if event.turned_card is None else 1 + event.burned_count,
        cut=event.cut,
        root=event.root,
        cards=event.turned_card or "",
    )
    state = replace(state, shoe=shoe, shoes=event.number, marks="", next_shoe=None, coming_shoe=None)
    return _close(state, event.closing, ClosingKind.SHOE, event.started_at)


def _shoe_ended(state: TableState, event: e.ShoeEnded) -> TableState:
    return replace(state, shoe=None, seats=tuple(replace(seat, owed=0) for seat in state.seats))


def _round_opened(state: TableState, event: re.RoundOpened) -> TableState:
    return replace(
        state,
        round=event.round,
        rounds=event.number,
        coming_shoe=None,
        betting_opens_at=None,
        show_skips=(),
        round_opened_at=event.opened_at,
    )


def _wager_confirmed(state: TableState, event: re.WagerConfirmed) -> TableState:
    seats = tuple(
        replace(seat, last_wager=event.stakes, missed_turns=0) if seat.player == event.player else seat
        for seat in state.seats
    )
    return replace(state, seats=seats)


def _seat_acted(state: TableState, event: SeatAction) -> TableState:
    seat = state.seat_at(event.seat)
    return state if seat is None or not seat.missed_turns else _set_missed_turns(state, event.seat, 0)


def _seat_timed_out(state: TableState, event: re.SeatTimedOut) -> TableState:
    seat = state.seat_at(event.seat)
    return state if seat is None else _set_missed_turns(state, event.seat, seat.missed_turns + 1)


def _set_missed_turns(state: TableState, number: int, missed: int) -> TableState:
    return replace(
        state, seats=tuple(replace(seat, missed_turns=missed) if seat.seat == number else seat for seat in state.seats)
    )


def _betting_closed(state: TableState, event: re.BettingClosed) -> TableState:
    return _close(state, event.closing, ClosingKind.PLAYED, event.closed_at)


def _close(state: TableState, closing: Closing | None, kind: ClosingKind, now: datetime) -> TableState:
    if closing is None:
        return state
    state = replace(state, last_closing=closing.digest)
    if state.terms is None or state.round is None or not state.terms.terms.witnesses:
        return state
    witnesses = state.terms.terms.witnesses
    opened = OpenClosing(state.round, kind, closing.digest, witnesses, now, state.follows_from_replaced(witnesses))
    return replace(state, open_closings=(*state.open_closings, opened))


def _links_released(state: TableState, event: LinksReleased) -> TableState:
    return _without_closing(state, event.round)


def _without_closing(state: TableState, drawing: UUID) -> TableState:
    return replace(state, open_closings=tuple(each for each in state.open_closings if each.drawing != drawing))


def _cards_forced(state: TableState, _: CardsForced) -> TableState:
    return replace(state, forced=True)


def _cards_dealt(state: TableState, event: re.CardsDealt) -> TableState:
    pairs = find_pairs(event.cards)
    if event.next_terms is not None:
        state = _terms_fixed(state, event.next_terms)
    if state.shoe is None:
        return replace(state, pairs=pairs) if pairs else state
    shoe = _take_cards(state.shoe, state.rules, cards_used=event.shoe_position + len(event.cards))
    if not state.forced:
        shoe = replace(shoe, cards=" ".join((*shoe.cards.split(), *event.cards)))
    return replace(state, shoe=shoe, pairs=pairs)


def _take_cards(shoe: Shoe, rules: TableRules, *, cards_used: int) -> Shoe:
    """Return the shoe after a round took cards from it, or after a voided round's cards were burned."""
    before_cut = rules.decks * 52 - (rules.cut_cards_from_end or 0)
    out = cards_used > before_cut
    return replace(
        shoe, cards_used=cards_used, cut_card_out=out, finished=shoe.cut_card_out if rules.hands_after_cut else out
    )


def _round_settled(state: TableState, event: re.RoundSettled) -> TableState:
    owed = {wager.player: wager.commission for wager in event.wagers if wager.deferred}
    seats = tuple(replace(seat, owed=seat.owed + owed.get(seat.player, 0)) for seat in state.seats)
    marks = state.marks
    if not state.forced:
        mark = RoundMark(state.rounds, event.outcome, "p" in state.pairs, "b" in state.pairs, event.natural)
        marks = append_mark(marks, mark, max_marks=None if state.has_long_shoe() else MAX_RUN_LENGTH)
    shown = event.betting_opens_at > event.settled_at
    return replace(
        state,
        round=None,
        last_round=state.round,
        seats=seats,
        marks=marks,
        pairs="",
        forced=False,
        betting_opens_at=event.betting_opens_at if shown and state.pending_closure is None else None,
    )


def _round_lapsed(state: TableState, event: re.RoundLapsed) -> TableState:
    closed = _close(state, event.closing, ClosingKind.LAPSED, event.lapsed_at)
    cycle_ends = None if state.pending_closure is not None else state.cycle_ends_at()
    opens_at = cycle_ends if cycle_ends is not None and cycle_ends > event.lapsed_at else None
    return replace(closed, round=None, forced=False, betting_opens_at=opens_at)


def _round_voided(state: TableState, event: re.RoundVoided) -> TableState:
    """Remove a round in play from the table; for an earlier round, remove its mark and its commission still in the
    racks.
    """
    state = _close(replace(state, voids=state.voids + 1), event.closing, ClosingKind.VOID, event.voided_at)
    collected = {seat.player: seat.from_rack for seat in event.seats if seat.from_rack}
    if collected:
        seats = tuple(replace(seat, owed=seat.owed - collected.get(seat.player, 0)) for seat in state.seats)
        state = replace(state, seats=seats)
    if state.round == event.round:
        shoe = state.shoe
        if shoe is not None and event.burned_count:
            shoe = _take_cards(shoe, state.rules, cards_used=shoe.cards_used + event.burned_count)
        return replace(state, round=None, last_round=event.round, shoe=shoe, pairs="", forced=False)
    return replace(state, marks=remove_mark(state.marks, event.number))


def _play_stopped(state: TableState, event: PlayStopped) -> TableState:
    return replace(
        state, stops=(*state.stops, PlayStop(event.scope, event.subject, event.player_message, event.stopped_at))
    )


def _play_resumed(state: TableState, event: PlayResumed) -> TableState:
    switch = event.scope, event.subject
    return replace(state, stops=tuple(stop for stop in state.stops if (stop.scope, stop.subject) != switch))


def _rules_changed(state: TableState, event: e.VersionEvent) -> TableState:
    return replace(state, rules_lifecycle=evolve_rules(state.current_rules_lifecycle(), event))


def evolve_rules(rules: RulesLifecycle, event: e.VersionEvent) -> RulesLifecycle:
    """Apply one event to the rules in force, pending and drafted."""
    match event:
        case e.RulesDrafted():
            draft = RulesDraft(event.rules, event.return_floor, event.acknowledgement, event.reason, event.by)
            return replace(rules, latest_version=event.version, draft=draft)
        case e.RulesRejected():
            return replace(rules, draft=None)
        case e.RulesPublished():
            return replace(rules, draft=None, pending=PendingRules(event.rules, event.effective_from))
        case e.RulesTookEffect():
            return replace(rules, in_force=event.rules, pending=None, retired=False)
        case e.RulesRetired():
            return replace(rules, retired=True)


def _rules_took_effect(state: TableState, event: e.RulesTookEffect) -> TableState:
    """Put rules into effect as a round opens: with a new board, and without wagers that their chips might not make."""
    seats = tuple(replace(seat, last_wager=None) for seat in state.seats)
    return replace(_rules_changed(state, event), seats=seats, marks="", betting_opens_at=None, show_skips=())


_APPLY: Final[dict[type, Callable[[TableState, Any], TableState]]] = {
    e.RulesDrafted: _rules_changed,
    e.RulesRejected: _rules_changed,
    e.RulesPublished: _rules_changed,
    e.RulesTookEffect: _rules_took_effect,
    e.RulesRetired: _rules_changed,
    e.TableOpened: _table_opened,
    e.SeatTaken: _seat_taken,
    e.SeatChanged: _seat_changed,
    e.SeatLeft: _seat_left,
    e.SeatReleased: _seat_left,
    e.ShowSkipRequested: _show_skip_requested,
    e.ShowEnded: _show_ended,
    e.ShoeCommitted: _shoe_committed,
    e.ShoeCutContributed: _shoe_cut_contributed,
    ShoeCutClosed: _shoe_cut_closed,
    ShoeLinksReleased: _shoe_links_released,
    e.TermsFixed: _terms_fixed,
    WitnessChainOpened: _witness_chain_opened,
    WitnessChainsReplaced: _witness_chains_replaced,
    e.ShoeStarted: _shoe_started,
    e.ShoeEnded: _shoe_ended,
    PlayStopped: _play_stopped,
    PlayResumed: _play_resumed,
    e.TableClosureAnnounced: _table_closure_announced,
    e.TableClosed: _table_closed,
    re.RoundOpened: _round_opened,
    re.ChipsPlaced: _seat_acted,
    re.PlacementUndone: _seat_acted,
    re.ChipsCleared: _seat_acted,
    re.StakesRebet: _seat_acted,
    re.SeatPassed: _seat_acted,
    re.SeatTimedOut: _seat_timed_out,
    re.WagerConfirmed: _wager_confirmed,
    re.BettingClosed: _betting_closed,
    LinksReleased: _links_released,
    CardsForced: _cards_forced,
    re.CardsDealt: _cards_dealt,
    re.RoundSettled: _round_settled,
    re.RoundLapsed: _round_lapsed,
    re.RoundVoided: _round_voided,
}
