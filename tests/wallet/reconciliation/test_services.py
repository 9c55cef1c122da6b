"""Comparing days with the provider's records over HTTP, and assigning and resolving discrepancies."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from casino.events.sql import execute, fetch
from casino.observability import health
from casino.operators.models import Operator
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import event_names, use_provider
from tests.wallet.reconciliation.desk import ACCOUNT, YESTERDAY, Desk, open_desk, today
from wallet.models import Discrepancy, Reconciliation
from wallet.payments.providers import ProviderUnavailable
from wallet.reconciliation import queries, schedule, services
from wallet.reconciliation.events import DiscrepancyResolution, DiscrepancyType
from wallet.reconciliation.queries import DiscrepancyFilter
from wallet.reconciliation.refusals import (
    DayNotOver,
    DiscrepancyClosed,
    DiscrepancyNoteMissing,
    OwnPayment,
    UnknownDiscrepancy,
)
from wallet.reconciliation.state import DiscrepancyStatus

pytestmark = pytest.mark.django_db
PROVIDERS = ["sandbox"]


PAYMENTS = "SELECT 'deposits/' || id FROM wallet_deposit UNION ALL SELECT 'payouts/' || id FROM wallet_withdrawal"
EVENTS = "SELECT count(*) FROM events_event"
LONG_OFFERED = """
    INSERT INTO wallet_deposit_method (method_id, version, operator_id, name, provider, currency, minimum, maximum,
        fee_fixed, fee_ppm, processing_seconds, supports_withdrawals, enabled, actor, created_at)
    SELECT gen_random_uuid(), 1, operator_id, 'Old card', provider, 'EUR', 100, 1000, 0, 0, 0, false, true, 'test',
           clock_timestamp() - interval '2 days 2 hours'
      FROM wallet_deposit_method
"""


@pytest.fixture
def desk(db: None, reachable: str) -> Iterator[Desk]:
    """Open a provider, and omit its payments from its records afterwards."""
    opened = open_desk(reachable)
    yield opened
    for (payment,) in fetch(PAYMENTS):
        opened.tell(f"/{payment}", omit=True)


def discrepancies() -> dict[str, tuple[str, str]]:
    return {row.payment: (row.type, row.status) for row in Discrepancy.objects.all()}


def only_discrepancy() -> Discrepancy:
    return Discrepancy.objects.get()


def test_differences_that_wait_too_long_are_an_alert_until_they_are_resolved(desk: Desk, settings: Any) -> None:
    made = desk.deposit()
    desk.tell(f"/deposits/{made}", status="failed")
    today()

    def alerts() -> list[tuple[int, UUID | None]]:
        health.house.forget()
        return [(each.number, each.operator) for each in health.conditions() if each.name == "open_discrepancies"]

    assert alerts() == []
    settings.DISCREPANCY_HOURS = 0
    assert alerts() == [(1, OPERATOR)]
    resolution: Any = {"resolution": DiscrepancyResolution.TIMING, "note": "Came late.", "by": "staff:3"}
    services.resolve(only_discrepancy().pk, operator=OPERATOR, metadata=METADATA, **resolution)
    assert alerts() == []


def assign(key: UUID, owner: str = "staff:7", **more: Any) -> DiscrepancyStatus:
    return services.assign(key, operator=OPERATOR, owner=owner, by="staff:1", metadata=METADATA, **more).status


def resolve(
    key: UUID, note: str = "The provider sent it again.", operator: UUID = OPERATOR, by: str = "staff:7"
) -> DiscrepancyStatus:
    decision: dict[str, Any] = {
        "resolution": DiscrepancyResolution.PROVIDER_CORRECTED,
        "by": by,
        "metadata": METADATA,
    }
    return services.resolve(key, operator=operator, note=note, **decision).status


def test_a_day_without_discrepancies_is_matched(desk: Desk) -> None:
    desk.deposit()
    desk.deposit(7000)
    desk.payout()
    (compared,) = today()
    assert (compared.outcome.ours, compared.outcome.theirs, compared.outcome.matched) == (3, 3, 3)
    run = Reconciliation.objects.get()
    assert (run.matched, run.amount, run.discrepancies, run.currency) == (3, 11_000, 0, "EUR")
    assert discrepancies() == {}


def test_omitted_added_and_changed_records_are_reported(desk: Desk) -> None:
    omitted, amount, state, invented = desk.deposit(), desk.deposit(), desk.deposit(), str(uuid4())
    desk.tell(f"/deposits/{omitted}", omit=True)
    desk.tell(f"/deposits/{amount}", amount="50.01")
    desk.tell(f"/deposits/{state}", status="reversed")
    desk.tell(
        "", kind="deposit", payment=invented, reference="sbx-x", status="completed", amount="9.00", currency="EUR",
        account=ACCOUNT,
    )  # fmt: skip
    today()
    assert discrepancies() == {
        str(omitted): ("missing_theirs", "open"),
        str(amount): ("amount_mismatch", "open"),
        str(state): ("status_mismatch", "open"),
        invented: ("missing_ours", "open"),
    }
    row = Discrepancy.objects.get(payment=str(amount))
    assert (row.our_amount, row.their_amount, row.our_status, row.their_status) == (
        5000,
        5001,
        "completed",
        "completed",
    )
    desk.tell(f"/deposits/{invented}", omit=True)
    today()
    assert discrepancies()[invented] == ("missing_ours", "cleared")


def test_comparing_an_unchanged_day_writes_nothing_and_keeps_owner_and_resolution(desk: Desk) -> None:
    first, second = desk.deposit(), desk.deposit()
    for payment in (first, second):
        desk.tell(f"/deposits/{payment}", status="failed")
    today()
    keys = {row.payment: row.pk for row in Discrepancy.objects.filter(payment__in=[str(first), str(second)])}
    assert assign(keys[str(first)]) is DiscrepancyStatus.ASSIGNED
    assert resolve(keys[str(second)]) is DiscrepancyStatus.RESOLVED
    events = fetch(EVENTS)[0][0]
    today()
    assert fetch(EVENTS)[0][0] == events
    rows = {
        row.payment: (row.status, row.owner, row.resolution) for row in Discrepancy.objects.filter(pk__in=keys.values())
    }
    assert rows == {
        str(first): ("assigned", "staff:7", None),
        str(second): ("resolved", "staff:7", "provider_corrected"),
    }


def test_nobody_resolves_a_difference_of_a_payment_that_they_let_go_out(desk: Desk) -> None:
    desk.deposit()
    payment = desk.payout()
    desk.tell(f"/payouts/{payment}", status="failed")
    today()
    key = only_discrepancy().pk
    for approver in ("staff:1", "staff:2"):
        with pytest.raises(OwnPayment):
            resolve(key, by=approver)
    assert discrepancies()[str(payment)] == ("status_mismatch", "open")
    assert resolve(key) is DiscrepancyStatus.RESOLVED


def test_a_cleared_discrepancy_returns_to_its_owner_when_it_reappears(desk: Desk) -> None:
    payment = desk.deposit()
    desk.tell(f"/deposits/{payment}", status="failed")
    today()
    key = Discrepancy.objects.get(payment=str(payment)).pk
    assign(key)
    desk.tell(f"/deposits/{payment}")
    today()
    assert discrepancies()[str(payment)] == ("status_mismatch", "cleared")
    with pytest.raises(DiscrepancyClosed):
        resolve(key)
    desk.tell(f"/deposits/{payment}", status="reversed")
    today()
    row = Discrepancy.objects.get(pk=key)
    assert (row.status, row.owner, row.their_status) == ("assigned", "staff:7", "reversed")
    assert event_names(f"discrepancy-{key}") == [
        "DiscrepancyDetected",
        "DiscrepancyAssigned",
        "DiscrepancyCleared",
        "DiscrepancyDetected",
    ]


def test_a_resolved_discrepancy_that_changes_is_reopened(desk: Desk) -> None:
    payment = desk.deposit()
    desk.tell(f"/deposits/{payment}", amount="60.00")
    today()
    key = Discrepancy.objects.get(payment=str(payment)).pk
    resolve(key)
    desk.tell(f"/deposits/{payment}", amount="70.00")
    today()
    assert Discrepancy.objects.get(pk=key).status == "assigned"


def test_a_resolution_needs_a_note_which_stays_out_of_events(desk: Desk) -> None:
    payment = desk.deposit()
    desk.tell(f"/deposits/{payment}", status="failed")
    today()
    key = Discrepancy.objects.get(payment=str(payment)).pk
    for note in (" ", "x" * 501):
        with pytest.raises(DiscrepancyNoteMissing):
            resolve(key, note)
    with pytest.raises(UnknownDiscrepancy):
        resolve(key, operator=UUID(int=99))
    assign(key, note="Look at ticket 12.")
    resolve(key)
    assert [note.note for note in queries.notes([key])[key]] == ["Look at ticket 12.", "The provider sent it again."]
    assert not fetch("SELECT FROM events_event WHERE data::text LIKE '%%ticket 12%%' OR data::text LIKE '%%sent it%%'")
    assert queries.discrepancies(DiscrepancyFilter(OPERATOR, status=DiscrepancyStatus.OPEN), before=None, limit=9) == []
    assert queries.discrepancies(DiscrepancyFilter(UUID(int=99)), before=None, limit=9) == []


def test_an_unavailable_provider_leaves_nothing_recorded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    with pytest.raises(ProviderUnavailable):
        today()
    assert not Reconciliation.objects.exists()


def test_a_day_that_is_not_over_is_refused(desk: Desk) -> None:
    with pytest.raises(DayNotOver):
        services.reconcile(operator=OPERATOR, provider="sandbox", day=datetime.now(UTC).date())


def test_days_of_the_last_week_are_due_once_and_daily_while_a_discrepancy_is_open(desk: Desk) -> None:
    assert schedule.list_due_days(providers=PROVIDERS, limit=50) == []  # the method is of today
    assert fetch(f"{LONG_OFFERED} RETURNING id")
    waiting = schedule.list_due_days(providers=PROVIDERS, limit=50)
    assert schedule.DueDay(OPERATOR, "sandbox", YESTERDAY - timedelta(days=1)) in waiting
    assert schedule.list_due_days(providers=["another"], limit=50) == []
    payment = desk.deposit()
    desk.yesterday("deposits", payment)
    past = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    desk.tell(f"/deposits/{payment}", status="failed", at=past)
    which = schedule.DueDay(OPERATOR, "sandbox", YESTERDAY)
    assert schedule.reconcile_due(providers=PROVIDERS) == len(waiting)
    assert schedule.attempt_reconciliation(which) == ""
    assert schedule.list_due_days(providers=PROVIDERS, limit=50) == []
    execute("UPDATE wallet_reconciliation_try SET tried_at = tried_at - interval '25 hours'")
    assert schedule.list_due_days(providers=PROVIDERS, limit=50) == [which] * (which in waiting)
    resolve(only_discrepancy().pk)
    assert schedule.list_due_days(providers=PROVIDERS, limit=50) == []


def test_the_command_compares_yesterday_and_exits_1_on_discrepancies(desk: Desk) -> None:
    payment = desk.deposit()
    desk.yesterday("deposits", payment)
    written = StringIO()
    call_command("reconcile", "--operator", "lucky", stdout=written)
    assert f"day={YESTERDAY} currency=EUR ours=1 theirs=1 matched=1 amount=50.00 discrepancies=0" in written.getvalue()
    past = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    desk.tell(f"/deposits/{payment}", status="failed", at=past)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", "--date", YESTERDAY.isoformat(), stdout=written)
    assert ended.value.code == 1
    assert f"status_mismatch: deposit {payment}" in written.getvalue()
    with pytest.raises(CommandError):
        call_command("reconcile", "--operator", "nobody")


def test_a_failed_comparison_is_recorded_and_retried(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    which = schedule.DueDay(OPERATOR, "sandbox", YESTERDAY)
    use_provider(monkeypatch)
    assert schedule.attempt_reconciliation(which).startswith("no answer")
    use_provider(monkeypatch, desk.url)
    assert schedule.attempt_reconciliation(which) == ""
    assert fetch("SELECT tries, last_error FROM wallet_reconciliation_try") == [(2, "")]


def test_reconciliation_of_one_operator_leaves_out_anothers_payments(desk: Desk) -> None:
    desk.deposit()
    Operator.objects.create(id=UUID(int=5), slug="rival", name="Rival", currencies=["EUR"])
    today()
    other = services.compare_day(
        services.ReconciliationDay(
            UUID(int=5), "sandbox", YESTERDAY, datetime.now(UTC) - timedelta(hours=1), datetime.now(UTC)
        )
    )
    assert [compared.outcome.theirs for compared in other] == []
    assert DiscrepancyType.MISSING_OURS not in {row.type for row in Discrepancy.objects.filter(operator_id=UUID(int=5))}
