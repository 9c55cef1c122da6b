"""The bytes that a house and its witnesses sign, and the tree of links of a chain. Pure: no clock, no key, no chance.

Integers are big-endian, B(x) is a u64 length and the bytes, a table is the 16 bytes of its UUID, a tag ends in a zero
byte, a hash is SHA-256, a signature Ed25519 over the bytes that `serialize` returns. Who verifies what:

- The **witness** verifies that the closing key of the chain's header signed a request, and that the index is the
  chain's next. It cannot verify a closing digest: it sees digests and ids of tables only.
- The **house** verifies a header and each release before it uses them (`verify_header`, `verify_release`), under a
  release key from its configuration, never from the answer.
- **Everybody** else does the same with keys from outside, and that the digest is the hash of a closing's preimage.
"""

import hmac
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final, TypeVar
from uuid import UUID

from casino.crypto import ed25519
from casino.kernel import merkle

MIN_HEIGHT: Final = 8
MAX_HEIGHT: Final = 20
DEFAULT_HEIGHT: Final = 16
NO_STATEMENT: Final = bytes(32)
"""Stands in a statement for the hash of the one before, where there is none."""
MAX_ORIGIN_BYTES: Final = 255
_LINK_TAG: Final = b"casino.witness.link.v1\x00"
_LEAF_TAG: Final = b"casino.witness.leaf.v1\x00"
_HEADER_TAG: Final = b"casino.witness.chain.v1\x00"
_CREATION_TAG: Final = b"casino.witness.creation.v1\x00"
_CLOSING_TAG: Final = b"casino.witness.closing.v1\x00"
_RELEASE_TAG: Final = b"casino.witness.release.v1\x00"
_RETIRE_TAG: Final = b"casino.witness.retire.v1\x00"
_RETIREMENT_TAG: Final = b"casino.witness.retirement.v1\x00"
_Kind = TypeVar("_Kind", bound=IntEnum)


class InvalidStatement(ValueError):
    """Bytes that are not the statement they should be, or are not signed by the key that should have; says which."""


class ClosingKind(IntEnum):
    """What a drawing's closing closes."""

    PLAYED = 1
    VOID = 2
    LAPSED = 3
    SHOE = 4


class RetirementReason(IntEnum):
    """Why a chain gives out no more links before its last index."""

    HOUSE = 1
    RESTORED = 2


@dataclass(frozen=True, slots=True, order=True)
class ChainIndex:
    """A link that a drawing uses, before it is known: the chain's id and the index on it."""

    chain: bytes
    index: int


def serialize_indexes(indexes: Iterable[ChainIndex]) -> bytes:
    """Return X, the part of terms and closings that names a drawing's links, ascending by chain."""
    ordered = sorted(indexes)
    return bytes([len(ordered)]) + b"".join(each.chain + _u64(each.index) for each in ordered)


def link(secret: bytes, index: int) -> bytes:
    """Return L_i of the chain with this secret (k)."""
    return hmac.digest(secret, _LINK_TAG + _u64(index), "sha256")


def leaf_hash(index: int, link: bytes) -> bytes:
    """Return the hash of a link's leaf."""
    return merkle.leaf_hash(_LEAF_TAG + _u64(index) + link)


def leaf_hashes(secret: bytes, start: int, end: int) -> list[bytes]:
    """Return the leaves of the links from `start` up to but not including `end`."""
    return [leaf_hash(index, link(secret, index)) for index in range(start, end)]


@dataclass(frozen=True, slots=True)
class ChainHeader:
    """A chain as it is published: signed by the witness, and by the house on activation. Its hash is the chain's id."""

    origin: str
    table: UUID
    number: int
    generation: int
    height: int
    root: bytes
    closing_key: bytes
    release_key: bytes
    max_unpinned_s: int
    created_ms: int

    @property
    def chain(self) -> bytes:
        """The chain's id."""
        return sha256(self.serialize()).digest()

    @property
    def size(self) -> int:
        """The number of links."""
        return 1 << self.height

    def serialize(self) -> bytes:
        return (
            _HEADER_TAG
            + _sized(self.origin.encode())
            + self.table.bytes
            + struct.pack(">QQB", self.number, self.generation, self.height)
            + self.root
            + self.closing_key
            + self.release_key
            + struct.pack(">IQ", self.max_unpinned_s, self.created_ms)
        )

    @classmethod
    def parse(cls, data: bytes) -> "ChainHeader":
        """Parse the signed bytes. Raises InvalidStatement."""
        fields = _Fields(data, _HEADER_TAG)
        origin, table = fields.text(MAX_ORIGIN_BYTES), UUID(bytes=fields.take(16))
        number, generation, height = fields.unpack(">QQB")
        root, closing_key, release_key = fields.take(32), fields.take(32), fields.take(32)
        max_unpinned_s, created_ms = fields.unpack(">IQ")
        fields.end()
        if not MIN_HEIGHT <= height <= MAX_HEIGHT:
            raise InvalidStatement(f"A chain's height is {MIN_HEIGHT} to {MAX_HEIGHT}, not {height}.")
        return cls(
            origin, table, number, generation, height, root, closing_key, release_key, max_unpinned_s, created_ms
        )


@dataclass(frozen=True, slots=True)
class ChainCreation:
    """What a house asks a witness to make: chain `number` of a table. Signed by the closing key."""

    release_key: bytes
    origin: str
    table: UUID
    number: int
    height: int
    closing_key: bytes
    max_unpinned_s: int

    def serialize(self) -> bytes:
        return (
            _CREATION_TAG
            + self.release_key
            + _sized(self.origin.encode())
            + self.table.bytes
            + struct.pack(">QB", self.number, self.height)
            + self.closing_key
            + struct.pack(">I", self.max_unpinned_s)
        )


def retire_request(chain: bytes) -> bytes:
    """Return the bytes by whose signature a house has a chain retired before its last index."""
    return _RETIRE_TAG + chain


@dataclass(frozen=True, slots=True)
class ClosingRequest:
    """An item of a house's batch: the closing digest of the drawing that uses this index. Signed by the closing key."""

    chain: bytes
    index: int
    kind: ClosingKind
    digest: bytes

    def serialize(self) -> bytes:
        return _CLOSING_TAG + self.chain + _u64(self.index) + bytes([self.kind]) + self.digest


@dataclass(frozen=True, slots=True)
class Release:
    """The witness's statement that gives out a link. `number` is gapless for an origin within a generation."""

    chain: bytes
    index: int
    kind: ClosingKind
    digest: bytes
    link: bytes
    time_ms: int
    number: int
    previous: bytes

    def serialize(self) -> bytes:
        request = self.chain + _u64(self.index) + bytes([self.kind]) + self.digest
        return _RELEASE_TAG + request + self.link + struct.pack(">QQ", self.time_ms, self.number) + self.previous

    @classmethod
    def parse(cls, data: bytes) -> "Release":
        """Parse the signed bytes. Raises InvalidStatement."""
        fields = _Fields(data, _RELEASE_TAG)
        chain, (index, kind) = fields.take(32), fields.unpack(">QB")
        digest, drawn, (time_ms, number) = fields.take(32), fields.take(32), fields.unpack(">QQ")
        previous = fields.take(32)
        fields.end()
        return cls(chain, index, _member(ClosingKind, kind), digest, drawn, time_ms, number, previous)


@dataclass(frozen=True, slots=True)
class Retirement:
    """The witness's statement that a chain gives out no link from `next_index` on."""

    origin: str
    generation: int
    chain: bytes
    next_index: int
    reason: RetirementReason
    time_ms: int
    number: int
    previous: bytes

    def serialize(self) -> bytes:
        return (
            _RETIREMENT_TAG
            + _sized(self.origin.encode())
            + _u64(self.generation)
            + self.chain
            + struct.pack(">QBQQ", self.next_index, self.reason, self.time_ms, self.number)
            + self.previous
        )

    @classmethod
    def parse(cls, data: bytes) -> "Retirement":
        """Parse the signed bytes. Raises InvalidStatement."""
        fields = _Fields(data, _RETIREMENT_TAG)
        origin, (generation,), chain = fields.text(MAX_ORIGIN_BYTES), fields.unpack(">Q"), fields.take(32)
        next_index, reason, time_ms, number = fields.unpack(">QBQQ")
        previous = fields.take(32)
        fields.end()
        return cls(origin, generation, chain, next_index, _member(RetirementReason, reason), time_ms, number, previous)


def parse_statement(data: bytes) -> Release | Retirement:
    """Parse a statement of either kind. Raises InvalidStatement."""
    return Retirement.parse(data) if data.startswith(_RETIREMENT_TAG) else Release.parse(data)


def statement_hash(statement: bytes) -> bytes:
    """Return the hash by which the next statement names this one."""
    return sha256(statement).digest()


def verify_header(data: bytes, signature: bytes, *, release_key: bytes) -> ChainHeader:
    """Return the header if the witness with this key signed it. Raises InvalidStatement."""
    header = ChainHeader.parse(data)
    if header.release_key != release_key or not ed25519.is_signed(data, signature, public=release_key):
        raise InvalidStatement("The chain's header is not signed by the witness's release key.")
    return header


def verify_release(header: ChainHeader, data: bytes, signature: bytes, path: Sequence[bytes]) -> Release:
    """Return the release if the header's witness signed it and its link is on the chain. Raises InvalidStatement.

    The caller compares the digest, and verifies the header under a key from outside.
    """
    release = Release.parse(data)
    if release.chain != header.chain:
        raise InvalidStatement("The release is for another chain.")
    if not ed25519.is_signed(data, signature, public=header.release_key):
        raise InvalidStatement("The release is not signed by the chain's witness.")
    hashed = leaf_hash(release.index, release.link)
    if not merkle.is_included(hashed, release.index, header.size, path, header.root):
        raise InvalidStatement("The link is not on the chain.")
    return release


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _sized(data: bytes) -> bytes:
    return _u64(len(data)) + data


def _member(kinds: type[_Kind], number: int) -> _Kind:
    try:
        return kinds(number)
    except ValueError as error:
        raise InvalidStatement(str(error)) from None


class _Fields:
    """Reads a statement's fields in order, all of them."""

    def __init__(self, data: bytes, tag: bytes) -> None:
        if not data.startswith(tag):
            raise InvalidStatement(f"The statement does not begin with {tag[:-1].decode()}.")
        self._rest = data[len(tag) :]

    def take(self, length: int) -> bytes:
        if length > len(self._rest):
            raise InvalidStatement("The statement is cut off.")
        data, self._rest = self._rest[:length], self._rest[length:]
        return data

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def text(self, limit: int) -> str:
        (length,) = self.unpack(">Q")
        if length > limit:
            raise InvalidStatement(f"A name has {limit} bytes at most.")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError:
            raise InvalidStatement("A name is not UTF-8.") from None

    def end(self) -> None:
        if self._rest:
            raise InvalidStatement("The statement is too long.")
