"""Payment terms and policies, requested on pages of the admin and confirmed by another person."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from baccarat.services import voiding
from casino.events.sql import database_now, fetch
from casino.operators import changes, signing_keys
from casino.operators.models import Change, Operator
from casino.staff.duties import Role
from tests.casino.staff.test_access_changes import create_operator, member
from tests.support.changes import pass_hours
from tests.support.keys import issue_key
from tests.support.office import client_of
from tests.support.rsa_keys import rsa_key
from tests.wallet.conformance.wallets import public_key
from tests.wallet.payments.counter import use_provider
from tests.wallet.remote.operators import proven
from tests.wallet.remote.profiles.counterparts import as_setting
from wallet.funding import services as funding
from wallet.funding.conformance import ConformanceProof
from wallet.funding.events import Funding, WalletProfile
from wallet.models import DepositMethod
from wallet.payments import methods
from wallet.responsible_gaming import play_money

pytestmark = pytest.mark.django_db
POLICY = {
    "currency": "EUR",
    "auto_approve_up_to": "50",
    "second_approval_above": "500.00",
    "minimum": "",
    "maximum": "1000.00",
    "max_pending": "3",
    "fee_fixed": "0.50",
    "fee_percent": "1.5",
    "played_percent": "50",
    "kyc_above": "200.00",
    "hold_hours": "24",
    "hold_tags": "watch vip",
}
METHOD = {
    "currency": "EUR",
    "name": "Card",
    "provider": "sandbox",
    "minimum": "10.00",
    "maximum": "200.00",
    "fee_fixed": "0",
    "fee_percent": "0",
    "processing_seconds": "60",
    "supports_withdrawals": "on",
    "enabled": "on",
}


@pytest.fixture
def lucky(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Operator:
    use_provider(monkeypatch)
    settings.CHANGE_DELAY_HOURS = 0
    return create_operator("lucky")


@pytest.fixture
def maker(lucky: Operator) -> Client:
    return client_of(member("maker", Role.APPROVER, operator=lucky))


@pytest.fixture
def checker(lucky: Operator) -> Client:
    return client_of(member("checker", Role.APPROVER, operator=lucky))


def send(client: Client, page: str, row: Any, fields: dict[str, str]) -> str:
    answer = client.post(reverse(f"admin:{page}", args=[row]), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def confirm(client: Client) -> Change:
    """Confirm the change that waits, in the admin."""
    change = Change.objects.get(status="requested")
    client.post(reverse("admin:operators_change_confirm", args=[change.pk]))
    return Change.objects.get(pk=change.pk)


def test_a_withdrawal_policy(lucky: Operator, maker: Client, checker: Client) -> None:
    assert "Requested" in send(maker, "operators_operator_withdrawal_policy", lucky.pk, POLICY)
    assert confirm(maker).status == "requested"
    assert methods.policy(operator=lucky.pk, currency="EUR").version == 0
    assert confirm(checker).status == "effective"

    policy = methods.policy(operator=lucky.pk, currency="EUR")
    terms = policy.terms
    assert (policy.auto_approve_up_to, policy.second_approval_above) == (5000, 50_000)
    assert (terms.minimum, terms.maximum, terms.max_pending) == (1, 100_000, 3)
    assert (terms.fee_fixed, terms.fee_ppm) == (50, 15_000)


def test_terms_wait_for_a_day(
    lucky: Operator, maker: Client, checker: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHANGE_DELAY_HOURS = 24
    send(maker, "operators_operator_withdrawal_policy", lucky.pk, POLICY)
    assert confirm(checker).status == "confirmed"
    assert changes.apply_due() == 0
    pass_hours(monkeypatch)
    assert changes.apply_due() == 1
    assert methods.policy(operator=lucky.pk, currency="EUR").version == 1


def test_a_deposit_method_and_its_next_version(lucky: Operator, maker: Client, checker: Client) -> None:
    send(maker, "operators_operator_deposit_method", lucky.pk, METHOD)
    confirm(checker)
    method = DepositMethod.objects.get()
    assert (method.name, method.minimum, method.maximum, method.enabled) == ("Card", 1000, 20_000, True)

    page = unescape(maker.get(reverse("admin:wallet_depositmethod_change", args=[method.pk])).content.decode())
    assert 'value="200.00"' in page
    send(maker, "wallet_depositmethod_next_version", method.pk, {**METHOD, "maximum": "300.00", "enabled": ""})
    confirm(checker)
    method = DepositMethod.objects.order_by("version").last()
    assert (method.version, method.maximum, method.enabled) == (2, 30_000, False)


def test_funding(lucky: Operator, maker: Client, checker: Client) -> None:
    page = unescape(maker.get(reverse("admin:operators_operator_change", args=[lucky.pk])).content.decode())
    assert "The operator's own wallet, by transfers" in page
    send(maker, "operators_operator_funding", lucky.pk, {"funding": "transfer", "wallet_profile": "standard"})
    assert confirm(checker).status == "effective"
    assert funding.current(lucky.pk) is Funding.TRANSFER


def test_two_persons_let_an_operators_own_wallet_be_asked_wager_by_wager(
    lucky: Operator, maker: Client, checker: Client
) -> None:
    key, _ = issue_key(operator=lucky.pk, label="wallet")
    url = "http://127.0.0.1:8200/wallet/"
    choice = proven({"funding": "seamless", "wallet_url": url, "wallet_profile": "standard"})
    send(maker, "operators_operator_funding", lucky.pk, choice)
    assert not Change.objects.exists()  # it has no key that its wallet would sign with
    signing_keys.add_public(key_id=key, jwk=public_key(), by="test")
    send(maker, "operators_operator_funding", lucky.pk, choice)
    assert confirm(maker).status == "requested"
    assert funding.current(lucky.pk) is Funding.HOUSE
    assert confirm(checker).status == "effective"
    assert (funding.current(lucky.pk), funding.choice_of(lucky.pk).wallet_url) == (
        Funding.SEAMLESS,
        "http://127.0.0.1:8200/wallet",
    )
    page = unescape(maker.get(reverse("admin:operators_operator_change", args=[lucky.pk])).content.decode())
    assert 'value="http://127.0.0.1:8200/wallet"' in page


def test_two_persons_let_it_be_asked_in_the_words_that_it_knows(
    lucky: Operator, maker: Client, checker: Client, settings: Any
) -> None:
    choice = proven({"funding": "seamless", "wallet_url": "http://127.0.0.1:8200", "wallet_profile": "hub88"})
    page = send(maker, "operators_operator_funding", lucky.pk, choice)
    assert "WALLET_RSA_KEY is not set." in page
    assert not Change.objects.exists()
    settings.WALLET_RSA_KEY = as_setting(rsa_key())
    send(maker, "operators_operator_funding", lucky.pk, choice)
    change = confirm(checker)
    assert (change.status, change.summary) == (
        "effective",
        "Change the funding of its players to seamless http://127.0.0.1:8200, asked as hub88",
    )
    assert funding.choice_of(lucky.pk).profile is WalletProfile.HUB88


def test_an_own_wallet_needs_the_proof_of_its_conformance(lucky: Operator, maker: Client, checker: Client) -> None:
    key, _ = issue_key(operator=lucky.pk, label="wallet")
    signing_keys.add_public(key_id=key, jwk=public_key(), by="test")
    choice = {"funding": "seamless", "wallet_url": "https://wallet.example", "wallet_profile": "standard"}
    page = send(maker, "operators_operator_funding", lucky.pk, choice)
    assert "There is no proof. Run `manage.py conform` against the wallet" in page
    others = ConformanceProof("https://other.example", 52, 0, "5e" * 32, database_now()).sign()
    page = send(maker, "operators_operator_funding", lucky.pk, {**choice, "conformance": others})
    assert "The proof is of https://other.example." in page
    assert not Change.objects.exists()

    proof = ConformanceProof(choice["wallet_url"], 52, 0, "5e" * 32, database_now()).sign()
    send(maker, "operators_operator_funding", lucky.pk, {**choice, "conformance": f" {proof}\n"})
    assert confirm(checker).status == "effective"
    assert funding.current(lucky.pk) is Funding.SEAMLESS
    ((kept,),) = fetch("SELECT data->>'conformance' FROM events_event WHERE type = 'FundingChanged'")
    assert kept == proof


def test_play_money_and_winnings_spent_before_a_void(lucky: Operator, maker: Client, checker: Client) -> None:
    send(maker, "operators_operator_play_money", lucky.pk, {"currency": "EUR", "cap": "12.50"})
    confirm(checker)
    assert play_money.play_money_cap(operator=lucky.pk, currency="EUR") == 1250
    send(maker, "operators_operator_play_money", lucky.pk, {"currency": "EUR", "cap": "0"})
    confirm(checker)
    assert play_money.play_money_cap(operator=lucky.pk, currency="EUR") == 0

    send(maker, "operators_operator_void_policy", lucky.pk, {"spent": "forgive"})
    confirm(checker)
    assert voiding.forgives_spent_winnings(operator=lucky.pk)


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("withdrawal_policy", {**POLICY, "currency": "USD"}),
        ("withdrawal_policy", {**POLICY, "auto_approve_up_to": "1.001"}),
        ("withdrawal_policy", {**POLICY, "auto_approve_up_to": "600.00"}),
        ("withdrawal_policy", {**POLICY, "fee_percent": "100"}),
        ("withdrawal_policy", {**POLICY, "fee_fixed": "-1"}),
        ("withdrawal_policy", {**POLICY, "max_pending": "0"}),
        ("deposit_method", {**METHOD, "minimum": "300.00"}),
        ("deposit_method", {**METHOD, "minimum": "0"}),
        ("deposit_method", {**METHOD, "provider": "nobody"}),
        ("deposit_method", {**METHOD, "name": ""}),
        ("play_money", {"currency": "EUR", "cap": ""}),
        ("play_money", {"currency": "EUR", "cap": "-5"}),
        ("play_money", {"currency": "EUR", "cap": "a lot"}),
        ("void_policy", {"spent": "perhaps"}),
        ("funding", {"funding": "seamless", "wallet_url": "", "wallet_profile": "standard"}),
        ("funding", {"funding": "seamless", "wallet_url": "ftp://example.com", "wallet_profile": "standard"}),
        ("funding", {"funding": "transfer", "wallet_url": "http://127.0.0.1:8200", "wallet_profile": "standard"}),
    ],
)
def test_terms_that_make_no_sense_are_refused_at_once(
    lucky: Operator, maker: Client, action: str, fields: dict[str, str]
) -> None:
    send(maker, f"operators_operator_{action}", lucky.pk, fields)
    assert not Change.objects.exists()
