"""Check of an exported round's witnesses: that none was left out or swapped unseen, and of what each of them signed."""

from collections.abc import Mapping
from hashlib import sha256

from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.proofs import checks_witnesses
from baccarat.proofs.checks_shoe import taking_event
from baccarat.proofs.checks_witnesses import CHAIN_OPENED, links_of_drawings, opened_chains
from baccarat.proofs.document import ExportedEvent, RoundExport, decode_event
from baccarat.proofs.results import Mismatch, require_equal
from casino.witness.statements import ChainHeader


def check_witnesses(exported: RoundExport, *, trusted: frozenset[str]) -> str:
    """Check the links that were given out for this round and its shoe, and that they are those of all its witnesses."""
    if links_of_drawings(exported):
        _check_in_use(exported)
    return checks_witnesses.check_witnesses(exported, trusted=trusted)


def _check_in_use(exported: RoundExport) -> None:
    """Check that no witness was left out or swapped unseen: of each in use one link, and of an ended chain none."""
    headers, opened = opened_chains(exported), _openings(exported)
    ended = _check_replacements(exported, headers, opened)
    for witnesses, taken in _takings(exported):
        in_use = {
            headers[chain].release_key.hex()
            for chain, event in opened.items()
            if event.position < taken.position and (chain not in ended or ended[chain][1] > taken.position)
        }
        keys = [headers[each.chain].release_key.hex() for each in witnesses if each.chain in headers]
        require_equal(sorted(in_use), sorted(keys), "the links are not those of the table's witnesses")
        for each in witnesses:
            if each.chain in ended and each.index >= ended[each.chain][0]:
                raise Mismatch("a link is used after its chain has ended", f"below {ended[each.chain][0]}", each.index)
    is_ended = any(each.chain in ended for each in exported.opened.witnesses)
    if is_ended and exported.find_event("BettingClosed") is not None:
        raise Mismatch("a round was played after its witness was replaced", "a void", "BettingClosed")


def _takings(exported: RoundExport) -> list[tuple[tuple[WitnessIndex, ...], ExportedEvent]]:
    """Return the links of the long shoe, if there is one, and of the round, with the events that took them."""
    closed = exported.find_shoe_event("ShoeCutClosed") if exported.is_long else None
    of_round = exported.opened.witnesses, taking_event(exported)
    return [of_round] if closed is None else [(exported.shoe_witnesses, closed), of_round]


def _openings(exported: RoundExport) -> dict[str, ExportedEvent]:
    """Return the events that opened chains, by chain."""
    opened = (event for event in exported.chain_events if event.type == CHAIN_OPENED)
    return {sha256(bytes.fromhex(decode_event(event).header)).hexdigest(): event for event in opened}


def _check_replacements(
    exported: RoundExport, headers: Mapping[str, ChainHeader], opened: Mapping[str, ExportedEvent]
) -> dict[str, tuple[int, int]]:
    """Return where chains ended before the round: their first unused index, and the position of the event."""
    ended: dict[str, tuple[int, int]] = {}
    for event in exported.chain_events:
        if event.type == CHAIN_OPENED:
            continue
        replaced = decode_event(event)
        follows = [chain for chain, each in opened.items() if each.version == event.version + 1]
        require_equal([replaced.successor], follows, "a witness was replaced without its successor")
        before = {chain for chain, each in opened.items() if each.position < event.position} - ended.keys()
        lost = {each.chain for each in replaced.ended}
        if not lost <= before or len({headers[chain].release_key for chain in lost}) != 1:
            raise Mismatch("other chains ended than those of one witness", sorted(before), sorted(lost))
        ended |= {each.chain: (each.index, event.position) for each in replaced.ended}
    return ended
