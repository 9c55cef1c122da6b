"""Replay a table's own events: seats, buy-ins and withdrawals, shoes."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from baccarat.audit import closings, kill_switches, rules_versions, shoes, witnesses
from baccarat.audit.report import FindingCollector
from baccarat.audit.shoes import NOT_OPENED, check_revealed_seed, check_shoe, parse_seed
from baccarat.audit.traces import OUT_OF_PLACE, CommittedShoe, LongShoe, SeatTrace, TableTrace
from baccarat.audit.witnesses import OTHER_CHAIN, follows_from_replaced
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.rules.cards import UnknownCard, points
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.validation import InvalidRules, validate
from baccarat.domain.rules.versions import SpotReturn
from baccarat.domain.tables import events as e
from baccarat.domain.tables.events import (
    ShoeCommitted,
    ShoeCutContributed,
    ShoeRevealed,
    TableClosed,
    TableClosureAnnounced,
)
from baccarat.domain.tables.kill_switch import PlayResumed, PlayStopped
from baccarat.domain.tables.state import PendingClosure
from baccarat.domain.tables.witness_events import (
    DiscardedShoe,
    ShoeCutClosed,
    ShoeLinksReleased,
    WitnessChainOpened,
    WitnessChainsReplaced,
)
from casino.kernel.money import MoneyType

OTHER_END: Final = "chain of a replaced witness ends elsewhere"


class TableSetup(NamedTuple):
    """The settings a table opens with that can be wrong by themselves."""

    recorded: RecordedRules
    money_types: tuple[MoneyType, ...]
    edge_accepted: tuple[str, ...]
    returns: tuple[SpotReturn, ...]
    floor: int
    acknowledgement: str


@functools.lru_cache(maxsize=256)
def find_setup_faults(terms: TableSetup) -> tuple[tuple[str, object, object], ...]:
    """Return what is wrong with a table's settings: (what, expected, found).

    Cached: many tables have the same settings, and decoded ones have exact types.
    """
    rules = terms.recorded.decoded
    try:
        validate(rules)
    except InvalidRules as wrong:
        return (("rules are not playable", wrong.detail, rules),)
    faults = list(rules_versions.find_digest_faults(terms.recorded))
    real = MoneyType.REAL in terms.money_types
    faults += rules_versions.find_version_faults(
        rules, terms.returns, floor=terms.floor, acknowledgement=terms.acknowledgement, real=real
    )
    spots = player_edge_spots(rules)
    if real and not set(spots) <= set(terms.edge_accepted):
        faults.append(("player's edge not accepted", spots, terms.edge_accepted))
    if MoneyType.PLAY in terms.money_types and not rules.play_money:
        faults.append(("play money not offered", "real money only", terms.money_types))
    return tuple(faults)


def replay_closure_announced(table: TableTrace, event: TableClosureAnnounced) -> None:
    """Record that a table's closure is announced; nothing new may start."""
    if table.closed or table.pending_closure is not None:
        table.record_difference(OUT_OF_PLACE, "a table that stays", "its end announced again")
    table.pending_closure = PendingClosure(event.by, event.reason, event.announced_at)
    table.clear_show()


def replay_table_closed(table: TableTrace, event: TableClosed) -> None:
    """Check that a closed table is empty, and that every secret seed was revealed."""
    secret = {shoe.shoe: shoe for shoe in (table.shoe, table.coming_shoe, table.next_shoe) if shoe is not None}
    if table.closed or table.seats or table.round is not None:
        table.record_difference(OUT_OF_PLACE, "an empty table", f"{len(table.seats)} seats taken")
    if [each.shoe for each in event.seeds] != list(secret):
        table.record_difference(
            "seed missing", ", ".join(map(str, secret)), ", ".join(str(each.shoe) for each in event.seeds)
        )
    for each in event.seeds:
        seed, shoe = parse_seed(each.seed), secret.get(each.shoe)
        if each.seed is not None and seed is None:
            table.record_difference("seed missing", "the shoe's seed", each.seed)
        elif seed is not None and shoe is not None:
            check_revealed_seed(table, shoe, seed)
    table.shoe = table.coming_shoe = table.next_shoe = table.terms = None
    table.closed = True
    table.clear_show()


def replay_table_opened(event: e.TableOpened, notes: FindingCollector) -> TableTrace:
    """Begin a table: its rules are playable, and a player's edge was acknowledged for real money."""
    table = TableTrace(event, notes, version=1)
    terms = TableSetup(
        event.rules, event.money_types, event.edge_accepted, event.returns, event.return_floor, event.acknowledgement
    )
    for what, expected, actual in find_setup_faults(terms):
        table.record_difference(what, expected, actual)
    shoes.replay_shoe_commitment(table, event.next_shoe, number=1, record_difference=table.record_difference)
    return table


def replay_seat_taken(table: TableTrace, event: e.SeatTaken) -> None:
    """Check that a player takes a free seat, at a table that is not stopped."""
    kill_switches.check_playing(table, "nobody sits down")
    _require_free(table, event.seat)
    if event.player in table.seats:
        table.record_difference(OUT_OF_PLACE, "a player without a seat", f"seat {table.seats[event.player].seat}")
    if event.money_type not in table.opened.money_types:
        table.record_difference("money_type not offered", table.opened.money_types, event.money_type)
    _require_positive(table, event.buy_in, least=0)
    table.seats[event.player] = SeatTrace(event.seat, event.player, event.money_type, event.buy_in)


def replay_seat_changed(table: TableTrace, event: e.SeatChanged) -> None:
    """Check that a player moves to a free seat, with no wager in play."""
    table_seat = _table_seat(table, event)
    if table_seat is None:
        return
    if table_seat.seat != event.from_seat:
        table.record_difference("seat differs", table_seat.seat, event.from_seat)
    _require_free(table, event.to_seat)
    _require_no_wager(table, table_seat)
    table_seat.seat = event.to_seat


def replay_rebought(table: TableTrace, event: e.Rebought) -> None:
    """Check a rebuy, made while the player has no wager in play."""
    table_seat = _table_seat(table, event)
    if table_seat is None:
        return
    _require_same(table, table_seat, event)
    _require_no_wager(table, table_seat)
    _require_positive(table, event.amount, least=1)
    table_seat.balance += event.amount


def replay_seat_left(table: TableTrace, event: e.SeatLeft | e.SeatReleased) -> None:
    """Check that a player leaves with the whole game balance and an empty rack."""
    table_seat = _table_seat(table, event)
    if table_seat is None:
        return
    _require_same(table, table_seat, event)
    _require_no_wager(table, table_seat)
    if event.returned != table_seat.balance:
        table.record_difference("returned balance differs", table_seat.balance, event.returned)
    if event.commission_collected != table_seat.owed:
        table.record_difference("collected commission differs", table_seat.owed, event.commission_collected)
    del table.seats[event.player]


def replay_seat_freed(table: TableTrace, event: e.SeatReleased) -> None:
    """Check a released seat: money as when its player leaves, and a valid reason."""
    table_seat, kept = table.seats.get(event.player), table.rules.seat_kept_rounds
    if table_seat is not None and event.missed != table_seat.missed_turns:
        table.record_difference("missed turns differ", table_seat.missed_turns, event.missed)
    if event.reason is e.SeatReleaseReason.MISSED_ROUNDS and (kept is None or event.missed < kept):
        table.record_difference("seat freed early", f"after {kept} missed turns", event.missed)
    if event.reason is e.SeatReleaseReason.TABLE_CLOSED and table.pending_closure is None:
        table.record_difference("seat freed early", "a table that is to be closed", "one that stays")
    if event.last_seen_at > event.released_at:
        table.record_difference("times out of order", f"up to {event.released_at}", event.last_seen_at)
    replay_seat_left(table, event)


def replay_show_skip_requested(table: TableTrace, event: e.ShowSkipRequested) -> None:
    """Check a request to skip the show: by a seated player, once, while the deal is shown."""
    table_seat, until = table.seats.get(event.player), table.betting_opens_at
    if table_seat is None or table_seat.seat != event.seat or event.player in table.show_skips:
        table.record_difference(OUT_OF_PLACE, f"seat {event.seat} watches the show", event.player)
    if until is None or event.requested_at >= until or not table.rules.may_hurry:
        table.record_difference(OUT_OF_PLACE, "the show of a deal", f"shown until {until}")
    table.show_skips.append(event.player)


def replay_show_ended(table: TableTrace, event: e.ShowEnded) -> None:
    """Check the end of a show after which no round opened."""
    if table.betting_opens_at is None:
        table.record_difference(OUT_OF_PLACE, "the show of a deal", "none")
    table.end_show(event.ended_at)


def replay_shoe_started(table: TableTrace, event: e.ShoeStarted) -> None:
    """Check a new long shoe: number, commitment, turned card and burned cards."""
    if table.shoe is not None or not table.has_long_shoe:
        table.record_difference(OUT_OF_PLACE, "a shoe table without a shoe", f"shoe {event.shoe}")
    if event.number != table.shoes + 1:
        table.record_difference("shoe number differs", table.shoes + 1, event.number)
    if event.first_round != table.rounds + 1:
        table.record_difference("round number differs", table.rounds + 1, event.first_round)
    closings.check_shoe_closing(table, event)
    links = () if table.coming_shoe is None else table.coming_shoe.links
    shoes.check_shoe_started(table, event)
    burned = _burned(table, event)
    if event.burned_count != burned or (event.turned_card is None) is table.rules.burn:
        table.record_difference("burned cards differ", burned, f"{event.burned_count} after {event.turned_card}")
    out = 0 if event.turned_card is None else 1 + event.burned_count
    table.shoe = LongShoe(
        event.shoe,
        event.number,
        event.commitment,
        out,
        event.turned_card,
        event.cut,
        event.root,
        links=links,
    )
    table.shoes = event.number
    table.marks.clear()


def _burned(table: TableTrace, event: e.ShoeStarted) -> int:
    """Return the number of burned cards: the turned card's points, ten for a ten or court card (rules, section 2)."""
    if event.turned_card is None:
        return 0
    try:
        return points(event.turned_card) or 10
    except UnknownCard as unknown:
        table.record_difference("not a card", unknown, event.turned_card)
        return event.burned_count


def replay_shoe_ended(table: TableTrace, event: e.ShoeEnded) -> None:
    """Check the end of a long shoe: after the cut card, seed revealed, every rack emptied once."""
    shoe, owed = (
        table.shoe,
        [(table_seat.player, table_seat.owed) for table_seat in table.list_seats() if table_seat.owed],
    )
    collected = [(each.player, each.amount) for each in event.collected]
    if collected != owed:
        table.record_difference("collected commission differs", _owed(owed), _owed(collected))
    for table_seat in table.seats.values():
        table_seat.owed = 0
    if shoe is None or shoe.shoe != event.shoe:
        table.record_difference(OUT_OF_PLACE, "the shoe in play", event.shoe)
        return
    if not shoe.finished:
        table.record_difference("shoe ended early", "the cut card and one more round", f"{shoe.cards_used} cards out")
    if event.cards_dealt != shoe.cards_used:
        table.record_difference("cards out of the shoe differ", shoe.cards_used, event.cards_dealt)
    seed = parse_seed(event.seed)
    if seed is None:
        table.record_difference("seed missing", "the shoe's seed", event.seed)
    else:
        check_shoe(table, shoe, seed)
    table.shoe = None


def replay_shoe_revealed(table: TableTrace, event: ShoeRevealed) -> None:
    """Check a late reveal: of a void round's shoe that was not revealed with it, with a matching seed."""
    opened, seed = table.unrevealed.pop(event.shoe, None), parse_seed(event.seed)
    if opened is None:
        table.record_difference(OUT_OF_PLACE, "a shoe that was not revealed", event.shoe)
    elif seed is None or not table.drawing(opened.shoe, opened.number).opens(opened.commitment, seed):
        table.record_difference(NOT_OPENED, opened.commitment, event.seed)


def replay_chains_replaced(table: TableTrace, event: WitnessChainsReplaced) -> None:
    """Check that all chains of one witness end where the table is. What follows from them can only be void then."""
    keys = {table.headers[each.chain].release_key.hex() for each in event.ended if each.chain in table.headers}
    due = [(each.chain, each.next_index) for each in table.chains.values() if each.release_key in keys]
    if len(keys) != 1 or due != [(each.chain, each.index) for each in event.ended]:
        table.record_difference(OTHER_END, due or "the chains of a witness", event.ended)
    if table.closed or event.successor in table.headers:
        table.record_difference(OTHER_CHAIN, "a new chain of an open table", event.successor)
    for ended in event.ended:
        table.replaced[ended.chain] = event.successor
        table.chains.pop(ended.chain, None)
    if table.awaits_first_terms() and table.next_shoe is not None:
        table.next_shoe.witnesses = tuple(each for each in table.next_shoe.witnesses if each.chain in table.chains)
    table.open_closings[:] = [
        replace(each, is_late=each.is_late or follows_from_replaced(table, each.witnesses))
        for each in table.open_closings
    ]
    _discard(table, event.discarded)


def _discard(table: TableTrace, discarded: DiscardedShoe | None) -> None:
    """Check that exactly the long shoe that waits for links of the ended chains is discarded, with its seed."""
    lost = _waiting_shoe(table)
    if (discarded and discarded.shoe) != (lost and lost.shoe):
        table.record_difference(OTHER_CHAIN, lost and lost.shoe, discarded)
    if lost is None:
        return
    table.coming_shoe = None
    seed = parse_seed(None if discarded is None else discarded.seed)
    if seed is not None and not table.drawing(lost.shoe, lost.number).opens(lost.commitment, seed):
        table.record_difference(NOT_OPENED, lost.commitment, discarded)


def _waiting_shoe(table: TableTrace) -> CommittedShoe | None:
    coming = table.coming_shoe
    if coming is None or not table.has_long_shoe or coming.links:
        return None
    return coming if follows_from_replaced(table, coming.witnesses) else None


def _owed(amounts: list[tuple[Any, int]]) -> str:
    return ", ".join(f"{player} {amount}" for player, amount in amounts) or "nothing"


def _table_seat(table: TableTrace, event: e.SeatChanged | e.Rebought | e.SeatLeft | e.SeatReleased) -> SeatTrace | None:
    table_seat = table.seats.get(event.player)
    if table_seat is None:
        table.record_difference(OUT_OF_PLACE, f"player {event.player} seated", "no seat")
    return table_seat


def _require_free(table: TableTrace, seat: int) -> None:
    if not 1 <= seat <= table.rules.seats:
        table.record_difference("unknown seat", f"1 to {table.rules.seats}", seat)
    if any(table_seat.seat == seat for table_seat in table.seats.values()):
        table.record_difference("seat taken twice", "a free seat", seat)


def _require_same(table: TableTrace, table_seat: SeatTrace, event: e.Rebought | e.SeatLeft | e.SeatReleased) -> None:
    if (table_seat.seat, table_seat.money_type) != (event.seat, event.money_type):
        table.record_difference(
            "seat differs", f"{table_seat.seat} {table_seat.money_type}", f"{event.seat} {event.money_type}"
        )


def _require_no_wager(table: TableTrace, table_seat: SeatTrace) -> None:
    part = None if table.round is None else table.round.seats.get(table_seat.seat)
    if part is not None and part.player == table_seat.player and part.status is SeatStatus.CONFIRMED:
        table.record_difference(OUT_OF_PLACE, "no wager in play", f"seat {table_seat.seat} has one")


def _require_positive(table: TableTrace, amount: int, *, least: int) -> None:
    if amount < least:
        table.record_difference("amount out of range", f"{least} or more", amount)


STEPS: Final[dict[type, Callable[[TableTrace, Any], None]]] = {
    e.SeatTaken: replay_seat_taken,
    e.SeatChanged: replay_seat_changed,
    e.Rebought: replay_rebought,
    e.SeatLeft: replay_seat_left,
    e.SeatReleased: replay_seat_freed,
    e.ShowSkipRequested: replay_show_skip_requested,
    e.ShowEnded: replay_show_ended,
    ShoeCommitted: shoes.replay_shoe_committed,
    ShoeCutContributed: shoes.replay_shoe_cut_contribution,
    ShoeCutClosed: closings.replay_shoe_cut_closed,
    ShoeLinksReleased: witnesses.replay_shoe_links,
    e.TermsFixed: shoes.replay_terms_fixed,
    WitnessChainOpened: witnesses.replay_chain_opened,
    WitnessChainsReplaced: replay_chains_replaced,
    e.ShoeStarted: replay_shoe_started,
    e.ShoeEnded: replay_shoe_ended,
    PlayStopped: kill_switches.replay_play_stopped,
    PlayResumed: kill_switches.replay_play_resumed,
    ShoeRevealed: replay_shoe_revealed,
    TableClosureAnnounced: replay_closure_announced,
    TableClosed: replay_table_closed,
    **rules_versions.STEPS,
}
