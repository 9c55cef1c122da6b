"""Pages of payments, and the approval of withdrawals."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from casino.events.sql import fetch
from casino.operators.memberships import staff_actor
from casino.operators.models import Change, Operator, StaffMembership
from tests.support.payouts import pay_unplayed
from tests.wallet.ledger.world import OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    deposit,
    event_names,
    method,
    open_alice,
    status,
    use_provider,
    withdraw,
)
from wallet.ledger.accounts import AccountKind

pytestmark = pytest.mark.django_db
RIGHTS = ("view_deposit", "view_withdrawal", "change_withdrawal", "change_change")


def staff(name: str, *, house: str = "lucky", rights: tuple[str, ...] = RIGHTS) -> Client:
    """Log in a member of staff of one operator."""
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    for operator in Operator.objects.filter(slug=house):
        StaffMembership.objects.create(user=user, operator=operator)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure a provider that does not answer; its callbacks are valid."""
    use_provider(monkeypatch)


@pytest.fixture
def waiting() -> Any:
    """Request a withdrawal of 10.00 that needs two approvals."""
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"])
    open_alice()
    pay_unplayed(OPERATOR)
    card = method()
    complete_deposit(card)
    return withdraw(card, 1000)


def page(kind: str, payment: Any) -> str:
    return reverse(f"admin:wallet_{kind}_change", args=[payment])


def act(client: Client, name: str, payment: Any, **fields: str) -> int:
    return client.post(reverse(f"admin:wallet_withdrawal_{name}", args=[payment]), fields).status_code


def test_a_withdrawal_needs_the_approval_of_two_members_of_staff(waiting: Any) -> None:
    ann, bob = staff("ann"), staff("bob")
    assert b"/approve/" in ann.get(page("withdrawal", waiting)).content
    assert [act(ann, "approve", waiting), act(ann, "approve", waiting)] == [302, 302]
    assert status(waiting, "wallet_withdrawal") == "requested"
    change = Change.objects.get(subject=f"withdrawal:{waiting}")
    confirm = reverse("admin:operators_change_confirm", args=[change.pk])
    inbox = bob.get(reverse("admin:desk_inbox")).content.decode()
    assert "1 of 2" in inbox
    assert "The provider sandbox is asked to pay it to" in inbox
    assert "/approve/" not in inbox, "it is asked about once"
    ann.post(confirm)
    assert status(waiting, "wallet_withdrawal") == "requested"
    bob.post(confirm)
    assert status(waiting, "wallet_withdrawal") == "approved"
    assert event_names(f"withdrawal-{waiting}") == ["WithdrawalRequested", "WithdrawalApproved"]
    assert b"/approve/" not in bob.get(page("withdrawal", waiting)).content
    assert_consistent()


def test_a_rejection_has_a_reason_for_staff_and_returns_the_money(waiting: Any) -> None:
    ann = staff("ann")
    assert act(ann, "reject", waiting) == 200, "refused, and shown again"
    assert status(waiting, "wallet_withdrawal") == "requested"
    assert act(ann, "reject", waiting, reason="Not her bank account") == 302
    assert event_names(f"withdrawal-{waiting}")[-1] == "WithdrawalRejected"
    assert (balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.HOLD)) == (4900, 0)
    assert "Not her bank account" in ann.get(page("withdrawal", waiting)).content.decode()
    assert_consistent()


def test_a_withdrawal_is_handed_over_in_the_inbox_to_another_cashier(waiting: Any) -> None:
    ann, bob = staff("ann"), staff("bob")
    staff("joe", rights=("view_withdrawal",))
    joe, to_bob = (staff_actor(User.objects.get(username=name)) for name in ("joe", "bob"))
    address = reverse("admin:wallet_withdrawal_assign", args=[waiting])
    assert ann.post(address, {"owner": joe}).status_code == 200, "refused, and shown again"
    answer = ann.post(f"{address}?inbox", {"owner": to_bob}, follow=True)
    assert answer.request["PATH_INFO"] == reverse("admin:desk_inbox")
    assert re.search(r"Handed to</dt><dd>.*?bob", answer.content.decode())
    assert "bob" in bob.get(page("withdrawal", waiting)).content.decode()
    assert event_names(f"withdrawal-{waiting}") == ["WithdrawalRequested", "WithdrawalAssigned"]
    assert act(ann, "reject", waiting, reason="Done before he looked") == 302
    assert act(ann, "assign", waiting, owner=to_bob) == 200, "it is decided"
    assert_consistent()


def test_staff_of_another_operator_see_and_do_nothing(waiting: Any) -> None:
    stranger = staff("eve", house="other")
    listed = stranger.get(reverse("admin:wallet_withdrawal_changelist"))
    assert listed.status_code == 200
    assert str(waiting) not in listed.content.decode()
    assert act(stranger, "approve", waiting) == 403
    assert stranger.get(page("withdrawal", waiting)).status_code == 302
    assert event_names(f"withdrawal-{waiting}") == ["WithdrawalRequested"]


def test_staff_with_view_permission_only_see_no_action(waiting: Any) -> None:
    onlooker = staff("joe", rights=("view_withdrawal",))
    shown = onlooker.get(page("withdrawal", waiting))
    assert shown.status_code == 200
    assert b"/approve/" not in shown.content
    assert act(onlooker, "approve", waiting) == 403


def test_deposits_are_listed_and_found_by_id_and_reference(waiting: Any) -> None:
    made = deposit(method(), 7000)
    ann = staff("ann")
    ours = reverse("admin:wallet_deposit_changelist")
    assert str(made) in ann.get(ours, {"status": "pending"}).content.decode()
    assert str(made) in ann.get(ours, {"q": str(made)}).content.decode()
    assert str(made) not in ann.get(ours, {"q": "tx-unknown"}).content.decode()
    assert "70.00" in ann.get(page("deposit", made)).content.decode()
    assert ann.post(page("deposit", made)).status_code == 403


def test_methods_are_shown_in_every_version_to_staff_of_their_operator(waiting: Any) -> None:
    card = method(name="Slow bank", fee_ppm=12_500)
    shown = {"ann": staff("ann", rights=("view_depositmethod",))}
    shown["eve"] = staff("eve", house="other", rights=("view_depositmethod",))
    ours = reverse("admin:wallet_depositmethod_changelist")
    found = {name: client.get(ours, {"q": str(card.id)}).content.decode() for name, client in shown.items()}
    assert "1.25 %" in found["ann"]
    assert "1.25 %" not in found["eve"]
    (key,) = fetch("SELECT id FROM wallet_deposit_method WHERE method_id = %s", [card.id])[0]
    one = shown["ann"].get(reverse("admin:wallet_depositmethod_change", args=[key]))
    assert "Slow bank" in one.content.decode()
    named = shown["ann"].get(reverse("admin:wallet_depositmethod_change", args=[card.id]))
    assert "Slow bank" in named.content.decode()
