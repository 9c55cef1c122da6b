"""Checks of an exported round's witnesses: their chains, their statements, and the links that its cards follow from."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

import msgspec

from baccarat.domain.fairness.links import SignedRelease, check_header, check_release, links_of, statement_of
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.proofs import verifier
from baccarat.proofs.checks_closing import closing_event
from baccarat.proofs.document import ExportedEvent, RoundExport, decode_event
from baccarat.proofs.results import CheckNotApplicable, CheckNotPossible, Mismatch, require_equal
from casino.witness.statements import ChainHeader, ClosingKind, InvalidStatement

CHAIN_OPENED: Final = "WitnessChainOpened"


@dataclass(frozen=True, slots=True)
class ReleasedLinks:
    """The links of a drawing: its closing, which comes first, the event that has the links, and what follows them."""

    witnesses: tuple[WitnessIndex, ...]
    closing: ExportedEvent | None
    kind: ClosingKind
    released: ExportedEvent
    before: ExportedEvent | None

    def releases(self) -> tuple[SignedRelease, ...]:
        """Return the statements, one of each witness. Raises Mismatch if one is missing."""
        releases: tuple[SignedRelease, ...] = decode_event(self.released).releases
        wanted, given = [each.chain for each in self.witnesses], [each.chain for each in releases]
        require_equal(wanted, given, "a link is missing")
        return releases


def links_of_shoe(exported: RoundExport) -> tuple[Link, ...]:
    """Return the links that the shoe follows from, none at a table without witnesses. Raises Mismatch if missing."""
    if not exported.is_long:
        return links_of_round(exported)
    given = _given_for_shoe(exported) if exported.shoe_witnesses else None
    return () if given is None else links_of(given.witnesses, given.releases())


def links_of_round(exported: RoundExport) -> tuple[Link, ...]:
    """Return the round's links, none at a table without witnesses. Raises Mismatch if missing."""
    given = _given_for_round(exported) if exported.opened.witnesses else None
    return () if given is None else links_of(given.witnesses, given.releases())


def links_of_drawings(exported: RoundExport) -> list[ReleasedLinks]:
    """Return the links that were given out: for the long shoe, and for the round. Raises Mismatch if any are missing.

    A round that was voided may wait for its own.
    """
    of_shoe = exported.is_long and bool(exported.shoe_witnesses)
    drawings = [_given_for_shoe(exported)] if of_shoe else []
    waits = exported.find_event("LinksReleased") is None and exported.find_event("CardsDealt") is None
    return [*drawings, _given_for_round(exported)] if exported.opened.witnesses and not waits else drawings


def _given_for_round(exported: RoundExport) -> ReleasedLinks:
    released, (closing, kind) = exported.require_event("LinksReleased"), closing_event(exported)
    return ReleasedLinks(exported.opened.witnesses, closing, kind, released, exported.find_event("CardsDealt"))


def _given_for_shoe(exported: RoundExport) -> ReleasedLinks:
    released = exported.find_shoe_event("ShoeLinksReleased")
    if released is None:
        raise Mismatch("an event is missing", "ShoeLinksReleased", [each.type for each in exported.table_events])
    closing, started = exported.find_shoe_event("ShoeCutClosed"), exported.find_shoe_event("ShoeStarted")
    return ReleasedLinks(exported.shoe_witnesses, closing, ClosingKind.SHOE, released, started)


def check_witnesses(exported: RoundExport, *, trusted: frozenset[str]) -> str:
    """Check that each witness gave out its links for the closings of this round and its shoe, on chains of the table.

    A round of a long shoe uses links, too, which pin its wagers.
    """
    of_shoe = exported.is_long and bool(exported.shoe_witnesses)
    given_out = exported.find_event("LinksReleased")
    if given_out is not None:
        require_equal(
            str(decode_event(given_out).round), exported.round["id"], "links were given out for another round"
        )
        if not exported.opened.witnesses:
            raise Mismatch("links were given out that no witness was named for", "none", given_out.data)
    if not exported.opened.witnesses and not of_shoe:
        verifier.require_witnesses(exported.proof, [[]])
        raise CheckNotApplicable("the table has no witness: nobody but the house held back the cards")
    drawings = links_of_drawings(exported)
    if not drawings:
        raise CheckNotApplicable("no card was dealt, and the witnesses have not answered yet")
    headers, signers, listed, statements = opened_chains(exported), [], [], []
    for given in drawings:
        statements += _check_given(given, headers, exported)
        signers.append([headers[place.chain].release_key.hex() for place in given.witnesses])
        listed += [f"{place.chain} at {place.index}" for place in given.witnesses]
    rest, links = verifier.check_numbers(statements), ", ".join(listed)
    every = dict.fromkeys(chain.from_iterable(signers))
    if not trusted.issuperset(every):
        raise CheckNotPossible(f"the links of {links} are signed by keys that you do not trust: {', '.join(every)}")
    is_whole = exported.opened.witnesses and exported.shoe_witnesses
    verifier.require_witnesses(exported.proof, [*signers, *([] if is_whole else [[]])])
    return f"the closing, before the links of {links}, signed by keys {', '.join(every)}{verifier.unchecked(rest)}"


def _check_given(
    given: ReleasedLinks, headers: Mapping[str, ChainHeader], exported: RoundExport
) -> list[verifier.Statement]:
    """Check each link of a drawing, and that they came after its closing and before its cards; return what was signed.

    No link came before a wager by the clock of its witness.
    """
    releases, statements = given.releases(), list[verifier.Statement]()
    if given.closing is None or given.closing.data is None:
        raise CheckNotPossible("the closing is withheld from this reader")
    positions = [each.position for each in (given.closing, given.released, given.before) if each is not None]
    if positions != sorted(positions):
        raise Mismatch("the links were not given out between closing and cards", sorted(positions), positions)
    digest = decode_event(given.closing).closing.digest
    for place, release in zip(given.witnesses, releases, strict=True):
        header = headers.get(place.chain)
        if header is None:
            raise Mismatch("no earlier event opens the chain of a witness", place.chain, sorted(headers))
        try:
            check_release(header, release, index=place.index, kind=given.kind, digest=digest)
        except InvalidStatement as error:
            raise Mismatch(str(error), digest, release.signature) from error
        told, data = msgspec.to_builtins(release), given.closing.data
        closed_at = data.get("closed_at") or data["voided_at"]
        verifier.require_late_link(told, (closed_at, *verifier.bets(exported.proof, given.kind)))
        signed = statement_of(release, index=place.index, kind=given.kind, digest=digest)
        of_chain = (header.height, header.root, header.release_key, header.origin, header.generation)
        statements.append((of_chain, told, signed))
    return statements


def opened_chains(exported: RoundExport) -> dict[str, ChainHeader]:
    """Return the chains opened for the table before the round, by id: all, from number 1 on. Raises Mismatch."""
    headers: dict[str, ChainHeader] = {}
    for event in exported.chain_events:
        if event.type != CHAIN_OPENED:
            continue
        opened = decode_event(event)
        try:
            header = check_header(opened.header, opened.signature, opened.house_signature)
        except InvalidStatement as error:
            raise Mismatch(str(error), "a signed header", opened.header) from error
        require_equal(exported.opened.table, header.table, "a witness's chain is another table's")
        headers[header.chain.hex()] = header
        require_equal(len(headers), header.number, "a witness's chain of the table is missing")
    return headers
