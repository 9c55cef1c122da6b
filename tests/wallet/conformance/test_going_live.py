"""A live operator's own wallet is asked only once a signed report proves that it passes the kit."""

import json
from datetime import timedelta
from typing import Any

import pytest

from casino.events.sql import database_now, fetch
from casino.operators import signing_keys
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant
from tests.wallet.conformance.wallets import public_key
from wallet.funding.conformance import ConformanceProof
from wallet.funding.events import WalletProfile

pytestmark = pytest.mark.django_db
URL = "https://wallet.example/casino"


@pytest.fixture
def house() -> Tenant:
    return with_key(tenant("lucky"))


def with_key(house: Tenant) -> Tenant:
    """Register the key that the operator's wallet signs with."""
    signing_keys.add_public(key_id=house.credential.split(".")[0], jwk=public_key(), by="test")
    return house


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def proof(
    *, url: str = URL, failed: int = 0, days: float = 0.0, profile: WalletProfile = WalletProfile.STANDARD
) -> str:
    ended_at = database_now() - timedelta(days=days)
    return ConformanceProof(url, 52, failed, "5e" * 32, ended_at, profile).sign()


def ask_for(house: Tenant, **more: str) -> Any:
    return house.post("operator/funding", {"funding": "seamless", "wallet_url": URL, **more}, person="ann")


def test_a_live_operator_needs_a_proof_that_is_signed_whole_recent_and_of_this_wallet(house: Tenant) -> None:
    mine = proof()
    head, claims, _ = mine.split(".")
    other = proof(url="https://other.example").split(".")[1]
    wrong = {
        "missing": "",
        "no proof": json.dumps({"sub": URL}),
        "changed": f"{head}.{other}.{mine.split('.')[2]}",
        "unsigned": f"{head}.{claims}.",
        "of another wallet": proof(url="https://other.example"),
        "of another profile": proof(profile=WalletProfile.HUB88),
        "with a failure": proof(failed=1),
        "too old": proof(days=30.01),
        "of the future": proof(days=-1),
    }
    refused = {name: code(ask_for(house, conformance=each)) for name, each in wrong.items() if each}
    refused["missing"] = code(ask_for(house))
    assert refused == dict.fromkeys(wrong, (409, "wallet_not_conformant"))
    assert house.read("operator/funding") == {"funding": "house", "wallet_url": None, "wallet_profile": None}


def test_with_a_proof_two_persons_change_the_funding_and_the_event_keeps_it(house: Tenant) -> None:
    mine = proof(url=f"{URL}/", days=29.9)
    change = ask_for(house, conformance=mine).json()["id"]
    assert house.do(f"changes/{change}/confirm", person="ben")["status"] == "effective"
    assert house.read("operator/funding") == {"funding": "seamless", "wallet_url": URL, "wallet_profile": "standard"}
    ((kept,),) = fetch("SELECT data->>'conformance' FROM events_event WHERE type = 'FundingChanged'")
    assert kept == mine


def test_a_proof_that_grows_too_old_before_the_second_person_counts_no_more(
    house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = ask_for(house, conformance=proof(days=20)).json()["id"]
    monkeypatch.setattr("wallet.funding.conformance.MAX_AGE", timedelta(days=10))
    assert code(house.post(f"changes/{change}/confirm", person="ben")) == (409, "wallet_not_conformant")
    assert house.read("operator/funding")["funding"] == "house"


def test_a_sandbox_operator_needs_no_proof() -> None:
    house = with_key(sandbox_tenant("lucky"))
    assert house.do("operator/funding", {"funding": "seamless", "wallet_url": URL})["funding"] == "seamless"
