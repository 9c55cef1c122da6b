"""Digests: the documented byte layout, and every covered field changes the digest."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from casino.events.hash_chain import GENESIS, digest

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 891011, tzinfo=UTC)
EVENT = {
    "position": 258,
    "event": 772,
    "transaction": 515,
    "stream": "round-ä",
    "version": 3,
    "type": "CardsDealt",
    "schema": 2,
    "data": b'{"cards":[1,2]}',
    "metadata": b'{"actor":"dealer"}',
    "recorded_at": MOMENT,
    "previous": bytes(range(32)),
}


def test_the_digest_is_the_hash_of_the_documented_bytes():
    layout = b"".join(
        [
            b"casino.events.seal/1\x00\x00\x00\x00",
            bytes.fromhex("0000000000000102"),
            bytes.fromhex("0000000000000304"),
            bytes.fromhex("0000000000000203"),
            bytes.fromhex("00000003"),
            bytes.fromhex("00000002"),
            (1772600767891011).to_bytes(8, "big"),
            bytes.fromhex("000000080000000a0000000f00000012"),
            bytes(range(32)),
            "round-ä".encode(),
            b"CardsDealt",
            b'{"cards":[1,2]}',
            b'{"actor":"dealer"}',
        ]
    )
    assert digest(**EVENT) == hashlib.sha256(layout).digest()


def test_the_digest_never_changes_between_releases():
    assert digest(**EVENT).hex() == "054f4b5ce37f4f670f016e02e2e547fc3f46bfff6b0fbee62ce5fffd693cebce"


@pytest.mark.parametrize(
    "change",
    [
        {"position": 259},
        {"event": 773},
        {"transaction": 516},
        {"stream": "round-b"},
        {"version": 4},
        {"type": "CardDealt"},
        {"schema": 1},
        {"data": b'{"cards":[1,3]}'},
        {"metadata": b"{}"},
        {"recorded_at": MOMENT + timedelta(microseconds=1)},
        {"previous": GENESIS},
        {"stream": "round-äC", "type": "ardsDealt"},
        {"data": b'{"cards":[1,2]}{', "metadata": b'"actor":"dealer"}'},
    ],
)
def test_every_covered_field_changes_the_digest(change):
    assert digest(**EVENT | change) != digest(**EVENT)


def test_times_before_1970_and_in_other_zones_are_supported():
    early = digest(**EVENT | {"recorded_at": datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)})
    other = MOMENT.astimezone(tz=None)
    assert early != digest(**EVENT)
    assert digest(**EVENT | {"recorded_at": other}) == digest(**EVENT)
