"""Wagers, their leaves, the closing digest and receipts, byte by byte as published."""

import hashlib
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.fairness.closing import (
    NO_DIGEST,
    SeatClosing,
    SeatEnd,
    close,
    encode_receipt,
    encode_wager,
    wager_leaf,
)
from baccarat.domain.fairness.links import LogHead
from baccarat.domain.fairness.terms import WitnessIndex
from casino.witness.statements import ClosingKind

TERMS = "55" * 32
NONCE = b"\x66" * 32
KEY = b"\x77" * 32
PLACE: dict[str, Any] = {"terms": TERMS, "wager": UUID(int=17), "player": UUID(int=18), "seat": 3}
STAKES = [("player", 2500), ("tie", 500)]
WAGER = encode_wager(**PLACE, play_money=False, currency="EUR", stakes=STAKES, nonce=NONCE)
LEAVES = [wager_leaf(WAGER, public_key=KEY), wager_leaf(WAGER)]
GIVEN: dict[str, Any] = {
    "blind": b"\x88" * 32,
    "terms": TERMS,
    "witnesses": (WitnessIndex("aa" * 32, 7),),
    "kind": ClosingKind.PLAYED,
    "cause": 0,
    "leaves": LEAVES,
    "seats": (SeatEnd(1, SeatClosing.PASSED), SeatEnd(3, SeatClosing.DEALT), SeatEnd(5, SeatClosing.TIMED_OUT)),
    "closed_at_us": 1_800_000_000_123_456,
    "sealed_head": "99" * 32,
    "cosigned": LogHead(4711, "ab" * 32),
    "before": "cd" * 32,
}


def test_a_wager_is_signed_over_terms_id_player_seat_money_and_stakes_by_name() -> None:
    expected = b"casino.baccarat.wager.v2\0" + b"\x55" * 32 + b"\0" * 15 + b"\x11" + b"\0" * 15 + b"\x12"
    expected += b"\x03\x01" + b"\0" * 7 + b"\x03EUR" + b"\x02" + b"\0" * 7 + b"\x06player" + (2500).to_bytes(8, "big")
    expected += b"\0" * 7 + b"\x03tie" + (500).to_bytes(8, "big") + NONCE

    assert expected == WAGER
    play = encode_wager(**PLACE, play_money=True, currency="EUR", stakes=[("player", 1)], nonce=NONCE)
    assert play[len(b"casino.baccarat.wager.v2\0") + 65] == 2


def test_the_leaf_of_a_wager_tells_signed_from_unsigned() -> None:
    size = len(WAGER).to_bytes(8, "big")
    signed = b"\0casino.baccarat.wager-leaf.v1\0" + size + WAGER + b"\0" * 7 + b"\x20" + KEY

    assert LEAVES[0] == hashlib.sha256(signed).digest()
    assert LEAVES[1] == hashlib.sha256(b"\0casino.baccarat.wager-leaf.v1\0" + size + WAGER + b"\0" * 8).digest()
    assert LEAVES[1].hex() == "c19e878c8435320c4e096773f60f788c878813246842402ac684ef66032f8a47"


def test_the_closing_digest_is_the_published_vector() -> None:
    text = b"casino.baccarat.closing.v1\0" + b"\x88" * 32 + b"\x55" * 32
    text += b"\x01" + b"\xaa" * 32 + (7).to_bytes(8, "big") + b"\x01\x00" + (2).to_bytes(4, "big")
    text += hashlib.sha256(b"\x01" + LEAVES[0] + LEAVES[1]).digest()
    text += hashlib.sha256(b"\x01\x02\x03\x01\x05\x03").digest()
    text += (1_800_000_000_123_456).to_bytes(8, "big") + b"\x99" * 32 + (4711).to_bytes(8, "big")
    text += b"\xab" * 32 + b"\xcd" * 32

    closing = close(**GIVEN)

    assert closing.digest == hashlib.sha256(text).hexdigest()
    assert closing.digest == "2c476b1511ae7038ebe9f620167815e5e96c6945621c84fc1c2e5c064136d0f1"
    assert (closing.blind, closing.sealed_head, closing.before) == ("88" * 32, "99" * 32, "cd" * 32)


@pytest.mark.parametrize(
    "change",
    [
        {"blind": bytes(32)}, {"terms": NO_DIGEST}, {"witnesses": ()}, {"kind": ClosingKind.LAPSED}, {"cause": 1},
        {"leaves": LEAVES[::-1]}, {"leaves": LEAVES[:1]}, {"leaves": []}, {"seats": ()}, {"closed_at_us": 1},
        {"sealed_head": NO_DIGEST}, {"cosigned": None}, {"cosigned": LogHead(4711, "ac" * 32)}, {"before": NO_DIGEST},
    ],
)  # fmt: skip
def test_any_other_part_is_another_closing(change: dict[str, Any]) -> None:
    assert close(**{**GIVEN, **change}).digest != close(**GIVEN).digest


def test_a_receipt_is_signed_over_the_wager_its_place_and_the_latest_close() -> None:
    expected = b"casino.baccarat.receipt.v2\0" + b"\x55" * 32 + LEAVES[0] + b"\0" * 15 + b"\x12\x03\0\0\0\x01\x02"
    expected += b"\0" * 7 + b"\x06player" + (2500).to_bytes(8, "big")
    expected += b"\0" * 7 + b"\x03tie" + (1000).to_bytes(8, "big")
    expected += b"\0" * 7 + b"\x03EUR" + (17).to_bytes(8, "big") + (18).to_bytes(8, "big")

    assert expected == encode_receipt(
        terms=TERMS,
        leaf=LEAVES[0],
        player=UUID(int=18),
        seat=3,
        place=1,
        stakes=[("player", 2500), ("tie", 1000)],
        currency="EUR",
        confirmed_at_us=17,
        close_by_us=18,
    )
