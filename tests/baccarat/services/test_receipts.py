"""The house signs wagers, payouts and contributions, which convicts it if it says something else afterwards."""

import copy
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.test import Client

from baccarat.domain.rules.table_rules import UnderMinimumPolicy
from baccarat.proofs import verifier
from baccarat.proofs.export import export_round
from baccarat.queries import receipt_keys, rounds
from baccarat.services import betting, seats
from casino.checkpoints import signing
from casino.events import sealer
from casino.kernel.canonical_json import canonical
from casino.kernel.money import MoneyType
from tests.baccarat.proofs.page import HAS_NODE, page_request, verify_on_page
from tests.baccarat.proofs.php import HAS_PHP, request, verify_all
from tests.support.examples import B
from tests.support.house import At, House, deal_all
from tests.support.signatures import PUBLIC_KEY, sign_contribution, sign_wager

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
        [*(key.name for key in receipt_keys.published_keys()), *(each["public_key"] for each in proof["keys"])]
        if keys is None
        else keys
    )
    result = verifier.verify(canonical(proof), trusted, [canonical(receipt)])
    (found,) = [each for each in result["checks"] if each["name"] == "receipt"]
    assert (found["verdict"] == "failed") is (result["verdict"] == "failed")
    if HAS_PHP:
        (verdict,) = verify_all([request(canonical(proof), keys=trusted, receipts=[canonical(receipt)])])
        assert {"ok": "ok", "failed": "failed", "open": "not checkable yet"}[found["verdict"]] == verdict.checks[
            "receipt"
        ][0]
    if HAS_NODE:
        requests = [page_request(canonical(proof), keys=trusted, receipts=[canonical(receipt)])]
        (page,) = verify_on_page(requests)
        assert page["checks"]["receipt"] == found["verdict"]
    return found["verdict"], found["text"]


def payout_of(house: House, at: At) -> Document:
    """Return the payout of a player's wager in the last round of a table."""
    round_ = house.last(at.guest.table).require_opened().round
    document: Document = as_json(rounds.load_round(round_=round_, operator=house.operator, viewer=at.guest.player))
    (payout,) = [each["payout"] for each in document["seats"] if each["you"]]
    assert [each["payout"] for each in document["seats"] if not each["you"]] == [None] * (len(document["seats"]) - 1)
    assert isinstance(payout, dict)
    return payout


def contribute(at: At, contribution: str, *, signed: bool = False) -> Document:
    """Contribute to the cut, and return the receipt."""
    signature = sign_contribution(at.guest.table, contribution) if signed else None
    state = betting.contribute_to_cut(actor=at.guest, contribution=contribution, contribution_signature=signature)
    assert state.you is not None
    receipt: Document = as_json(state.you.contribution)
    return receipt


def as_json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


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


def test_a_payout_says_what_the_wager_returned(house: House) -> None:
    ann, bob = house.company(house.table("atlantic_city"), 2)
    wager(ann, seat=1), wager(bob, amount=2500)
    proof = proof_of(house, ann)
    payout, other = payout_of(house, ann), payout_of(house, bob)
    assert [check(proof, each)[0] for each in (payout, other)] == ["ok", "ok"]
    assert check(proof, payout, keys=[])[0] == "open"
    assert "not signed" in check(proof, payout | {"player": payout["wager"]})[1]
    assert check(proof, payout | {"wager": other["wager"]})[0] == "failed"
    assert check(proof, payout | {"kind": "paper"})[0] == "failed"


@pytest.mark.parametrize("lie", ["returned", "commission", "stake", "player", "nothing"])
def test_a_settlement_that_is_not_as_its_payout_says_fails(house: House, lie: str) -> None:
    ann = house.seated(house.table("mini"))
    wager(ann)
    proof, payout = proof_of(house, ann), payout_of(house, ann)
    for event in proof["events"]:
        if event["type"] == "RoundSettled":
            (settled,) = event["data"]["wagers"]
            if lie == "nothing":
                event["data"]["wagers"] = []
            elif lie != "player":
                settled["results"][0][lie] += 100
        elif event["type"] == "WagerConfirmed" and lie == "player":
            event["data"]["player"] = payout["wager"]
    verdict, text = check(proof, payout)
    assert (verdict, "returned something else" in text) == ("failed", True)


@pytest.mark.parametrize("signed", [False, True])
def test_a_cut_without_a_contribution_of_which_there_is_a_receipt_fails(house: House, signed: bool) -> None:
    ann = house.seated(house.table("mini"))
    replaced, receipt = contribute(ann, "aa"), contribute(ann, "bb", signed=signed)
    wager(ann)  # what the first cards follow from was fixed before
    assert "of another drawing" in check(proof_of(house, ann), receipt)[1]
    wager(ann)
    proof = proof_of(house, ann)
    for each in (replaced, receipt):
        assert check(proof, each)[0] == "ok"
        assert "not signed" in check(proof, each | {"contribution": "cc"})[1]
    assert receipt["player_key"] == (PUBLIC_KEY if signed else "")
    lacking = {**proof, "events": [each for each in proof["events"] if each["type"] != "ShoeCutContributed"]}
    assert "the cut lacks" in check(lacking, receipt)[1]


@pytest.mark.parametrize("preset", ["mini", "big_table"])
def test_a_contribution_with_a_seat_has_a_receipt_though_it_closes_the_cut(house: House, preset: str) -> None:
    ann = house.guest(house.table(preset), house.player(real=100_000, play=0))
    state = seats.take(
        actor=ann.guest, seat=1, money_type=MoneyType.REAL, currency="EUR", buy_in=50_000, contribution="aa"
    )
    assert state.you is not None
    receipt = as_json(state.you.contribution)
    wager(ann, amount=2500)
    assert check(proof_of(house, ann), receipt)[0] == "ok"


def test_the_key_is_published_and_of_its_own(house: House, client: Client) -> None:
    ann = house.seated(house.table("mini"))
    receipt, proof = wager(ann), proof_of(house, ann)
    published = client.get("/.well-known/jwks.json").content.decode()
    purposes = [
        key["purpose"] for key in msgspec.json.decode(published)["keys"] if key["name"] == receipt["public_key"]
    ]
    assert purposes == ["receipt"]
    assert check(proof, receipt, keys=verifier.parse_keys(published))[0] == "ok"
