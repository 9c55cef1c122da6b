"""A day compared with the provider's own records over HTTP, and what people make of the differences."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from casino.events.sql import execute, fetch
from casino.operators.models import Operator
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import names, use_provider
from tests.wallet.reconciliation.desk import ACCOUNT, YESTERDAY, Desk, open_desk, today
from wallet.models import Discrepancy, Reconciliation
from wallet.payments.provider import ProviderUnavailable
from wallet.reconciliation import queries, schedule, services
from wallet.reconciliation.events import DiscrepancyResolution, DiscrepancyType
from wallet.reconciliation.queries import DiscrepancyFilter
from wallet.reconciliation.refusals import DayNotOver, DiscrepancyClosed, DiscrepancyNoteMissing, UnknownDiscrepancy
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
    """A provider whose records hold nothing of earlier tests."""
    opened = open_desk(reachable)
    yield opened
    for (payment,) in fetch(PAYMENTS):
        opened.tell(f"/{payment}", omit=True)


def found() -> dict[str, tuple[str, str]]:
    return {row.payment: (row.type, row.status) for row in Discrepancy.objects.all()}


def one() -> Discrepancy:
    return Discrepancy.objects.get()


def assign(key: UUID, owner: str = "staff:7", **more: Any) -> DiscrepancyStatus:
    return services.assign(key, operator=OPERATOR, owner=owner, by="staff:1", metadata=METADATA, **more).status


def resolve(key: UUID, note: str = "The provider sent it again.", operator: UUID = OPERATOR) -> DiscrepancyStatus:
    given: dict[str, Any] = {
        "resolution": DiscrepancyResolution.PROVIDER_CORRECTED,
        "by": "staff:7",
        "metadata": METADATA,
    }
    return services.resolve(key, operator=operator, note=note, **given).status


def test_a_day_on_which_both_sides_agree_is_matched(desk: Desk) -> None:
    desk.deposit()
    desk.deposit(7000)
    desk.payout()
    (compared,) = today()
    assert (compared.outcome.ours, compared.outcome.theirs, compared.outcome.matched) == (3, 3, 3)
    run = Reconciliation.objects.get()
    assert (run.matched, run.amount, run.discrepancies, run.currency) == (3, 11_000, 0, "EUR")
    assert found() == {}


def test_what_is_omitted_added_or_changed_there_is_found(desk: Desk) -> None:
    omitted, amount, state, invented = desk.deposit(), desk.deposit(), desk.deposit(), str(uuid4())
    desk.tell(f"/deposits/{omitted}", omit=True)
    desk.tell(f"/deposits/{amount}", amount="50.01")
    desk.tell(f"/deposits/{state}", status="reversed")
    desk.tell(
        "", kind="deposit", payment=invented, reference="sbx-x", status="completed", amount="9.00", currency="EUR",
        account=ACCOUNT,
    )  # fmt: skip
    today()
    assert found() == {
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
    assert found()[invented] == ("missing_ours", "cleared")


def test_comparing_again_writes_nothing_and_keeps_owner_and_resolution(desk: Desk) -> None:
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


def test_a_difference_that_is_over_is_gone_and_comes_back_to_its_owner(desk: Desk) -> None:
    payment = desk.deposit()
    desk.tell(f"/deposits/{payment}", status="failed")
    today()
    key = Discrepancy.objects.get(payment=str(payment)).pk
    assign(key)
    desk.tell(f"/deposits/{payment}")
    today()
    assert found()[str(payment)] == ("status_mismatch", "cleared")
    with pytest.raises(DiscrepancyClosed):
        resolve(key)
    desk.tell(f"/deposits/{payment}", status="reversed")
    today()
    row = Discrepancy.objects.get(pk=key)
    assert (row.status, row.owner, row.their_status) == ("assigned", "staff:7", "reversed")
    assert names(f"discrepancy-{key}") == [
        "DiscrepancyDetected",
        "DiscrepancyAssigned",
        "DiscrepancyCleared",
        "DiscrepancyDetected",
    ]


def test_a_resolved_difference_that_changes_is_open_again(desk: Desk) -> None:
    payment = desk.deposit()
    desk.tell(f"/deposits/{payment}", amount="60.00")
    today()
    key = Discrepancy.objects.get(payment=str(payment)).pk
    resolve(key)
    desk.tell(f"/deposits/{payment}", amount="70.00")
    today()
    assert Discrepancy.objects.get(pk=key).status == "assigned"


def test_what_people_say_needs_words_and_stays_out_of_events(desk: Desk) -> None:
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


def test_a_provider_without_an_answer_leaves_nothing_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    with pytest.raises(ProviderUnavailable):
        today()
    assert not Reconciliation.objects.exists()


def test_a_day_is_compared_when_it_is_over_and_not_before(desk: Desk) -> None:
    with pytest.raises(DayNotOver):
        services.reconcile(operator=OPERATOR, provider="sandbox", day=datetime.now(UTC).date())


def test_days_of_the_last_week_are_due_once_and_again_while_something_is_open(desk: Desk) -> None:
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
    resolve(one().pk)
    assert schedule.list_due_days(providers=PROVIDERS, limit=50) == []


def test_the_command_compares_yesterday_and_tells_by_its_status(desk: Desk) -> None:
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


def test_a_trouble_is_noted_and_tried_again_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    which = schedule.DueDay(OPERATOR, "sandbox", YESTERDAY)
    use_provider(monkeypatch)
    assert schedule.attempt_reconciliation(which).startswith("no answer")
    use_provider(monkeypatch, desk.url)
    assert schedule.attempt_reconciliation(which) == ""
    assert fetch("SELECT tries, last_error FROM wallet_reconciliation_try") == [(2, "")]


def test_one_operators_account_holds_nothing_of_anothers(desk: Desk) -> None:
    desk.deposit()
    Operator.objects.create(id=UUID(int=5), slug="rival", name="Rival", currency="EUR")
    today()
    other = services.compare_day(
        services.ReconciliationDay(
            UUID(int=5), "sandbox", YESTERDAY, datetime.now(UTC) - timedelta(hours=1), datetime.now(UTC)
        )
    )
    assert [compared.outcome.theirs for compared in other] == []
    assert DiscrepancyType.MISSING_OURS not in {row.type for row in Discrepancy.objects.filter(operator_id=UUID(int=5))}
