"""Replay what witnesses do at a table: their chains, and each link with the statement that gave it out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.audit.traces import OUT_OF_PLACE, RoundTrace, TableTrace
from baccarat.domain.fairness.links import (
    LinksReleased,
    SignedRelease,
    WitnessChain,
    check_header,
    check_release,
    links_of,
)
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.tables.state import OpenClosing
from baccarat.domain.tables.witness_events import ShoeLinksReleased, WitnessChainOpened
from casino.witness.statements import InvalidStatement

OTHER_CHAIN: Final = "witness's chain differs"
OTHER_STATEMENT: Final = "witness's statement differs"
NO_LINKS: Final = "cards without the witnesses' links"
CLOCKS_APART: Final = timedelta(seconds=1)
"""By how much a statement may be dated before the closing that it is for, as in every verifier."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def replay_chain_opened(table: TableTrace, event: WitnessChainOpened) -> None:
    """Check a chain's header: both signatures, for this table, with the number after those of the chains before."""
    try:
        header = check_header(event.header, event.signature, event.house_signature)
    except InvalidStatement as invalid:
        table.record_difference(OTHER_CHAIN, "a header signed by witness and house", invalid)
        return
    if header.table != table.opened.table or header.number != len(table.headers) + 1 or table.closed:
        expected = f"chain {len(table.headers) + 1} of table {table.opened.table}"
        table.record_difference(OTHER_CHAIN, expected, f"chain {header.number} of table {header.table}")
    chain, key = header.chain.hex(), header.release_key.hex()
    due = [each for each in table.replaced.values() if each not in table.headers]
    if due and set(due) != {chain}:
        table.record_difference(OTHER_CHAIN, due, chain)
    table.headers[chain] = header
    for used_up in [each for each in table.chains.values() if each.release_key == key and _is_used_up(each)]:
        del table.chains[used_up.chain]
    first, before = table.next_shoe, {table.headers[each.chain].release_key.hex() for each in _first_links(table)}
    joins = first is not None and table.awaits_first_terms() and key not in before
    table.chains[chain] = WitnessChain(chain, key, header.size, next_index=int(joins))
    if first is not None and joins:
        first.witnesses = tuple(sorted((*first.witnesses, WitnessIndex(chain, 0)), key=lambda each: each.chain))


def _first_links(table: TableTrace) -> tuple[WitnessIndex, ...]:
    """Return the links that the shoe committed to uses so far."""
    return () if table.next_shoe is None else table.next_shoe.witnesses


def follows_from_replaced(table: TableTrace, witnesses: Sequence[WitnessIndex]) -> bool:
    """Return whether any of these links is of a chain that is not used any more."""
    return any(each.chain in table.replaced for each in witnesses)


def take_indexes(table: TableTrace) -> tuple[WitnessIndex, ...]:
    """Return the links for a new commitment, one of each witness, from its oldest chain; they count as taken.

    A chain that is used up stays until its witness has another.
    """
    taken: dict[str, WitnessChain] = {}
    for chain in table.chains.values():
        if not _is_used_up(chain):
            taken.setdefault(chain.release_key, chain)
    for chain in taken.values():
        used = table.chains[chain.chain] = replace(chain, next_index=chain.next_index + 1)
        others = (each for each in table.chains.values() if each.release_key == chain.release_key)
        if _is_used_up(used) and any(not _is_used_up(each) for each in others):
            del table.chains[chain.chain]
    return tuple(WitnessIndex(*each) for each in sorted((chain.chain, chain.next_index) for chain in taken.values()))


def _is_used_up(chain: WitnessChain) -> bool:
    return chain.next_index >= chain.size


def replay_links_released(round_: RoundTrace, event: LinksReleased) -> None:
    """Check the links of a round that runs, and keep them for its cards."""
    record_links(round_.table, event.round, event.releases)
    if round_.releases or round_.cards:
        round_.record_difference(OUT_OF_PLACE, "links once, before the cards", event.round)
    round_.releases = event.releases


def replay_shoe_links(table: TableTrace, event: ShoeLinksReleased) -> None:
    """Check the links of a long shoe whose cut is closed, and keep them for its order."""
    shoe = table.coming_shoe
    if record_links(table, event.shoe, event.releases) and shoe is not None and shoe.shoe == event.shoe:
        shoe.links = links_of(shoe.witnesses, event.releases)


def record_links(table: TableTrace, drawing: UUID, releases: tuple[SignedRelease, ...]) -> bool:
    """Check each statement against its chain and the closing of its drawing, in the order of the table's closings.

    Those that wait for a replaced witness are overtaken. Returns whether there is one of each witness.
    """
    due = next((each for each in table.open_closings if not each.is_late or each.drawing == drawing), None)
    if due is None or due.drawing != drawing:
        table.record_difference(OUT_OF_PLACE, due or "no links", drawing)
    opened = next((each for each in table.open_closings if each.drawing == drawing), None)
    if opened is None:
        return False
    if [each.chain for each in releases] != [each.chain for each in opened.witnesses]:
        table.open_closings.remove(opened)
        table.record_difference(OTHER_STATEMENT, opened.witnesses, [each.chain for each in releases])
        return False
    for release, place in zip(releases, opened.witnesses, strict=True):
        _check(table, opened, release, place)
    table.open_closings.remove(opened)
    return True


def _check(table: TableTrace, opened: OpenClosing, release: SignedRelease, place: WitnessIndex) -> None:
    header, due = table.headers.get(place.chain), table.links_given.get(place.chain, 0)
    late = {each for closing in table.open_closings if closing.is_late for each in closing.witnesses}
    while not opened.is_late and WitnessIndex(place.chain, due) in late:
        due += 1
    if header is None or (place.index != due and not opened.is_late):
        table.record_difference(OTHER_CHAIN, header and f"index {due}", place)
        return
    table.links_given[place.chain] = max(due, place.index + 1)
    try:
        check_release(header, release, index=place.index, kind=opened.kind, digest=opened.digest)
    except InvalidStatement as invalid:
        table.record_difference(OTHER_STATEMENT, f"the statement for {opened.digest}", invalid)
    if timedelta(milliseconds=release.time_ms) < opened.closed_at - _EPOCH - CLOCKS_APART:
        table.record_difference(OTHER_STATEMENT, f"one dated after {opened.closed_at}", f"{release.time_ms} ms")
