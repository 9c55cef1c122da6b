"""Closings and statements that are foreign, unsigned, in part, or of another table, chain or installation."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final
from uuid import UUID

import pytest

from baccarat.domain.fairness.links import check_release, links_of
from baccarat.domain.fairness.terms import WitnessIndex
from casino.crypto import ed25519
from casino.crypto.signed_note import NoteKey, SignatureType
from casino.witness.houses import Refused
from casino.witness.service import SignedRequest
from casino.witness.statements import ChainHeader, ClosingKind, ClosingRequest, InvalidStatement
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE, HOUSES, LOG_PRIVATE
from tests.support.aimed_rounds import TABLE, committed
from tests.support.local_witness import LocalWitness, open_witness, released

ELSEWHERE: Final = "other.test/log"
OTHER_TABLE: Final = UUID(int=7)
DIGEST: Final = b"\x51" * 32
LOG_KEY: Final = NoteKey(ELSEWHERE, SignatureType.NOTE, ed25519.public_key(LOG_PRIVATE))
BOTH: Final = f"{HOUSES}{LOG_KEY.vkey} {CLOSING_KEY.hex()}\n"
"""Two installations with the same keys, as a copy of one would be."""


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[LocalWitness]:
    witness = open_witness(tmp_path / "witness", monkeypatch, houses=BOTH)
    yield witness
    witness.witness.store.close()


@pytest.fixture
def chains(witness: LocalWitness) -> list[ChainHeader]:
    """Return chains of a table, of another table, and of the same table of another installation."""
    return [
        witness.chain(TABLE, height=8),
        witness.chain(OTHER_TABLE, height=8),
        witness.chain(TABLE, height=8, origin=ELSEWHERE),
    ]


def closing(chain: ChainHeader, index: int = 0, *, private: bytes = CLOSING_PRIVATE) -> SignedRequest:
    request = ClosingRequest(chain.chain, index, ClosingKind.PLAYED, DIGEST)
    return SignedRequest(request, ed25519.sign(private, request.serialize()))


@pytest.mark.parametrize("place", [1, 2], ids=["another table", "another installation"])
def test_a_signed_closing_gets_no_link_of_another_table_or_installation(
    witness: LocalWitness, chains: list[ChainHeader], place: int
) -> None:
    own, other = closing(chains[0]), chains[place]
    replayed = SignedRequest(replace(own.request, chain=other.chain), own.signature)
    with pytest.raises(Refused, match="closing key"):
        witness.witness.release([replayed], None)
    assert witness.witness.records.chain(other.chain)["next_index"] == 0


@pytest.mark.parametrize("signature", [b"", bytes(64), ed25519.sign(b"\x13" * 32, b"x")])
def test_an_unsigned_or_foreign_closing_changes_nothing(
    witness: LocalWitness, chains: list[ChainHeader], signature: bytes
) -> None:
    with pytest.raises(Refused):
        witness.witness.release([replace(closing(chains[0]), signature=signature)], None)
    assert witness.witness.records.statements(chains[0].origin, 1, 0) == []
    assert witness.witness.records.refusals(chains[0].origin, 0) == []


def test_of_a_batch_in_part_the_good_closings_get_their_links(witness: LocalWitness, chains: list[ChainHeader]) -> None:
    witness.pin()
    foreign, unread, late = closing(chains[0], private=b"\x13" * 32), None, closing(chains[0], 1)
    results = witness.witness.release([foreign, unread, closing(chains[0]), late, closing(chains[1], 5)], None)
    codes = [each.get("code", "released") for each in results]
    assert codes == ["wrong_signature", "malformed", "released", "released", "not_next_index"]


def test_a_statement_does_not_verify_for_another_table_chain_index_or_closing(
    witness: LocalWitness, chains: list[ChainHeader]
) -> None:
    witness.pin()
    (result,) = witness.witness.release([closing(chains[0])], None)
    given, kind, digest = released(result), ClosingKind.PLAYED, DIGEST.hex()
    check_release(chains[0], given, index=0, kind=kind, digest=digest)
    for chain in chains[1:]:
        for claimed in (given, replace(given, chain=chain.chain.hex())):
            with pytest.raises(InvalidStatement):
                check_release(chain, claimed, index=0, kind=kind, digest=digest)
    for wrong in ({"index": 1}, {"kind": ClosingKind.VOID}, {"digest": "00" * 32}):
        with pytest.raises(InvalidStatement):
            check_release(chains[0], given, **{"index": 0, "kind": kind, "digest": digest, **wrong})


def test_cards_need_the_link_of_each_witness(
    witness: LocalWitness, chains: list[ChainHeader], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = open_witness(tmp_path / "second", monkeypatch, name="witness.test/w2")
    other = second.chain(TABLE, height=8)
    places = sorted((WitnessIndex(each.chain.hex(), 0) for each in (chains[0], other)), key=lambda each: each.chain)
    round_ = replace(committed(1, Random(1).randbytes(32), None), witnesses=tuple(places))
    closed = round_.bet(bytes(32)).close(blind=bytes(32), closed_ms=witness.now[0])
    given = []
    for each, chain in ((witness, chains[0]), (second, other)):
        request = ClosingRequest(chain.chain, 0, ClosingKind.PLAYED, bytes.fromhex(closed.closing.digest))
        given += [released(result) for result in each.release([request])]
    for one in given:
        with pytest.raises(KeyError):
            links_of(places, [one])
    assert len(links_of(places, given)) == 2
    second.witness.store.close()
