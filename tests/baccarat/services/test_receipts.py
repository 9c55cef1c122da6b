"""The house signs a receipt of each wager, which convicts it if terms, stakes or places change afterwards."""

import copy
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.test import Client

from baccarat.domain.rules.table_rules import UnderMinimumPolicy
from baccarat.proofs import checks, verifier
from baccarat.proofs.export import export_round
from baccarat.queries import receipts
from baccarat.services import betting
from casino.checkpoints import signing
from casino.events import sealer
from casino.kernel.canonical_json import canonical
from tests.baccarat.proofs.php import HAS_PHP, request, verify_all
from tests.support.examples import B
from tests.support.house import At, House, deal_all
from tests.support.signatures import sign_wager

Document = dict[str, Any]


def wager(at: At, *, amount: int = 1000, seat: int | None = None) -> Document:
    """Confirm a wager on Banker, signed if the seat is named, and return its receipt."""
    signature = None if seat is None else sign_wager(at.guest, {B: amount}, seat=seat)
    state = betting.deal(actor=at.guest, stakes={B: amount}, currency="EUR", signature=signature)
    document: Document = msgspec.json.decode(msgspec.json.encode(state.receipt))
    return document


def proof_of(house: House, at: At) -> Document:
    """Deal, seal and export the last round of a table."""
    deal_all()
    sealer.seal_all()
    signing.sign_now()
    round_ = house.last(at.guest.table).require_opened().round
    document: Document = msgspec.json.decode(
        canonical(export_round(round_=round_, operator=house.operator, viewer=None))
    )
    return document


def check(proof: Document, receipt: Document, *, keys: list[str] | None = None) -> tuple[str, str]:
    """Return the verdict and the text of the receipt's check."""
    trusted = (
        [*(key.name for key in receipts.published_keys()), *(each["public_key"] for each in proof["keys"])]
        if keys is None
        else keys
    )
    result = verifier.verify(canonical(proof), trusted, canonical(receipt))
    ours = checks.verify(canonical(proof), keys=trusted, receipt=canonical(receipt)).document()
    (mine,) = [each for each in ours["checks"] if each["name"] == "receipt"]
    (found,) = [each for each in result["checks"] if each["name"] == "receipt"]
    assert (found["verdict"] == "failed") is (result["verdict"] == "failed")
    assert (mine["verdict"], mine["text"]) == (found["verdict"], found["text"])
    if HAS_PHP:
        (verdict,) = verify_all([request(canonical(proof), keys=trusted, receipt=canonical(receipt))])
        assert {"ok": "ok", "failed": "failed", "open": "not checkable yet"}[found["verdict"]] == verdict.checks[
            "receipt"
        ][0]
    return found["verdict"], found["text"]


def test_receipts_of_signed_and_unsigned_wagers_agree_with_the_proof(house: House) -> None:
    ann, bob = house.company(house.table("atlantic_city"), 2)
    first, second = wager(ann, seat=1), wager(bob, amount=2500)
    proof = proof_of(house, ann)

    assert (first["place"], second["place"]) == (0, 1)
    for receipt in (first, second):
        assert check(proof, receipt)[0] == "ok"
        verdict, text = check(proof, receipt, keys=[])
        assert (verdict, "do not trust" in text) == ("open", True)


def test_a_receipt_tells_what_was_raised(house: House) -> None:
    ann = house.seated(house.table("mini", minimum=500, under_minimum=UnderMinimumPolicy.RAISE))
    receipt = wager(ann, amount=100)
    assert (receipt["stakes"], receipt["raised"]) == (
        [{"spot": "banker", "amount": "5.00"}], [{"spot": "banker", "amount": "4.00"}],
    )  # fmt: skip
    assert check(proof_of(house, ann), receipt)[0] == "ok"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda receipt: receipt.update(place=1), "not signed"),
        (lambda receipt: receipt["stakes"][0].update(amount="20.00"), "not signed"),
        (lambda receipt: receipt["terms"].update(rules="ab" * 32), "not signed"),
        (lambda receipt: receipt.update(close_by="2026-01-01T00:00:00Z"), "not signed"),
        (lambda receipt: receipt.update(signature="00" * 64), "not signed"),
        (lambda receipt: receipt.pop("terms"), "lacks a member"),
    ],
)
def test_a_receipt_that_the_house_did_not_sign_convicts_nobody(
    house: House, change: Callable[[Document], object], says: str
) -> None:
    ann = house.seated(house.table("mini"))
    receipt = wager(ann)
    proof = proof_of(house, ann)
    change(receipt)
    verdict, text = check(proof, receipt)
    assert verdict == "failed"
    assert says in text


def test_a_round_that_is_not_as_its_receipt_says_fails(house: House) -> None:
    ann, bob = house.company(house.table("atlantic_city"), 2)
    receipt, _ = wager(ann), wager(bob, amount=2500)
    proof = proof_of(house, ann)
    swapped, later = copy.deepcopy(proof), proof_of(house, bob)
    one, other = [each for each in swapped["events"] if each["type"] == "WagerConfirmed"]
    one["data"], other["data"] = other["data"], one["data"]
    assert "not at the place" in check(swapped, receipt)[1]

    wager(ann), wager(bob)
    later = proof_of(house, bob)
    assert "of other terms" in check(later, receipt)[1]


def test_the_key_is_published_and_of_its_own(house: House, client: Client) -> None:
    ann = house.seated(house.table("mini"))
    receipt, proof = wager(ann), proof_of(house, ann)
    published = client.get("/.well-known/jwks.json").content.decode()
    purposes = [
        key["purpose"] for key in msgspec.json.decode(published)["keys"] if key["name"] == receipt["public_key"]
    ]
    assert purposes == ["receipt"]
    assert check(proof, receipt, keys=verifier.parse_keys(published))[0] == "ok"
