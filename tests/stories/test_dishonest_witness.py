"""A dishonest witness, alone and together with the house: what it signs convicts it, or a kept receipt does."""

import copy
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest

from baccarat.domain.fairness.closing import LogHead, SeatClosing, SeatEnd, close, encode_receipt
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.shuffle import Link, shuffle
from baccarat.domain.fairness.terms import Terms, WitnessIndex, close_cut, digest_cards
from baccarat.domain.rules.deal import deal, replay
from baccarat.proofs import verifier
from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import SignedNote, TreeHead
from casino.kernel import merkle
from casino.kernel.canonical_json import canonical
from casino.witness import compare, statements
from casino.witness.compare import Source
from casino.witness.statements import ChainHeader, ClosingKind, Release
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import FORGER, Document, event_data, golden
from tests.baccarat.proofs.page import HAS_NODE, page_request, verify_on_page
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE, LOG_PRIVATE, ORIGIN
from tests.support.aimed_rounds import TABLE
from tests.support.local_witness import LocalWitness, open_witness
from tests.support.spots import SPOTS

LATER: Final = 3600.0


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[LocalWitness]:
    witness = open_witness(tmp_path / "witness", monkeypatch)
    yield witness
    witness.witness.store.close()


# -- alone -----------------------------------------------------------------------------------------------------------


class Holder:
    """Somebody who keeps what a witness gave them: a house, a player, or whoever read it."""

    def __init__(self, name: str, *lines: dict[str, Any]) -> None:
        self.source = Source(name, is_witness=False)
        for line in lines:
            self.source.add(line)

    def contradicts(self, other: "Holder") -> set[str]:
        times = [statement.time_ms for each in (self, other) for statement, _ in each.source.statements]
        found = compare.compare(self.source, other.source, now=max(times, default=0) / 1000 + LATER)
        return {finding.kind for finding in found}


def test_two_digests_for_one_index_are_two_signed_statements(witness: LocalWitness) -> None:
    """It tells each of two holders another story, each with a good signature, link and path."""
    header, first = given(witness)
    second = replace(first, digest=b"\x99" * 32)
    one, other = (Holder(name, *chain(witness), signed(witness, each)) for name, each in (("a", first), ("b", second)))
    for holder in (one, other):
        assert holder.source.findings == []
        statements.verify_release(header, *raw(witness, first), path(witness, first))
    assert compare.INDEX_TWICE in one.contradicts(other)
    assert one.contradicts(one) == set()


def test_another_story_under_another_number_still_gives_the_index_out_twice(witness: LocalWitness) -> None:
    _, first = given(witness)
    hidden = replace(first, digest=b"\x99" * 32, number=first.number + 1, time_ms=first.time_ms + 1)
    one, other = (
        Holder("a", *chain(witness), signed(witness, first)),
        Holder("b", *chain(witness), signed(witness, hidden)),
    )
    assert one.contradicts(other) == {compare.INDEX_TWICE}


def test_a_forked_checkpoint_has_two_cosigned_roots_of_one_size(witness: LocalWitness) -> None:
    one, other = (Holder(str(root), {"note": cosigned(witness, bytes([root]) * 32)}) for root in (1, 2))
    assert one.contradicts(other) == {compare.FORKED}


def test_a_wrong_link_is_not_taken_by_the_house_and_convicts_the_witness_that_signed_it(witness: LocalWitness) -> None:
    header, first = given(witness)
    wrong = replace(first, link=b"\x99" * 32)
    with pytest.raises(statements.InvalidStatement, match="not on the chain"):
        statements.verify_release(header, *raw(witness, wrong), path(witness, first))
    shown = [each.hex() for each in path(witness, first)]
    holder = Holder("house", *chain(witness), {**signed(witness, wrong), "path": shown})
    assert [each.kind for each in holder.source.findings] == [compare.WRONG_LINK]


@pytest.mark.parametrize("minutes", [2, 60 * 24])
def test_a_statement_dated_before_its_terms_is_named(witness: LocalWitness, minutes: int) -> None:
    """The digest covers terms, wagers and the time of closing: nobody can have signed it before them."""
    _, first = given(witness)
    closed_ms = first.time_ms + minutes * 60_000
    result = {"closed_ms": closed_ms, "ended_ms": closed_ms + 100, "result": "settled"}
    house = Holder("house", *chain(witness), {**signed(witness, first), **result})
    assert compare.EARLY in house.contradicts(Holder("nobody"))


def test_statements_whose_time_runs_back_do_not_follow_one_another(witness: LocalWitness) -> None:
    _, first = given(witness)
    back = Release(first.chain, 1, first.kind, b"\x98" * 32, b"", first.time_ms - 1, 2, b"")
    secret = witness.witness.store.read().execute("SELECT secret FROM chain").fetchone()[0]
    previous = statements.statement_hash(first.serialize())
    back = replace(back, link=statements.link(secret, 1), previous=previous)
    source = Source("witness", is_witness=True)
    for line in (*chain(witness), signed(witness, first), signed(witness, back)):
        source.add(line)
    found = compare.compare(source, Holder("house", *chain(witness), signed(witness, first)).source, now=0)
    assert compare.BROKEN in {each.kind for each in found}


def given(witness: LocalWitness) -> tuple[ChainHeader, Release]:
    """Have a link given out."""
    header = witness.chain(TABLE, height=8)
    request = statements.ClosingRequest(header.chain, 0, ClosingKind.PLAYED, b"\x51" * 32)
    (result,) = witness.release([request])
    return header, Release.parse(bytes.fromhex(result["statement"]))


def chain(witness: LocalWitness) -> list[dict[str, Any]]:
    return [line for line in witness.lines() if "header" in line]


def raw(witness: LocalWitness, release: Release) -> tuple[bytes, bytes]:
    data = release.serialize()
    return data, ed25519.sign(witness.release_private, data)


def signed(witness: LocalWitness, release: Release) -> dict[str, Any]:
    data, signature = raw(witness, release)
    return {"statement": data.hex(), "signature": signature.hex()}


def path(witness: LocalWitness, release: Release) -> list[bytes]:
    shown = witness.witness.records.statement(release.chain, release.index)
    return [bytes.fromhex(each) for each in shown["path"]]


def cosigned(witness: LocalWitness, root: bytes) -> str:
    identity, head = witness.witness.store.identity, str(TreeHead(ORIGIN, 7, root))
    note = SignedNote(head, (signed_note.sign(head, name=ORIGIN, private=LOG_PRIVATE),))
    return f"{note}{signed_note.cosign(head, name=identity.name, private=identity.cosign_private, time=1)}"


# -- together with the house -----------------------------------------------------------------------------------------

RELEASE_PRIVATE, RECEIPT_PRIVATE, SECRET = b"\x71" * 32, b"\x72" * 32, b"\x73" * 32
KEYS: Final = [FORGER.public_key().public_bytes_raw().hex(), *(
    ed25519.public_key(each).hex() for each in (RELEASE_PRIVATE, RECEIPT_PRIVATE))]  # fmt: skip
"""Of the log, the witness and the receipts: the forgers have them all, and the reader trusts them all."""


class Forgers:
    """House and witness, who have every key but the player's, and make up a round from nothing but its wagers."""

    def __init__(self) -> None:
        self.document = golden("witnesses/settled")
        self.seed = bytes.fromhex(self.document["shoe"]["seed"])
        self.secret = SECRET
        self.index = event_data(self.document, "RoundOpened")["witnesses"][0]["index"]
        self.contributions = [Contribution(seat, f"{seat:02x}" * 4) for seat in (1, 2)]
        for each in self.document["events"]:
            if each["type"] == "WagerConfirmed":
                each["data"]["signature"] = None  # of the player, on the terms that were shown

    def shown(self) -> Document:
        """Write the round as it follows from seed, contributions, secret and index, and sign all of it."""
        opened, shoe = event_data(self.document, "RoundOpened"), self.document["shoe"]
        header = self.header()
        witnesses = (WitnessIndex(header.chain.hex(), self.index),)
        opened["witnesses"] = [{"chain": header.chain.hex(), "index": self.index}]
        self._open_chain(header)
        self._commit(opened, shoe)
        self._cut(opened, shoe, witnesses)
        terms = self.terms()
        opened["terms"] = terms.digest()
        release = self._release(header, self._closing(opened, witnesses))
        shoe["seed"] = event_data(self.document, "RoundSettled")["seed"] = self.seed.hex()
        cards = list(self.cards())
        event_data(self.document, "CardsDealt")["cards"] = self.document["round"]["cards"] = cards
        dealt = replay(self.cards())
        totals = {name: getattr(dealt, name) for name in ("player_total", "banker_total", "natural")}
        event_data(self.document, "RoundSettled").update(totals)
        self.document["round"].update(totals)
        event_data(self.document, "LinksReleased")["releases"] = [release]
        sign_again(self.document)
        return self.document

    def cards(self) -> tuple[str, ...]:
        chain = self.header().chain.hex()
        link = Link(chain, self.index, statements.link(self.secret, self.index).hex())
        cut = self._cut_of((WitnessIndex(chain, self.index),))
        six = shuffle(self.seed, cut=cut, decks=8, first=6, links=[link])
        dealt = deal(six)
        return six[: len(dealt.player) + len(dealt.banker)]

    def change_until_paid(self, change: Callable[["Forgers", Random], None], chance: Random | None = None) -> None:
        """Change until other cards have the outcome of the round, so that all that was paid stays as it is."""
        chance, before, round_ = chance or Random(change.__name__), self.cards(), self.document["round"]
        while True:
            change(self, chance)
            cards = self.cards()
            if cards != before and replay(cards).outcome == round_["outcome"]:
                return

    def header(self) -> ChainHeader:
        """Return the chain of the forgers' secret."""
        made = ChainHeader.parse(bytes.fromhex(event_data(self.document, "WitnessChainOpened")["header"]))
        root = merkle.root(statements.leaf_hashes(self.secret, 0, made.size))
        release_key = ed25519.public_key(RELEASE_PRIVATE)
        return replace(made, root=root, release_key=release_key, closing_key=CLOSING_KEY)

    def terms(self) -> Terms:
        opened, following = event_data(self.document, "RoundOpened"), self._announcing(0)["next_terms"]
        rules = {name: value for name, value in self.document["rules"].items() if name != "third_cards"}
        return Terms(
            table=UUID(opened["table"]),
            number=opened["number"],
            shoe=UUID(opened["shoe"]),
            next_place=0,
            cards=digest_cards(()),
            rules=sha256(canonical(rules)).hexdigest(),
            commitment=opened["commitment"],
            cut=self.document["shoe"]["cut"],
            witnesses=tuple(WitnessIndex(**each) for each in opened["witnesses"]),
            next_commitment=following["commitment"],
        )

    def receipt(self) -> bytes:
        """Sign a receipt of the first wager, on the terms as they are now."""
        opened, terms = event_data(self.document, "RoundOpened"), self.terms()
        confirmed = next(each for each in self.document["events"] if each["type"] == "WagerConfirmed")["data"]
        (units,) = confirmed["stakes"].values()
        leaf = self._leaves(terms.digest())[0]
        signed = encode_receipt(
            terms=terms.digest(),
            leaf=leaf,
            player=UUID(confirmed["player"]),
            seat=1,
            place=0,
            stakes=[("banker", units)],
            currency="EUR",
            confirmed_at_us=verifier.microseconds(confirmed["confirmed_at"]),
            close_by_us=verifier.microseconds(opened["deadline_at"]),
        )
        fields = {name: getattr(terms, name) for name in Terms.__slots__ if name not in {"table", "witnesses"}}
        return canonical(
            {
                "kind": "wager",
                "table": opened["table"],
                "round": opened["round"],
                "terms": {
                    **fields,
                    "shoe": opened["shoe"],
                    "witnesses": opened["witnesses"],
                    "contributions": [asdict(each) for each in self.contributions],
                    "digest": terms.digest(),
                },
                "wager": confirmed["wager"],
                "player": confirmed["player"],
                "seat": 1,
                "money_type": confirmed["money_type"],
                "currency": "EUR",
                "place": 0,
                "stakes": [{"spot": "banker", "amount": f"{units // 100}.{units % 100:02}"}],
                "raised": [],
                "wager_signature": None,
                "leaf": leaf.hex(),
                "confirmed_at": confirmed["confirmed_at"],
                "close_by": opened["deadline_at"],
                "public_key": ed25519.public_key(RECEIPT_PRIVATE).hex(),
                "signature": ed25519.sign(RECEIPT_PRIVATE, signed).hex(),
            }
        )

    def _open_chain(self, header: ChainHeader) -> None:
        data, raw = event_data(self.document, "WitnessChainOpened"), header.serialize()
        data["header"], data["signature"] = raw.hex(), ed25519.sign(RELEASE_PRIVATE, raw).hex()
        data["house_signature"] = ed25519.sign(CLOSING_PRIVATE, raw).hex()

    def _announcing(self, ahead: int) -> Document:
        number = self.document["round"]["number"] - ahead
        dealt = [each["data"] for each in self.document["events"] if each["type"] == "CardsDealt"]
        found: Document = next(each for each in dealt if (each["next_terms"] or {}).get("number") == number)
        return found

    def _commit(self, opened: Document, shoe: Document) -> None:
        drawing = Drawing(UUID(opened["table"]), UUID(opened["shoe"]), opened["number"])
        commitment = drawing.commit(self.seed)
        for place in (opened, shoe, self._announcing(1)["next_terms"]):
            place["commitment"] = commitment

    def _cut_of(self, witnesses: tuple[WitnessIndex, ...]) -> bytes:
        opened = event_data(self.document, "RoundOpened")
        drawing = Drawing(UUID(opened["table"]), UUID(opened["shoe"]), opened["number"])
        commitment = drawing.commit(self.seed)
        return close_cut(commitment=commitment, witnesses=witnesses, contributions=self.contributions)

    def _cut(self, opened: Document, shoe: Document, witnesses: tuple[WitnessIndex, ...]) -> None:
        listed = [
            {"seat": each.seat, "contribution": each.contribution, "public_key": ""} for each in self.contributions
        ]
        opened["contributions"] = shoe["contributions"] = listed
        contributed = [each["data"] for each in self.document["events"] if each["type"] == "ShoeCutContributed"]
        for data, each in zip(contributed, self.contributions, strict=True):
            data.update(seat=each.seat, contribution=each.contribution, signature=None)
        shoe["cut"] = self._cut_of(witnesses).hex()

    def _leaves(self, terms: str) -> list[bytes]:
        wagers = [each["data"] for each in self.document["events"] if each["type"] == "WagerConfirmed"]
        return [verifier.wager_leaf(terms, each, "EUR", SPOTS) for each in wagers]

    def _closing(self, opened: Document, witnesses: tuple[WitnessIndex, ...]) -> str:
        closed = event_data(self.document, "BettingClosed")
        data = closed["closing"]
        closing = close(
            blind=bytes.fromhex(data["blind"]),
            terms=opened["terms"],
            witnesses=witnesses,
            kind=ClosingKind.PLAYED,
            cause=0,
            leaves=self._leaves(opened["terms"]),
            seats=[SeatEnd(each["seat"], SeatClosing.DEALT) for each in opened["seats"]],
            closed_at_us=verifier.microseconds(closed["closed_at"]),
            sealed_head=data["sealed_head"],
            before=data["before"],
            cosigned=LogHead(**data["cosigned"]),
        )
        data["digest"] = closing.digest
        return closing.digest

    def _release(self, header: ChainHeader, digest: str) -> Document:
        old = event_data(self.document, "LinksReleased")["releases"][0]
        link, leaves = statements.link(self.secret, self.index), statements.leaf_hashes(self.secret, 0, header.size)
        release = Release(
            header.chain, self.index, ClosingKind.PLAYED, bytes.fromhex(digest), link, old["time_ms"], old["number"],
            bytes.fromhex(old["previous"]),
        )  # fmt: skip
        return {
            **old,
            "chain": header.chain.hex(),
            "link": link.hex(),
            "signature": ed25519.sign(RELEASE_PRIVATE, release.serialize()).hex(),
            "path": b"".join(merkle.path(leaves, self.index)).hex(),
        }


def another_seed(forgers: Forgers, chance: Random) -> None:
    forgers.seed = chance.randbytes(32)


def another_contribution(forgers: Forgers, chance: Random) -> None:
    forgers.contributions[1] = Contribution(2, chance.randbytes(16).hex())


def another_chain(forgers: Forgers, chance: Random) -> None:
    forgers.secret = chance.randbytes(32)


def another_index(forgers: Forgers, chance: Random) -> None:
    forgers.index = chance.randrange(256)


def verdict(document: Document, receipt: bytes | None = None) -> tuple[str, str]:
    """Return the verdict that the verifiers come to, and that of their check of the receipt."""
    data, receipts = canonical(document), [] if receipt is None else [receipt]
    result = verifier.verify(data, KEYS, receipts)
    results = {each["name"]: each["verdict"] for each in result["checks"]}
    if HAS_NODE:
        (shown,) = verify_on_page([page_request(data, keys=KEYS, receipts=receipts)])
        assert (shown["verdict"], shown["checks"]) == (result["verdict"], results)
    return result["verdict"], results.get("receipt", "none")


@pytest.mark.parametrize("change", [another_seed, another_contribution, another_chain, another_index])
def test_house_and_witness_together_cannot_change_a_card_against_one_kept_receipt(
    change: Callable[[Forgers, Random], None],
) -> None:
    """They can make a round that verifies under all their keys, but not on the terms of the receipt."""
    forgers = Forgers()
    forgers.change_until_paid(another_chain)
    shown = copy.deepcopy(forgers.shown())
    receipt = forgers.receipt()
    assert verdict(shown, receipt) == ("uncosigned", "ok")

    forgers.change_until_paid(change)
    forged = forgers.shown()
    assert forged["round"]["cards"] != shown["round"]["cards"]
    assert verdict(forged)[0] == "uncosigned"
    assert verdict(forged, receipt) == ("failed", "failed")
