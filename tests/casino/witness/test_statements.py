"""The bytes that house and witness sign: checked vectors, round trips, and what verification refuses."""

import hmac
from dataclasses import replace
from hashlib import sha256
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.crypto import ed25519
from casino.kernel import merkle
from casino.witness import statements
from casino.witness.statements import (
    ChainCreation,
    ChainHeader,
    ChainIndex,
    ClosingKind,
    ClosingRequest,
    InvalidStatement,
    Release,
    Retirement,
    RetirementReason,
)

SECRET = b"\x07" * 32
RELEASE_KEY, CLOSING_KEY = b"\x11" * 32, b"\x12" * 32
TABLE = UUID("0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10")
LINK_1 = bytes.fromhex("b423c0d807b56c53066d648ff24ae32ef2c83a257ddf03b532a0182257544054")
LEAVES = statements.leaf_hashes(SECRET, 0, 256)
HEADER = ChainHeader(
    origin="casino.example/log",
    table=TABLE,
    number=1,
    generation=1,
    height=8,
    root=merkle.root(LEAVES),
    closing_key=ed25519.public_key(CLOSING_KEY),
    release_key=ed25519.public_key(RELEASE_KEY),
    max_unpinned_s=60,
    created_ms=1_764_000_000_000,
)
RELEASE = Release(
    chain=HEADER.chain,
    index=5,
    kind=ClosingKind.PLAYED,
    digest=b"\x21" * 32,
    link=statements.link(SECRET, 5),
    time_ms=1_764_000_000_123,
    number=1,
    previous=statements.NO_STATEMENT,
)
RETIREMENT = Retirement(
    origin="casino.example/log",
    generation=2,
    chain=HEADER.chain,
    next_index=6,
    reason=RetirementReason.RESTORED,
    time_ms=1_764_000_000_456,
    number=2,
    previous=b"\x22" * 32,
)
INTEGERS = st.integers(0, 2**64 - 1)
HASHES = st.binary(min_size=32, max_size=32)


def test_links_and_root_are_the_published_vectors():
    root = merkle.root(statements.leaf_hashes(SECRET, 0, 4))
    assert root.hex() == "e92340697fa482a9c76716e2c4ce6b9890adf4669351dc55dcdae04c8f5fe06c"
    assert statements.link(SECRET, 1) == LINK_1


def test_cards_follow_from_seed_cut_and_links_as_published():
    key = hmac.digest(
        b"\x01" * 32,
        b"casino.baccarat.draw.v2\x00" + b"\x02" * 32 + b"\x01" + b"\x03" * 32 + (1).to_bytes(8, "big") + LINK_1,
        "sha256",
    )
    assert key.hex() == "081e9079d0594b0f6b90b4bc9d8a6459e3f1b6301952c625d6d070d91cb3b666"
    block = hmac.digest(key, (0).to_bytes(8, "big"), "sha256")
    assert block.hex() == "61cfdb03d87b2760648609c5704fa49eccba6110818f2e0dcc4b2b69edccba20"


def test_every_statement_has_the_documented_layout():
    table, origin = TABLE.bytes, (18).to_bytes(8, "big") + b"casino.example/log"
    assert HEADER.serialize() == (
        b"casino.witness.chain.v1\x00" + origin + table + (1).to_bytes(8, "big") * 2 + b"\x08" + HEADER.root
        + HEADER.closing_key + HEADER.release_key + (60).to_bytes(4, "big") + (1_764_000_000_000).to_bytes(8, "big")
    )  # fmt: skip
    assert HEADER.chain == sha256(HEADER.serialize()).digest()
    request = ClosingRequest(HEADER.chain, 5, ClosingKind.PLAYED, b"\x21" * 32)
    tail = HEADER.chain + (5).to_bytes(8, "big") + b"\x01" + b"\x21" * 32
    assert request.serialize() == b"casino.witness.closing.v1\x00" + tail
    assert RELEASE.serialize() == (
        b"casino.witness.release.v1\x00" + tail + RELEASE.link + (1_764_000_000_123).to_bytes(8, "big")
        + (1).to_bytes(8, "big") + bytes(32)
    )  # fmt: skip
    creation = ChainCreation(HEADER.release_key, HEADER.origin, TABLE, 1, 8, HEADER.closing_key, 60)
    assert creation.serialize() == (
        b"casino.witness.creation.v1\x00" + HEADER.release_key + origin + table + (1).to_bytes(8, "big") + b"\x08"
        + HEADER.closing_key + (60).to_bytes(4, "big")
    )  # fmt: skip


def test_indexes_are_listed_by_chain_id():
    first, second = ChainIndex(b"\x01" * 32, 7), ChainIndex(b"\x02" * 32, 3)
    expected = b"\x02" + first.chain + (7).to_bytes(8, "big") + second.chain + (3).to_bytes(8, "big")
    assert statements.serialize_indexes([second, first]) == expected


@given(origin=st.text(max_size=60), numbers=st.tuples(INTEGERS, INTEGERS, INTEGERS), root=HASHES)
def test_headers_come_back_from_their_bytes(origin, numbers, root):
    header = replace(HEADER, origin=origin, number=numbers[0], generation=numbers[1], created_ms=numbers[2], root=root)
    assert ChainHeader.parse(header.serialize()) == header


@given(numbers=st.tuples(INTEGERS, INTEGERS, INTEGERS), kind=st.sampled_from(ClosingKind), link=HASHES)
def test_statements_come_back_from_their_bytes(numbers, kind, link):
    release = replace(RELEASE, index=numbers[0], time_ms=numbers[1], number=numbers[2], kind=kind, link=link)
    retirement = replace(RETIREMENT, next_index=numbers[0], time_ms=numbers[1], number=numbers[2])
    assert statements.parse_statement(release.serialize()) == release
    assert statements.parse_statement(retirement.serialize()) == retirement


@given(st.binary(max_size=300), st.sampled_from([HEADER, RELEASE, RETIREMENT]), st.integers(0, 300))
def test_other_bytes_are_refused_and_never_crash(data, statement, cut):
    serialized = statement.serialize()
    for forged in (data, serialized[:cut], serialized + data, serialized[:cut] + data):
        if forged != serialized:
            for parse in (ChainHeader.parse, statements.parse_statement):
                try:
                    parsed = parse(forged)
                except InvalidStatement:
                    continue
                assert parsed.serialize() == forged


@pytest.mark.parametrize("height", [0, 7, 21, 255])
def test_a_header_of_another_height_is_refused(height):
    with pytest.raises(InvalidStatement):
        ChainHeader.parse(replace(HEADER, height=height).serialize())


def test_a_header_holds_under_the_release_key_given_from_outside_only():
    data = HEADER.serialize()
    signature = ed25519.sign(RELEASE_KEY, data)
    assert statements.verify_header(data, signature, release_key=HEADER.release_key) == HEADER
    other = ed25519.public_key(b"\x13" * 32)
    with pytest.raises(InvalidStatement):
        statements.verify_header(data, signature, release_key=other)
    forged = replace(HEADER, release_key=other).serialize()
    with pytest.raises(InvalidStatement):
        statements.verify_header(forged, ed25519.sign(b"\x13" * 32, forged), release_key=HEADER.release_key)
    with pytest.raises(InvalidStatement):
        statements.verify_header(data, signature[:-1], release_key=HEADER.release_key)


def signed(release):
    return release.serialize(), ed25519.sign(RELEASE_KEY, release.serialize())


def test_a_release_holds_with_its_path():
    path = merkle.path(LEAVES, 5)
    assert len(path) == HEADER.height
    assert statements.verify_release(HEADER, *signed(RELEASE), path) == RELEASE


@pytest.mark.parametrize(
    "release",
    [
        replace(RELEASE, link=b"\x31" * 32),
        replace(RELEASE, link=statements.link(SECRET, 6)),
        replace(RELEASE, index=6),
        replace(RELEASE, index=256 + 5),
        replace(RELEASE, chain=b"\x32" * 32),
    ],
    ids=["an invented link", "another index's link", "another index", "an index beyond the end", "another chain"],
)
def test_a_signed_release_of_a_link_that_is_not_on_the_chain_is_refused(release):
    with pytest.raises(InvalidStatement):
        statements.verify_release(HEADER, *signed(release), merkle.path(LEAVES, 5))


def test_a_release_signed_by_another_key_is_refused():
    data = RELEASE.serialize()
    for key in (CLOSING_KEY, b"\x13" * 32):
        with pytest.raises(InvalidStatement):
            statements.verify_release(HEADER, data, ed25519.sign(key, data), merkle.path(LEAVES, 5))


def test_signatures_of_no_length_and_keys_of_no_length_verify_nothing():
    assert not ed25519.is_signed(b"text", b"", public=HEADER.release_key)
    assert not ed25519.is_signed(b"text", bytes(64), public=b"")
    with pytest.raises(ValueError, match="32"):
        ed25519.sign(b"short", b"text")
