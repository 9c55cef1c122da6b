"""The specification's vectors follow from the stand-alone verifier and from the service's code. They never change."""

import hashlib
import hmac
import json
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
import pytest
from django.test import Client

from baccarat.domain.fairness import closing, commitment, cut, links, shuffle, terms
from baccarat.domain.fairness.closing import LogHead
from baccarat.domain.rounds.signed_wager import paid
from baccarat.domain.rules import deal, payouts
from baccarat.domain.rules.coups import FACTS, Coup
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.table_rules import TableRules
from baccarat.proofs import verifier
from baccarat.web.views import FAIRNESS_DOCS
from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.devstack.home import PROJECT
from casino.events import hash_chain
from casino.kernel import merkle
from casino.kernel.canonical_json import NotCanonical, canonical
from casino.witness.statements import ClosingKind, ClosingRequest

PAGE_VERIFIER: Final = PROJECT / "baccarat/web/static/play/verify"
PHP_VERIFIER: Final = Path(__file__).with_name("verifier.php")
SPECIFICATION: Final = (FAIRNESS_DOCS / "specification.md").read_text(encoding="utf-8")
PUBLISHED: Final = "6e181e12251a9a4123defd03f8a5d6be186ff86a66bf78f0f923050536d129b0"
"""SHA-256 of the published vectors."""
VECTORS: Final = json.loads((FAIRNESS_DOCS / "vectors.json").read_text(encoding="utf-8"))


def leaf_of(terms: str, wager: dict[str, Any], currency: str) -> bytes:
    """Return the leaf of a vector's wager, whose stakes are in the order of the rules."""
    return verifier.wager_leaf(terms, wager, currency, wager["stakes"])


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
        position=event["position"], event=event["id"], transaction=event["transaction"],
        stream=event["stream"], version=event["version"], type=event["type"], schema=event["schema"],
        data=canonical(event["data"]), metadata=canonical(event["metadata"]), previous=bytes.fromhex(event["previous"]),
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


def test_drawings() -> None:
    vector = VECTORS["drawing"]
    seed, shoe, number = bytes.fromhex(vector["seed"]), vector["shoe"], vector["number"]
    drawing = commitment.Drawing(UUID(vector["table"]), UUID(shoe), number)
    promise = verifier.commitment_of(seed, vector["table"], shoe, number)
    assert drawing.commit(seed) == promise == vector["commitment"]
    contributions = [cut.Contribution(**each) for each in vector["contributions"]]
    for listed, expected in ((contributions, vector["cut"]), ([], vector["uncut"])):
        ours = terms.close_cut(commitment=promise, witnesses=(), contributions=listed)
        assert ours.hex() == verifier.cut_of(promise, list(map(asdict, listed))).hex() == expected
    drawn, cards = bytes.fromhex(vector["cut"]), vector["cards"].split()
    key = shuffle.draw_key(seed, cut=drawn)
    assert key.hex() == vector["key"]
    for stream in (shuffle.words_of_drawing(key), verifier.stream(seed, drawn)):
        assert [next(stream) for _ in vector["words"]] == vector["words"]
    order = shuffle.shuffle(seed, cut=drawn, decks=vector["decks"], first=len(cards))
    assert list(order) == verifier.shuffle(seed, drawn, vector["decks"], len(cards)) == cards


@pytest.mark.parametrize("vector", VECTORS["shuffle"])
def test_shuffles(vector: dict[str, Any]) -> None:
    seed, drawn, cards = bytes.fromhex(vector["seed"]), bytes.fromhex(vector["cut"]), vector["cards"].split()
    assert list(shuffle.shuffle(seed, cut=drawn, decks=vector["decks"], first=len(cards))) == cards
    assert verifier.shuffle(seed, drawn, vector["decks"], len(cards)) == cards


def test_opened_cards() -> None:
    vector = VECTORS["openings"]
    seed, drawn, place = bytes.fromhex(vector["seed"]), bytes.fromhex(vector["cut"]), vector["place"]
    (opening,) = commitment.open_cards(seed, cut=drawn, decks=vector["decks"], positions=[place])
    assert (opening.card, opening.salt, list(opening.path)) == (vector["card"], vector["salt"], vector["path"])
    leaf = verifier.card_leaf(place, vector["card"], bytes.fromhex(vector["salt"]))
    path = [bytes.fromhex(step) for step in vector["path"]]
    root = verifier.root_by_path(leaf, place, 52 * vector["decks"], path)
    assert root is not None
    assert root.hex() == vector["root"]


def test_terms() -> None:
    vector = VECTORS["terms"]
    assert msgspec.convert(vector["terms"], terms.Terms).digest() == vector["digest"]
    assert verifier.digest_of_terms(vector["terms"]) == vector["digest"]
    assert hashlib.sha256(canonical(vector["rules"])).hexdigest() == vector["terms"]["rules"]
    assert record(msgspec.convert(vector["rules"], TableRules)).digest == vector["terms"]["rules"]


def test_signed_contributions() -> None:
    vector, drawing = VECTORS["contribution"], VECTORS["drawing"]
    signed, signature = bytes.fromhex(vector["bytes"]), {name: vector[name] for name in ("public_key", "signature")}
    place = {"table": UUID(vector["table"]), "commitment": vector["commitment"], "seat": vector["seat"]}
    assert terms.encode_contribution(**place, witnesses=(), contribution=vector["contribution"]) == signed
    assert ed25519.is_signed(
        signed, bytes.fromhex(signature["signature"]), public=bytes.fromhex(signature["public_key"])[1:]
    )
    told = {"seat": vector["seat"], "contribution": vector["contribution"], "signature": signature}
    assert verifier.is_signed_contribution(vector["table"], vector["commitment"], told)
    listed = [
        {"public_key": signature["public_key"] if each["seat"] == vector["seat"] else "", **each}
        for each in drawing["contributions"]
    ]
    ours = terms.close_cut(
        commitment=vector["commitment"], witnesses=(), contributions=[cut.Contribution(**each) for each in listed]
    )
    theirs = verifier.cut_of(vector["commitment"], listed)
    assert ours.hex() == theirs.hex() == vector["cut"]


@pytest.mark.parametrize("vector", VECTORS["closing"], ids=lambda vector: f"kind-{vector['closing']['kind']}")
def test_closings(vector: dict[str, Any]) -> None:
    recorded = vector["closing"]
    leaves = [leaf_of(vector["terms"], wager, vector["currency"]) for wager in vector["wagers"]]
    assert [leaf.hex() for leaf in leaves] == vector["leaves"]
    root = verifier.root_of(leaves) if leaves else verifier.sha256(b"")
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


@pytest.mark.parametrize("vector", VECTORS["facts"], ids=lambda vector: vector["cards"])
def test_facts(vector: dict[str, Any]) -> None:
    cards = vector["cards"].split()
    coup = Coup.of(deal.deal(tuple(cards)))
    assert {name: fact.of(coup) for name, fact in FACTS.items()} == verifier.facts_of(cards) == vector["facts"]


def test_the_vectors_have_every_value_of_every_fact() -> None:
    known = {name: set(fact.values) for name, fact in FACTS.items()}
    assert {name: set(values) for name, values in verifier.FACTS.items()} == known
    assert {name: {vector["facts"][name] for vector in VECTORS["facts"]} for name in known} == known


def test_every_line_of_the_vectors_decides_once_and_every_fact_is_asked_for() -> None:
    rules = msgspec.convert(VECTORS["money"]["rules"]["no_commission"], TableRules)
    assert {each.fact for spot in rules.spots for line in spot.lines for each in line.when} == set(FACTS)
    decided = {
        (vector["spot"], rules.spot(vector["spot"]).line(coup_of(vector)))  # type: ignore[union-attr]
        for vector in VECTORS["money"]["stakes"]
        if vector["rules"] == "no_commission"
    }
    assert decided >= {(spot.name, line) for spot in rules.spots for line in (*spot.lines, None)}


def test_every_verifier_knows_the_published_games() -> None:
    rules, digests = VECTORS["published"]["rules"], VECTORS["published"]["digests"]
    shipped = {name: record(rules_for(name, currency="EUR")).values for name in PRESETS}
    assert {name: {each: values[each] for each in verifier.GAME} for name, values in shipped.items()} == rules
    assert {name: hashlib.sha256(canonical(values)).hexdigest() for name, values in rules.items()} == digests
    assert digests == verifier.PUBLISHED
    for source in (PAGE_VERIFIER / "spots.js", PHP_VERIFIER):
        said = re.findall(r"'?(\w+)'?(?::| =>) [\"']([0-9a-f]{64})[\"'],", source.read_text(encoding="utf-8"))
        assert dict(said) == digests


def test_a_published_game_is_the_same_in_every_currency_and_by_other_chips_and_limits() -> None:
    for preset in PRESETS:
        own = rules_for(preset, currency="JPY", minimum=5000, maximum=9000, chips=(1000, 5000))
        assert verifier.is_published(record(own).values)
        fewer = rules_for(preset, currency="EUR", decks=7)
        assert not verifier.is_published(record(fewer).values)
    assert not verifier.is_published(record(rules_for("mini", currency="EUR")).values | {"preset": "overview"})


def coup_of(vector: dict[str, Any]) -> Coup:
    return Coup.of(deal.deal(tuple(vector["cards"].split())))


@pytest.mark.parametrize("vector", VECTORS["money"]["stakes"])
def test_money(vector: dict[str, Any]) -> None:
    rules = VECTORS["money"]["rules"][vector["rules"]]
    wanted = {name: vector[name] for name in ("result", "won", "commission", "returned")}
    settled = payouts.settle(
        msgspec.convert(rules, TableRules),
        {vector["spot"]: vector["stake"]},
        coup_of(vector),
    )
    ours = msgspec.to_builtins(settled.results[0])
    assert {name: ours[name] for name in wanted} == wanted
    facts = verifier.facts_of(vector["cards"].split())
    assert verifier.result_of(rules, vector["spot"], vector["stake"], facts) == wanted


def test_signed_wagers() -> None:
    vector = VECTORS["wager"]
    wager, secret = vector["wager"], bytes.fromhex(vector["private_key"])
    signature = wager["signature"]
    asked = [("banker", 1000), ("tie", 500 - 300)]
    signed = closing.encode_wager(
        terms=vector["terms"], wager=UUID(wager["wager"]), player=UUID(wager["player"]), seat=wager["seat"],
        play_money=False, currency=vector["currency"], stakes=asked, nonce=bytes.fromhex(signature["nonce"]),
    )  # fmt: skip
    key = bytes.fromhex(signature["public_key"])
    assert signed.hex() == vector["bytes"]
    assert key == b"\1" + ed25519.public_key(secret)
    assert ed25519.sign(secret, signed).hex() == signature["signature"]
    assert closing.wager_leaf(signed, public_key=key).hex() == vector["leaf"]
    assert leaf_of(vector["terms"], wager, vector["currency"]).hex() == vector["leaf"]
    other = {**wager, "signature": {**signature, "nonce": "00" * 32}}
    for changed in (other, {**wager, "player": VECTORS["wager"]["wager"]["wager"]}):
        with pytest.raises(verifier.CheckFailed):
            leaf_of(vector["terms"], changed, vector["currency"])


def test_receipts() -> None:
    receipt, secret = VECTORS["receipt"]["receipt"], bytes.fromhex(VECTORS["receipt"]["private_key"])
    stakes = [("banker", 1000), ("tie", 500)]
    signed = closing.encode_receipt(
        terms=receipt["terms"]["digest"], leaf=bytes.fromhex(receipt["leaf"]),
        player=UUID(receipt["player"]), seat=receipt["seat"], place=receipt["place"], stakes=stakes,
        currency=receipt["currency"],
        confirmed_at_us=verifier.microseconds(receipt["confirmed_at"]),
        close_by_us=verifier.microseconds(receipt["close_by"]),
    )  # fmt: skip
    assert signed.hex() == VECTORS["receipt"]["bytes"]
    assert ed25519.public_key(secret).hex() == receipt["public_key"]
    assert ed25519.sign(secret, signed).hex() == receipt["signature"]
    assert verifier.encode_receipt(receipt) == (receipt["terms"]["digest"], bytes.fromhex(receipt["leaf"]), signed)


def test_payouts() -> None:
    payout, secret = VECTORS["payout"]["payout"], bytes.fromhex(VECTORS["payout"]["private_key"])
    results = [
        payouts.SpotResult("banker", 1000, payouts.StakeResult.WIN, 1000, 50, 1950),
        payouts.SpotResult("tie", 500, payouts.StakeResult.LOSE, 0, 0, 0),
    ]
    signed = closing.encode_payout(
        terms=payout["terms"], leaf=bytes.fromhex(payout["leaf"]), player=UUID(payout["player"]), results=paid(results),
        currency=payout["currency"], settled_at_us=verifier.microseconds(payout["settled_at"]),
    )  # fmt: skip
    assert signed.hex() == VECTORS["payout"]["bytes"]
    assert ed25519.sign(secret, signed).hex() == payout["signature"]
    assert verifier.encode_payout(payout) == signed


def test_receipts_of_contributions() -> None:
    receipt, secret = VECTORS["contributed"]["receipt"], bytes.fromhex(VECTORS["contributed"]["private_key"])
    signed = terms.encode_contributed(
        table=UUID(receipt["table"]), commitment=receipt["commitment"], witnesses=(), player=UUID(receipt["player"]),
        contribution=cut.Contribution(receipt["seat"], receipt["contribution"], receipt["player_key"]),
        contributed_at_us=verifier.microseconds(receipt["contributed_at"]),
    )  # fmt: skip
    assert signed.hex() == VECTORS["contributed"]["bytes"]
    assert ed25519.sign(secret, signed).hex() == receipt["signature"]
    assert verifier.encode_contributed(receipt) == signed


def test_drawings_with_witnesses() -> None:
    vector = VECTORS["witnesses"]
    header = bytes.fromhex(vector["header"])
    parsed = links.check_header(vector["header"], vector["signature"], vector["house_signature"])
    assert hashlib.sha256(header).hexdigest() == parsed.chain.hex() == vector["chain"]
    leaves = [
        merkle.leaf_hash(b"casino.witness.leaf.v1\0" + index.to_bytes(8, "big") + each)
        for index, each in enumerate(_links_of_chain(vector))
    ]
    assert parsed.root == merkle.root(leaves)
    place = {"chain": vector["chain"], "index": vector["index"]}
    witnesses = [terms.WitnessIndex(**place)]
    assert terms.encode_witnesses(witnesses).hex() == verifier.indexes_of([place]).hex() == vector["x"]
    listed = vector["contributions"]
    closed = terms.close_cut(
        commitment=vector["commitment"],
        witnesses=witnesses,
        contributions=[cut.Contribution(**each) for each in listed],
    )
    theirs = verifier.cut_of(vector["commitment"], listed, verifier.indexes_of([place]))
    assert closed.hex() == theirs.hex() == vector["cut"]
    seed, given = bytes.fromhex(vector["seed"]), vector["release"]
    drawn = [shuffle.Link(vector["chain"], vector["index"], given["link"])]
    order = shuffle.shuffle(seed, cut=closed, decks=8, first=6, links=drawn)
    encoded = bytes.fromhex(vector["x"])[1:] + bytes.fromhex(given["link"])
    assert list(order) == verifier.shuffle(seed, closed, 8, 6, links=[encoded]) == vector["cards"].split()
    release = links.SignedRelease(**given)
    statement = links.statement_of(release, index=vector["index"], kind=ClosingKind.PLAYED, digest=vector["digest"])
    assert statement.hex() == vector["statement"]
    links.check_release(parsed, release, index=vector["index"], kind=ClosingKind.PLAYED, digest=vector["digest"])


def test_names_beyond_the_basic_plane_are_sorted_as_utf_16() -> None:
    vector = VECTORS["canonical_names"]
    assert verifier.canonical(vector["value"]).hex() == vector["bytes"]
    with pytest.raises(NotCanonical):  # events have no such names
        canonical(vector["value"])


def check_closing(vector: dict[str, Any], recorded: dict[str, Any], leaves: list[bytes]) -> None:
    """Compare a closing's digest with that of the verifier and that of the service."""
    place, cosigned = vector["terms"]["witnesses"], recorded["cosigned"]
    root, extra = verifier.root_of(leaves) if leaves else hashlib.sha256(b"").digest(), verifier.indexes_of(place)
    fields = {**recorded, "cosigned_size": cosigned["size"], "cosigned_root": cosigned["root"]}
    digest = verifier.digest_of_closing(vector["digest"], fields, root, vector["closed_at"], extra)
    ours = closing.close(
        blind=bytes.fromhex(recorded["blind"]),
        terms=vector["digest"],
        witnesses=[terms.WitnessIndex(**each) for each in place],
        kind=ClosingKind(recorded["kind"]),
        cause=recorded["cause"],
        leaves=leaves,
        seats=[closing.SeatEnd(each["seat"], closing.SeatClosing(each["end"])) for each in recorded["seats"]],
        closed_at_us=verifier.microseconds(vector["closed_at"]),
        sealed_head=recorded["sealed_head"],
        before=recorded["before"],
        cosigned=LogHead(**cosigned),
    )
    assert ours.digest == digest == recorded["digest"]


def check_terms(vector: dict[str, Any]) -> None:
    assert msgspec.convert(vector["terms"], terms.Terms).digest() == vector["digest"]
    assert verifier.digest_of_terms(vector["terms"]) == vector["digest"]


def test_rounds_with_witnesses() -> None:
    vector = VECTORS["witnessed_round"]
    given, witnesses = vector["contribution"], [terms.WitnessIndex(**each) for each in vector["terms"]["witnesses"]]
    signed = terms.encode_contribution(
        table=UUID(given["table"]), commitment=given["commitment"], witnesses=witnesses, seat=given["seat"],
        contribution=given["contribution"],
    )  # fmt: skip
    assert signed.hex() == given["bytes"]
    told = {**given, "signature": {name: given[name] for name in ("public_key", "signature")}}
    extra = verifier.indexes_of(given["witnesses"])
    assert verifier.is_signed_contribution(given["table"], given["commitment"], told, extra)
    assert not verifier.is_signed_contribution(given["table"], given["commitment"], told)
    assert verifier.cut_of(given["commitment"], [told], extra).hex() == vector["terms"]["cut"]
    check_terms(vector)
    leaves = [leaf_of(vector["digest"], wager, vector["currency"]) for wager in vector["wagers"]]
    assert [leaf.hex() for leaf in leaves] == vector["leaves"]
    for recorded in vector["closings"]:
        check_closing(vector, recorded, leaves[: recorded["count"]])
    asked = vector["request"]
    request = ClosingRequest(
        bytes.fromhex(asked["chain"]), asked["index"], ClosingKind(asked["kind"]), bytes.fromhex(asked["digest"])
    ).serialize()
    assert request.hex() == asked["bytes"]
    assert verifier.is_signed(bytes.fromhex(asked["public_key"]), request, bytes.fromhex(asked["signature"]))


def test_long_shoes_with_witnesses() -> None:
    vector = VECTORS["witnessed_shoe"]
    seed, shoe, decks = bytes.fromhex(vector["seed"]), vector["shoe"], vector["decks"]
    promise = verifier.commitment_of(seed, vector["table"], shoe, vector["number"])
    drawing = commitment.Drawing(UUID(vector["table"]), UUID(shoe), vector["number"])
    assert drawing.commit(seed) == promise == vector["commitment"]
    (place,) = vector["witnesses"]
    extra, listed = verifier.indexes_of([place]), [cut.Contribution(**each) for each in vector["contributions"]]
    closed = terms.close_cut(commitment=promise, witnesses=[terms.WitnessIndex(**place)], contributions=listed)
    theirs = verifier.cut_of(promise, vector["contributions"], extra)
    assert closed.hex() == theirs.hex() == vector["cut"]
    drawn, cards = [shuffle.Link(**place, link=vector["link"])], vector["cards"].split()
    assert shuffle.draw_key(seed, cut=closed, links=drawn).hex() == vector["key"]
    order = verifier.shuffle(seed, closed, decks, 52 * decks, links=[extra[1:] + bytes.fromhex(vector["link"])])
    assert list(shuffle.shuffle(seed, cut=closed, decks=decks, links=drawn)) == order
    assert order[: len(cards)] == cards
    leaves = [verifier.card_leaf(at, card, verifier.salt_of(seed, at)) for at, card in enumerate(order)]
    root = commitment.shoe_root(seed, cut=closed, decks=decks, links=drawn)
    assert root == verifier.root_of(leaves).hex() == vector["root"]
    path, at = [bytes.fromhex(step) for step in vector["path"]], vector["place"]
    assert (order[at], verifier.salt_of(seed, at).hex()) == (vector["card"], vector["salt"])
    assert verifier.root_by_path(leaves[at], at, len(order), path) == bytes.fromhex(root)
    check_terms(vector)
    check_closing(vector, vector["closing"], [])


def test_rounds_of_a_long_shoe_without_a_fixed_order() -> None:
    vector = VECTORS["drawn_round"]
    seed, number, decks, out = bytes.fromhex(vector["seed"]), vector["number"], vector["decks"], vector["dealt"].split()
    own = shuffle.round_seed(seed, number)
    assert own.hex() == verifier.seed_of_round(seed, number).hex() == vector["round_seed"]
    promise = verifier.commitment_of(own, vector["table"], vector["shoe"], number)
    drawing = commitment.Drawing(UUID(vector["table"]), UUID(vector["shoe"]), number)
    assert drawing.commit(own) == promise == vector["commitment"]
    assert terms.digest_cards(out) == vector["digest_of_dealt"]
    (place,), closed = vector["witnesses"], bytes.fromhex(vector["cut"])
    drawn = [shuffle.Link(**place, link=vector["link"])]
    assert shuffle.draw_key(own, cut=closed, links=drawn).hex() == vector["key"]
    encoded = verifier.indexes_of([place])[1:] + bytes.fromhex(vector["link"])
    cards = vector["cards"].split()
    assert list(shuffle.shuffle(own, cut=closed, decks=decks, first=len(cards), links=drawn, out=out)) == cards
    assert verifier.shuffle(own, closed, decks, len(cards), links=[encoded], out=out) == cards


def test_notes_and_cosignatures() -> None:
    vector = VECTORS["cosignature"]
    head = TreeHead(vector["origin"], vector["size"], bytes.fromhex(vector["root"]))
    own, other = bytes.fromhex(vector["log_private_key"]), bytes.fromhex(vector["cosigner_private_key"])
    log_key = NoteKey(head.origin, SignatureType.NOTE, bytes.fromhex(vector["log_public_key"]))
    cosigner = NoteKey.parse(vector["cosigner"])
    assert (str(head), log_key.id.hex()) == (vector["text"], vector["log_key_id"])
    assert (ed25519.public_key(own), ed25519.public_key(other)) == (log_key.public, cosigner.public)
    signatures = (
        signed_note.sign(str(head), name=head.origin, private=own),
        signed_note.cosign(str(head), name=cosigner.name, private=other, time=vector["time"]),
    )
    assert str(SignedNote(str(head), signatures)) == vector["note"]
    text, origin, size, root, lines = verifier.parse_note(vector["note"])
    assert (text, origin, size, root) == (str(head), head.origin, head.size, head.root)
    (name, identity, signature), (_, _, blob) = lines
    assert (name, identity) == (origin, verifier.key_id(origin, verifier.NOTE_KEY, log_key.public))
    assert verifier.is_signed(log_key.public, text.encode(), signature)
    assert int.from_bytes(blob[:8], "big") == vector["time"]
    assert verifier.is_signed(cosigner.public, bytes.fromhex(vector["cosigned_bytes"]), blob[8:])
    match = verifier.COSIGNER.fullmatch(vector["cosigner"])
    assert match is not None
    assert verifier.parse_cosigner(match) == (cosigner.name, cosigner.public)


def _links_of_chain(vector: dict[str, Any]) -> list[bytes]:
    """Return all links of the chain whose secret a vector shows."""
    secret = bytes.fromhex(vector["k"])
    tag = b"casino.witness.link.v1\0"
    return [hmac.digest(secret, tag + index.to_bytes(8, "big"), "sha256") for index in range(2 ** vector["h"])]
