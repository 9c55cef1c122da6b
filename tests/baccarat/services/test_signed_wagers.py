"""Players sign their wagers by a key of their own: on these terms, with these stakes, or not at all."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec
import pytest

from baccarat.audit import engine
from baccarat.domain.rounds.events import BettingClosed, RoundOpened, WagerConfirmed, WagerSignature
from baccarat.domain.rounds.refusals import WagerSignatureInvalid
from baccarat.domain.rules.table_rules import UnderMinimumPolicy
from baccarat.proofs import verifier
from baccarat.proofs.export import export_round
from baccarat.services import betting, turns
from casino.checkpoints import signing
from casino.crypto import ed25519
from casino.events import sealer
from casino.kernel import merkle
from casino.kernel.canonical_json import canonical
from tests.support.examples import B, P
from tests.support.house import At, House, deal_all
from tests.support.signatures import sign_wager
from tests.support.spots import SPOTS


def deal(at: At, stakes: dict[str, int], signature: WagerSignature) -> None:
    betting.deal(actor=at.guest, stakes=stakes, currency="EUR", signature=signature)


def find(house: House, table: UUID, kind: type) -> Any:
    """Return the newest event of a kind."""
    return [event for _, _, event in house.events(table) if isinstance(event, kind)][-1]


def test_a_signed_wager_is_in_the_closing_with_its_key(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    deal(ann, {B: 1000}, sign_wager(ann.guest, {B: 1000}))
    deal_all()

    opened, wager, closed = (find(house, table, kind) for kind in (RoundOpened, WagerConfirmed, BettingClosed))
    document = msgspec.to_builtins(wager)
    signed = verifier.wager_leaf(opened.terms, document, "EUR", SPOTS)
    unsigned = verifier.wager_leaf(opened.terms, {**document, "signature": None}, "EUR", SPOTS)
    ends = [{"seat": wager.seat, "end": 1}]
    rest = {"kind": 1, "cause": 0, "count": 1, "seats": ends, "cosigned_size": 0, "cosigned_root": "00" * 32}
    closing, closed_at = msgspec.to_builtins(closed.closing), msgspec.to_builtins(closed.closed_at)
    digests = [
        verifier.digest_of_closing(
            opened.terms, closing | rest, merkle.root([leaf]), verifier.format_instant(closed_at)
        )
        for leaf in (signed, unsigned)
    ]
    assert digests[0] == closing["digest"] != digests[1]


def test_stakes_are_signed_as_asked_and_raised_afterwards(house: House) -> None:
    table = house.table("mini", minimum=500, under_minimum=UnderMinimumPolicy.RAISE)
    ann = house.seated(table)
    deal(ann, {B: 100}, sign_wager(ann.guest, {B: 100}))
    assert find(house, table, WagerConfirmed).stakes == {B: 500}
    deal_all()


@pytest.mark.usefixtures("database")
def test_the_last_wager_is_signed_again_on_new_terms(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    first = sign_wager(ann.guest, {B: 1000})
    deal(ann, {B: 1000}, first)
    deal_all()
    with pytest.raises(WagerSignatureInvalid):
        betting.rebet_and_deal(actor=ann.guest, signature=first)
    betting.rebet_and_deal(actor=ann.guest, signature=sign_wager(ann.guest, {B: 1000}))
    deal_all()
    assert engine.run_audit(max_wait=3600).findings == ()


@pytest.mark.parametrize(
    "what", ["terms", "player", "seat", "stakes", "spot", "nonce", "signature", "key", "other key"]
)
def test_a_signature_of_anything_else_is_refused_and_changes_nothing(house: House, what: str) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    signature = sign_wager(ann.guest, {B: 1000})
    changed = {
        "terms": lambda: sign_wager(ann.guest, {B: 1000}, terms="ab" * 32),
        "player": lambda: sign_wager(ann.guest, {B: 1000}, player=UUID(int=1)),
        "seat": lambda: sign_wager(ann.guest, {B: 1000}, seat=2),
        "stakes": lambda: sign_wager(ann.guest, {B: 1001}),
        "spot": lambda: sign_wager(ann.guest, {P: 1000}),
        "nonce": lambda: replace(signature, nonce="00" * 32),
        "signature": lambda: replace(signature, signature="00" * 64),
        "key": lambda: replace(signature, public_key="01" + "00" * 32),
        "other key": lambda: replace(signature, public_key=f"01{ed25519.public_key(bytes(32)).hex()}"),
    }[what]()
    balance, before = house.game(ann), len(house.events(table))
    with pytest.raises(WagerSignatureInvalid) as refused:
        deal(ann, {B: 1000}, changed)
    assert refused.value.facts["terms"]
    assert (house.game(ann), len(house.events(table))) == (balance, before)
    deal(ann, {B: 1000}, signature)
    deal_all()


def test_the_audit_finds_a_signature_that_is_not_the_players(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    monkeypatch.setattr(turns, "_require_signed", lambda turn, signature, stakes: None)
    deal(ann, {B: 1000}, sign_wager(ann.guest, {B: 2000}))
    deal_all()
    assert "wager not signed by its player" in {finding.kind for finding in engine.run_audit(max_wait=3600).findings}


def test_verdicts_tell_signed_wagers_from_others(house: House) -> None:
    table = house.table("atlantic_city")
    ann, bob = house.company(table, 2)
    deal(ann, {B: 1000}, sign_wager(ann.guest, {B: 1000}))
    bob.deal({B: 1000})
    deal_all()
    sealer.seal_all()
    signing.sign_now()
    exported = export_round(round_=house.last(table).require_opened().round, operator=house.operator, viewer=None)
    raw = canonical(exported)

    (told,) = [each["text"] for each in verifier.verify(raw)["checks"] if each["name"] == "closing"]
    assert "2 wagers, 1 signed; an early closing is not excluded" in told
