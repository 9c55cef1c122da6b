"""What witnesses give out for a drawing: links with their signed statements, and the chains that these are on.

A statement is stored without what the closing and the terms say; `statement_of` puts it together as it was signed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import WitnessIndex
from casino.crypto import ed25519
from casino.witness.statements import ChainHeader, ClosingKind, InvalidStatement, Release, verify_release

HASH_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class SignedRelease:
    """A witness's statement that gives out its link, with its signature and the link's path in the chain's tree.

    All in hex; `path` are the hashes one after the other. `number` and `previous` place it among its statements.
    """

    chain: str
    link: str
    time_ms: int
    number: int
    previous: str
    signature: str
    path: str


@dataclass(frozen=True, slots=True)
class LinksReleased:
    """A round's witnesses gave out their links against its closing, also if it lapsed or was voided: its event."""

    round: UUID
    releases: tuple[SignedRelease, ...]


@dataclass(frozen=True, slots=True)
class LogHead:
    """Size and Merkle root, in hex, of the log as witnesses have cosigned it last."""

    size: int
    root: str


@dataclass(frozen=True, slots=True)
class WitnessChain:
    """A chain of links of one witness for one table. `next_index` is that of the link for the next commitment."""

    chain: str
    release_key: str
    size: int
    next_index: int = 0


def statement_of(release: SignedRelease, *, index: int, kind: ClosingKind, digest: str) -> bytes:
    """Return the bytes that the witness signed. Raises ValueError."""
    return Release(
        chain=bytes.fromhex(release.chain),
        index=index,
        kind=kind,
        digest=bytes.fromhex(digest),
        link=bytes.fromhex(release.link),
        time_ms=release.time_ms,
        number=release.number,
        previous=bytes.fromhex(release.previous),
    ).serialize()


def check_release(header: ChainHeader, release: SignedRelease, *, index: int, kind: ClosingKind, digest: str) -> None:
    """Check that the chain's witness gave out its link at this index for this closing. Raises InvalidStatement."""
    try:
        data = statement_of(release, index=index, kind=kind, digest=digest)
        signature, raw = bytes.fromhex(release.signature), bytes.fromhex(release.path)
    except ValueError as error:
        raise InvalidStatement(str(error)) from error
    path = [raw[at : at + HASH_BYTES] for at in range(0, len(raw), HASH_BYTES)]
    if len(raw) % HASH_BYTES:
        raise InvalidStatement("The path is cut off.")
    verify_release(header, data, signature, path)


def check_header(header: str, signature: str, house_signature: str) -> ChainHeader:
    """Return a chain's header that its witness and its house signed, in hex. Raises InvalidStatement."""
    try:
        data, signed, by_house = (bytes.fromhex(each) for each in (header, signature, house_signature))
    except ValueError as error:
        raise InvalidStatement(str(error)) from error
    parsed = ChainHeader.parse(data)
    if not ed25519.is_signed(data, signed, public=parsed.release_key):
        raise InvalidStatement("The chain's header is not signed by its witness.")
    if not ed25519.is_signed(data, by_house, public=parsed.closing_key):
        raise InvalidStatement("The chain's header is not signed by its house.")
    return parsed


def next_indexes(chains: Sequence[WitnessChain]) -> tuple[WitnessIndex, ...]:
    """Return the indexes for the next commitment: of each witness's oldest chain with a link left, by chain."""
    first: dict[str, WitnessChain] = {}
    for chain in chains:
        if chain.next_index < chain.size:
            first.setdefault(chain.release_key, chain)
    return tuple(sorted((WitnessIndex(each.chain, each.next_index) for each in first.values()), key=_by_chain))


def without_used_up(chains: Sequence[WitnessChain]) -> tuple[WitnessChain, ...]:
    """Return the chains without those used up, but for a witness's last one: the table waits for its successor then."""
    goes_on = {chain.release_key for chain in chains if chain.next_index < chain.size}
    return tuple(chain for chain in chains if chain.next_index < chain.size or chain.release_key not in goes_on)


def _by_chain(each: WitnessIndex) -> str:
    return each.chain


def links_of(witnesses: Sequence[WitnessIndex], releases: Sequence[SignedRelease]) -> tuple[Link, ...]:
    """Return the links of a drawing. Raises KeyError if a witness has given out none."""
    given = {each.chain: each.link for each in releases}
    return tuple(Link(each.chain, each.index, given[each.chain]) for each in witnesses)
