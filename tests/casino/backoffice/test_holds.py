"""The desk holds, sees and decides: pages of held payments, and what a withdrawal's page shows of its player."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.operators.models import Change, Operator, Player, StaffMembership
from casino.staff.duties import Role
from tests.support.office import client_of
from tests.support.payouts import pay_unplayed
from tests.wallet.ledger.world import ALICE, OPERATOR
from tests.wallet.payments.counter import complete_deposit, method, open_alice, status, use_provider, withdraw
from wallet.models import Hold, PlayerRestrictions
from wallet.payments import holds, withdrawals

pytestmark = pytest.mark.django_db
CASHIER = ("view_withdrawal", "change_withdrawal", "view_hold", "view_case", "view_playerstatus", "view_deposit")
COMPLIANCE = (
    "view_withdrawal", "view_hold", "decide_hold", "view_case", "view_playerstatus", "view_deposit", "view_riskalert",
    "view_change", "change_change", "view_player", "view_playerrestrictions", "freeze_player", "unfreeze_player",
    "screen_player",
)  # fmt: skip


def staff(name: str, rights: tuple[str, ...], house: str = "lucky") -> Client:
    """Log in a member of staff of one operator."""
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    for operator in Operator.objects.filter(slug=house):
        StaffMembership.objects.create(user=user, operator=operator)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch) -> UUID:
    """Open a case about Alice, who has 49.00 and may withdraw up to 20.00 without approval."""
    use_provider(monkeypatch)
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"])
    Player.objects.create(id=ALICE, operator_id=OPERATOR, reference="alice", nickname="Alice")
    open_alice()
    pay_unplayed(OPERATOR, automatic=2000, second=2000)
    made = cases.open_case(operator=OPERATOR, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=f"player:{ALICE}", details={})
    assert made is not None
    return made


def held(amount: int = 1000) -> tuple[UUID, Hold]:
    card = method()
    complete_deposit(card)
    withdrawal = withdraw(card, amount)
    return withdrawal, Hold.objects.get(withdrawal_id=withdrawal)


def page(model: str, key: Any) -> str:
    return reverse(f"admin:{model}_change", args=[key])


def act(client: Client, name: str, key: Any, **data: Any) -> int:
    return client.post(reverse(f"admin:{name}", args=[key]), data).status_code


def test_a_cashier_sees_the_case_on_the_withdrawal_and_can_not_release(case: UUID) -> None:
    withdrawal, hold = held()
    carl = staff("carl", CASHIER)
    shown = carl.get(page("wallet_withdrawal", withdrawal)).content.decode()
    for word in ("Before money leaves", "open case", str(case), "KYC", "Still to be staked", "waits for compliance"):
        assert word in shown
    assert "/approve/" not in shown
    assert str(hold.pk) in carl.get(reverse("admin:wallet_hold_changelist")).content.decode()
    assert "/release/" not in carl.get(page("wallet_hold", hold.pk)).content.decode()
    assert act(carl, "wallet_hold_release", hold.pk) == 403
    assert status(withdrawal, "wallet_withdrawal") == "held"


def test_compliance_takes_and_releases_a_held_payment(case: UUID) -> None:
    withdrawal, hold = held()
    carla = staff("carla", COMPLIANCE)
    shown = carla.get(page("wallet_hold", hold.pk)).content.decode()
    assert str(case) in shown
    for word in ("/release/", "/reject/", "/assign/", "Same network", "Screening", "Held by the gate now"):
        assert word in shown
    me = f"staff:{User.objects.get(username='carla').pk}"
    assert act(carla, "wallet_hold_assign", hold.pk, owner=me) == 302
    assert act(carla, "wallet_hold_release", hold.pk) == 302
    hold.refresh_from_db()
    assert (hold.status, hold.owner, hold.decided_by) == ("released", me, me)
    assert status(withdrawal, "wallet_withdrawal") == "approved"
    assert "/release/" not in carla.get(page("wallet_hold", hold.pk)).content.decode()


def test_a_held_payment_is_given_to_nobody_who_may_not_decide_it(case: UUID) -> None:
    _, hold = held()
    carla = staff("carla", COMPLIANCE)
    for name, rights, house in (("olaf", COMPLIANCE, "lucky"), ("cash", CASHIER, "lucky"), ("else", COMPLIANCE, "")):
        staff(name, rights, house)
    key = {user.username: f"staff:{user.pk}" for user in User.objects.all()}

    offered = set(re.findall('value="(staff:[0-9]+)"', carla.get(page("wallet_hold", hold.pk)).content.decode()))
    assert offered == {key["carla"], key["olaf"]}

    act(carla, "wallet_hold_assign", hold.pk, owner=key["cash"])
    assert holds.find(hold.pk).owner is None
    act(carla, "wallet_hold_assign", hold.pk, owner=key["olaf"])
    assert holds.find(hold.pk).owner == key["olaf"]


def test_the_inbox_says_in_words_why_a_payment_is_held(case: UUID) -> None:
    held()
    waiting = staff("carla", COMPLIANCE).get(reverse("admin:desk_inbox")).content.decode()
    assert f'{page("compliance_case", case)}"><span class="c-badge c-bad">open case</span></a>' in waiting
    assert f"case:{case}" not in waiting


def test_a_large_payment_waits_for_a_second_officer_who_sees_the_same_facts(case: UUID) -> None:
    withdrawal, hold = held(3000)
    carla, cleo = staff("carla", COMPLIANCE), staff("cleo", COMPLIANCE)
    assert act(carla, "wallet_hold_release", hold.pk) == 302
    change = Change.objects.get(kind="release_payment")
    inbox = cleo.get(reverse("admin:desk_inbox")).content.decode()
    assert "It goes on to the provider sandbox" in inbox
    assert "/release/" not in inbox, "it is asked about once"
    shown = cleo.get(page("operators_change", change.pk)).content.decode()
    assert "Before money leaves" in shown
    assert str(case) in shown
    assert f'{page("wallet_hold", hold.pk)}">hold of 30.00 EUR</a>' in shown
    assert f'{page("wallet_withdrawal", withdrawal)}">withdrawal of 30.00 EUR</a>' in shown
    assert f"payment:{withdrawal}" not in shown
    act(carla, "operators_change_confirm", change.pk)
    assert status(withdrawal, "wallet_withdrawal") == "held"
    act(cleo, "operators_change_confirm", change.pk)
    assert status(withdrawal, "wallet_withdrawal") == "requested"


def test_compliance_rejects_with_a_reason(case: UUID) -> None:
    withdrawal, hold = held()
    carla = staff("carla", COMPLIANCE)
    assert act(carla, "wallet_hold_reject", hold.pk) == 200  # the reason is missing
    assert act(carla, "wallet_hold_reject", hold.pk, reason="Mules") == 302
    assert status(withdrawal, "wallet_withdrawal") == "rejected"
    assert "Mules" in carla.get(page("wallet_hold", hold.pk)).content.decode()


def test_compliance_freezes_on_the_player_page_and_two_lift_it(case: UUID) -> None:
    held()
    carla, cleo = staff("carla", COMPLIANCE), staff("cleo", COMPLIANCE)
    shown = carla.get(page("operators_player", ALICE)).content.decode()
    assert "Held payments" in shown
    assert act(carla, "operators_player_freeze", ALICE, reason="Court order") == 302
    assert PlayerRestrictions.objects.get(player_id=ALICE).frozen
    assert "/unfreeze/" in carla.get(page("operators_player", ALICE)).content.decode()
    assert act(carla, "operators_player_unfreeze", ALICE) == 302
    assert PlayerRestrictions.objects.get(player_id=ALICE).frozen
    act(cleo, "operators_change_confirm", Change.objects.get(kind="unfreeze").pk)
    assert not PlayerRestrictions.objects.get(player_id=ALICE).frozen


def test_a_screening_is_recorded_on_the_player_page_and_holds_what_waits(case: UUID) -> None:
    cases.resolve_case(case, operator=OPERATOR, resolution="Fine", by="staff:8")
    card = method()
    complete_deposit(card)
    withdrawal = withdraw(card, 1000)
    assert status(withdrawal, "wallet_withdrawal") == "approved"
    carla = staff("carla", COMPLIANCE)
    listing = {"found": "sanctions", "listed": "on", "on": "2026-11-01", "source": "UN list"}
    assert act(carla, "operators_player_screening", ALICE, **listing) == 302
    assert status(withdrawal, "wallet_withdrawal") == "held"
    assert Hold.objects.get().causes == "sanctions"
    assert not withdrawals.send(withdrawal)


def test_staff_of_another_operator_see_no_held_payment(case: UUID) -> None:
    _, hold = held()
    Operator.objects.create(id=UUID(int=5), slug="other", name="Other", currencies=["EUR"])
    eve = staff("eve", COMPLIANCE, house="other")
    assert str(hold.pk) not in eve.get(reverse("admin:wallet_hold_changelist")).content.decode()
    assert eve.get(page("wallet_hold", hold.pk)).status_code == 302
    assert act(eve, "wallet_hold_release", hold.pk) == 403
    assert holds.find(hold.pk).status == "open"


def test_support_sees_where_a_players_money_is_and_no_cause(case: UUID) -> None:
    withdrawal, hold = held()
    user = User.objects.create_user("sue", is_staff=True)
    user.groups.add(Group.objects.get(name=Role.SUPPORT))
    StaffMembership.objects.create(user=user, operator_id=OPERATOR)
    support = client_of(user)

    player = support.get(page("operators_player", ALICE)).content.decode()
    payment = support.get(page("wallet_withdrawal", withdrawal)).content.decode()

    for heading in ("Deposited", "Withdrawn", "<h2>Payments and adjustments"):
        assert heading in player
    assert page("wallet_withdrawal", withdrawal) in player
    assert "in review" in payment
    for told in ("waits for compliance", "open case", str(case), str(hold.pk)):
        assert told not in player + payment
    assert support.get(reverse("admin:wallet_deposit_changelist")).status_code == 200
