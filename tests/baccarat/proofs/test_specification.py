"""The specification's vectors follow from the stand-alone verifier and from the service's code. They never change."""

import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import msgspec
import pytest
from django.test import Client

from baccarat.domain.fairness import closing, commitment, cut, shuffle, terms
from baccarat.domain.rules import deal, payouts
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.shoes import digest_rules
from baccarat.proofs import verifier
from baccarat.web.views import FAIRNESS_DOCS
from casino.checkpoints import document
from casino.crypto import ed25519
from casino.events import hash_chain
from casino.kernel import merkle
from casino.kernel.canonical_json import canonical
from casino.witness.statements import ClosingKind

SPECIFICATION: Final = (FAIRNESS_DOCS / "specification.md").read_text(encoding="utf-8")
VECTORS: Final = json.loads((FAIRNESS_DOCS / "vectors.json").read_text(encoding="utf-8"))
PUBLISHED: Final = "a227053883f82ba9ea4ccd393d5cb70bd8c4eaac65838a49522d4a2b3205c6f5"
"""SHA-256 of the published file: a vector is added by a new file of vectors, never changed."""


def test_published_vectors_never_change() -> None:
    assert hashlib.sha256((FAIRNESS_DOCS / "vectors.json").read_bytes()).hexdigest() == PUBLISHED


def test_every_step_of_the_specification_has_vectors() -> None:
    assert set(re.findall(r"\[`(\w+)`\]", SPECIFICATION)) == set(VECTORS)


def test_specification_and_vectors_are_served(client: Client) -> None:
    assert client.get("/play/verify/specification").content.decode() == SPECIFICATION
    assert client.get("/play/verify/vectors.json").json() == VECTORS


def test_canonical_json() -> None:
    vector = VECTORS["canonical_json"]
    assert canonical(vector["value"]).hex() == verifier.canonical(vector["value"]).hex() == vector["bytes"]


def test_sealed_events() -> None:
    event, digest = VECTORS["seal"]["event"], VECTORS["seal"]["digest"]
    ours = hash_chain.digest(
        position=event["position"], event=event["id"], stream=event["stream"], version=event["version"],
        type=event["type"], schema=event["schema"], data=canonical(event["data"]),
        metadata=canonical(event["metadata"]), previous=bytes.fromhex(event["previous"]),
        recorded_at=datetime.strptime(event["recorded_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC),
    )  # fmt: skip
    assert ours.hex() == verifier.seal(event) == digest


def test_merkle_trees() -> None:
    vector = VECTORS["merkle"]
    leaves = [merkle.leaf_hash(bytes.fromhex(data)) for data in vector["leaf_data"]]
    assert merkle.root(leaves).hex() == verifier.root_of(leaves).hex() == vector["root"]
    path = [bytes.fromhex(step) for step in vector["path"]]
    root = verifier.root_by_path(leaves[vector["index"]], vector["index"], len(leaves), path)
    assert root is not None
    assert root.hex() == vector["root"]
    assert merkle.path(leaves, vector["index"]) == path


def test_checkpoints() -> None:
    vector = VECTORS["checkpoint"]
    checkpoint = document.parse(json.dumps(vector["checkpoint"]))
    signed, public = vector["signed_bytes"].encode(), bytes.fromhex(vector["public_key"])
    assert document.signed_bytes(checkpoint) == signed
    assert ed25519.is_signed(signed, checkpoint.signature, public=public)
    assert verifier.is_signed(public, signed, checkpoint.signature)


def test_commitments_and_cuts() -> None:
    seed, vector = bytes.fromhex(VECTORS["commitment"]["seed"]), VECTORS["cut"]
    assert commitment.commit(seed) == VECTORS["commitment"]["commitment"]
    assert verifier.sha256(verifier.COMMITMENT_TAG, seed).hex() == VECTORS["commitment"]["commitment"]
    contributions = [cut.Contribution(**each) for each in vector["contributions"]]
    by_seat = {each.seat: bytes.fromhex(each.contribution) for each in contributions}
    assert cut.compute_cut(UUID(vector["shoe"]), contributions).hex() == vector["cut"]
    assert verifier.cut_of(1, vector["shoe"], "", by_seat).hex() == vector["cut"]


def test_drawings() -> None:
    vector, newest = VECTORS["drawing"], shuffle.Scheme.TERMS
    seed, shoe, number = bytes.fromhex(vector["seed"]), vector["shoe"], vector["number"]
    drawing = commitment.Drawing(newest, UUID(vector["table"]), UUID(shoe), number)
    promise = verifier.commitment_of(2, seed, vector["table"], shoe, number)
    assert drawing.commit(seed) == promise == vector["commitment"]
    contributions = [cut.Contribution(**each) for each in vector["contributions"]]
    by_seat = {each.seat: bytes.fromhex(each.contribution) for each in contributions}
    for given, listed, expected in ((by_seat, contributions, vector["cut"]), ({}, [], vector["uncut"])):
        ours = terms.close_cut(commitment=promise, witnesses=(), contributions=listed, keys={})
        assert ours.hex() == verifier.cut_of(2, shoe, promise, given).hex() == expected
    drawn, cards = bytes.fromhex(vector["cut"]), vector["cards"].split()
    key = shuffle.draw_key(seed, cut=drawn)
    assert key.hex() == vector["key"]
    for stream in (shuffle.words_of_drawing(key), verifier.stream(2, seed, drawn)):
        assert [next(stream) for _ in vector["words"]] == vector["words"]
    order = shuffle.shuffle(seed, cut=drawn, decks=vector["decks"], scheme=newest, first=len(cards))
    assert list(order) == verifier.shuffle(2, seed, drawn, vector["decks"], len(cards)) == cards


def test_words() -> None:
    vector = VECTORS["words"]
    seed, drawn = bytes.fromhex(vector["seed"]), bytes.fromhex(vector["cut"])
    for stream in (shuffle.uint32_stream(seed, cut=drawn), verifier.stream(1, seed, drawn)):
        assert [next(stream) for _ in vector["words"]] == vector["words"]


@pytest.mark.parametrize("vector", VECTORS["shuffle"])
def test_shuffles(vector: dict[str, Any]) -> None:
    seed, drawn, cards = bytes.fromhex(vector["seed"]), bytes.fromhex(vector["cut"]), vector["cards"].split()
    assert (
        list(shuffle.shuffle(seed, cut=drawn, decks=vector["decks"], scheme=shuffle.Scheme.OPEN_CUT, first=len(cards)))
        == cards
    )
    assert verifier.shuffle(1, seed, drawn, vector["decks"], len(cards)) == cards


def test_opened_cards() -> None:
    vector = VECTORS["openings"]
    seed, drawn, place = bytes.fromhex(vector["seed"]), bytes.fromhex(vector["cut"]), vector["place"]
    (opening,) = commitment.open_cards(
        seed, cut=drawn, decks=vector["decks"], positions=[place], scheme=shuffle.Scheme.OPEN_CUT
    )
    assert (opening.card, opening.salt, list(opening.path)) == (vector["card"], vector["salt"], vector["path"])
    assert commitment.is_valid_opening(opening, decks=vector["decks"], root=vector["root"])
    leaf = verifier.card_leaf(place, vector["card"], bytes.fromhex(vector["salt"]))
    path = [bytes.fromhex(step) for step in vector["path"]]
    root = verifier.root_by_path(leaf, place, 52 * vector["decks"], path)
    assert root is not None
    assert root.hex() == vector["root"]


def test_terms() -> None:
    vector = VECTORS["terms"]
    assert msgspec.convert(vector["terms"], terms.Terms).digest() == vector["digest"]
    assert verifier.digest_of_terms(vector["terms"]) == vector["digest"]
    assert digest_rules(msgspec.convert(vector["rules"], TableRules)) == vector["terms"]["rules"]


def test_closings() -> None:
    vector = VECTORS["closing"]
    recorded = vector["closing"]
    leaves = [verifier.wager_leaf(vector["terms"], wager, vector["currency"]) for wager in vector["wagers"]]
    assert [leaf.hex() for leaf in leaves] == vector["leaves"]
    root = verifier.root_of(leaves)
    assert root.hex() == recorded["wagers"]
    digest = verifier.digest_of_closing(vector["terms"], recorded, root, vector["closed_at"])
    closed_at = datetime.strptime(vector["closed_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    ours = closing.close(
        blind=bytes.fromhex(recorded["blind"]),
        terms=vector["terms"],
        witnesses=(),
        kind=ClosingKind(recorded["kind"]),
        cause=recorded["cause"],
        leaves=leaves,
        seats=[closing.SeatEnd(each["seat"], closing.SeatClosing(each["end"])) for each in recorded["seats"]],
        closed_at_us=hash_chain.microseconds(closed_at),
        sealed_head=recorded["sealed_head"],
        cosigned_size=recorded["cosigned_size"],
        cosigned_root=recorded["cosigned_root"],
        before=recorded["before"],
    )
    assert ours.digest == digest == recorded["digest"]


@pytest.mark.parametrize("vector", VECTORS["hands"], ids=lambda vector: vector["cards"])
def test_hands(vector: dict[str, Any]) -> None:
    cards = vector["cards"].split()
    ours = deal.deal(tuple(cards))
    assert (" ".join(ours.player), " ".join(ours.banker)) == (vector["player"], vector["banker"])
    assert (ours.natural, len(ours.cards), ours.outcome) == (vector["natural"], vector["used"], vector["outcome"])
    player, banker, natural, used = verifier.deal_hands(cards)
    assert (" ".join(player), " ".join(banker)) == (vector["player"], vector["banker"])
    assert (natural, used, verifier.outcome_of(player, banker)) == tuple(
        vector[name] for name in ("natural", "used", "outcome")
    )


@pytest.mark.parametrize("vector", VECTORS["money"]["stakes"])
def test_money(vector: dict[str, Any]) -> None:
    rules = VECTORS["money"]["rules"][vector["rules"]]
    wanted = {name: vector[name] for name in ("result", "win", "commission", "returned")}
    settled = payouts.settle(
        msgspec.convert(rules, TableRules),
        {Spot(vector["spot"]): vector["stake"]},
        deal.Outcome(vector["outcome"]),
    )
    ours = msgspec.to_builtins(settled.results[0])
    assert {name: ours[name] for name in wanted} == wanted
    assert verifier.result_of(rules, vector["spot"], vector["stake"], vector["outcome"]) == wanted


def test_signed_wagers() -> None:
    vector = VECTORS["wager"]
    wager, secret = vector["wager"], bytes.fromhex(vector["private_key"])
    signature = wager["signature"]
    asked = [(2, 1000), (3, 500 - 300)]
    signed = closing.encode_wager(
        terms=vector["terms"], seat=wager["seat"], play_money=False, currency=vector["currency"], stakes=asked,
        nonce=bytes.fromhex(signature["nonce"]),
    )  # fmt: skip
    key = bytes.fromhex(signature["public_key"])
    assert signed.hex() == vector["bytes"]
    assert key == b"\1" + ed25519.public_key(secret)
    assert ed25519.sign(secret, signed).hex() == signature["signature"]
    assert closing.wager_leaf(signed, public_key=key).hex() == vector["leaf"]
    assert verifier.wager_leaf(vector["terms"], wager, vector["currency"]).hex() == vector["leaf"]
    other = {**wager, "signature": {**signature, "nonce": "00" * 32}}
    with pytest.raises(verifier.CheckFailed):
        verifier.wager_leaf(vector["terms"], other, vector["currency"])


def test_receipts() -> None:
    receipt, secret = VECTORS["receipt"]["receipt"], bytes.fromhex(VECTORS["receipt"]["private_key"])
    stakes = [(2, 1000), (3, 500)]
    signed = closing.encode_receipt(
        terms=receipt["terms"]["digest"], leaf=bytes.fromhex(receipt["leaf"]), seat=receipt["seat"],
        place=receipt["place"], stakes=stakes, currency=receipt["currency"],
        confirmed_at_us=verifier.microseconds(receipt["confirmed_at"]),
        close_by_us=verifier.microseconds(receipt["close_by"]),
    )  # fmt: skip
    assert signed.hex() == VECTORS["receipt"]["bytes"]
    assert ed25519.public_key(secret).hex() == receipt["public_key"]
    assert ed25519.sign(secret, signed).hex() == receipt["signature"]
    assert verifier.encode_receipt(receipt) == (receipt["terms"]["digest"], bytes.fromhex(receipt["leaf"]), signed)
