"""`manage.py status` says on one screen what is late, and which command helps."""

import io
from collections.abc import Generator
from datetime import timedelta
from uuid import UUID

import pytest
from django.core.management import call_command
from pytest_django import Settings

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.services import kill_switch
from casino.events.ids import new_id
from casino.events.sql import database_now, execute
from casino.events.store import Metadata
from casino.feed.models import WebhookEndpoint, WebhookStatus
from casino.jobs.models import Job
from casino.management.commands import status
from casino.management.commands.status import REMEDIES, StatusColour
from casino.observability import health
from casino.operators import services as operations
from casino.significant import recorder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_reports(settings: Settings) -> Generator[None]:
    """Forget the reports of other tests, and have every job run just now."""
    for name in settings.CELERY_BEAT_SCHEDULE:
        Job.objects.get_or_create(name=name)
    health.readiness.forget()
    health.house.forget()
    yield
    health.readiness.forget()
    health.house.forget()


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all health checks pass, which have tests of their own and depend on the load."""
    monkeypatch.setattr(health.readiness, "checks", dict.fromkeys(health.readiness.checks, lambda: health.OK))
    monkeypatch.setattr(health.house, "checks", dict.fromkeys(health.house.checks, lambda: ()))


def colours() -> dict[str, StatusColour]:
    return {line.name: line.colour for line in status.collect()}


@pytest.mark.usefixtures("sound")
def test_every_line_that_is_no_condition_has_a_command_that_helps() -> None:
    assert set(colours()) == {*REMEDIES, *health.house.checks}


@pytest.mark.usefixtures("sound")
def test_a_house_that_does_its_work_is_green_but_for_its_missing_witness(settings: Settings) -> None:
    settings.WITNESSES = ""
    assert [name for name, colour in colours().items() if colour is not StatusColour.GREEN] == ["cosigned"]


def test_jobs_that_nobody_runs_are_red_and_those_behind_another_are_not(settings: Settings) -> None:
    def job() -> StatusColour:
        health.house.forget()
        return colours()["jobs"]

    now = database_now()
    late = Job.objects.get(name="process-payments")
    late.due_at = now - timedelta(minutes=5)
    late.save()
    assert job() is StatusColour.RED
    Job.objects.filter(name="run-nightly-audit").update(leased_until=now + timedelta(seconds=60))
    assert job() is StatusColour.GREEN
    Job.objects.filter(name="run-nightly-audit").update(leased_until=None)
    Job.objects.filter(name="process-payments").update(name="no-longer-in-the-schedule")
    assert job() is StatusColour.GREEN


@pytest.mark.usefixtures("sound")
def test_a_paused_webhook_and_a_critical_event_are_amber() -> None:
    now = database_now()
    WebhookEndpoint.objects.create(
        id=new_id(now), operator_id=UUID(int=1), url="https://a.example", status=WebhookStatus.PAUSED, types=[],
        created_at=now,
    )  # fmt: skip
    recorder.record(kind=recorder.SignificantEventKind.CLOCK_CHANGED, operator=None, subject="clock", actor="system")
    lines = colours()
    assert (lines["paused webhooks"], lines["significant events"]) == (StatusColour.AMBER, StatusColour.AMBER)


@pytest.mark.usefixtures("sound")
def test_stops_are_amber_with_what_they_stop_most_first() -> None:
    assert colours()["stops"] is StatusColour.GREEN
    by = Metadata(operator="", actor="staff:1", causation="test", correlation="test")
    house = operations.create_operator(slug="bravo", name="Bravo", currencies=["EUR"], sandbox=True)
    kill_switch.stop(scope=StopScope.OPERATOR, subject=str(house.id), reason="A complaint", metadata=by)
    kill_switch.stop(scope=StopScope.GAMING, reason="A drill", metadata=by)
    (line,) = [line for line in status.collect() if line.name == "stops"]
    assert line.colour is StatusColour.AMBER
    assert line.text.startswith("gaming is stopped since")
    assert line.text.endswith("and 1 more")


def test_what_is_wrong_is_shown_with_its_command_and_the_exit_status_is_1_if_anything_is_red() -> None:
    execute(
        "INSERT INTO mail_email (address, subject, body, created_at, due_at, attempts, error) "
        "VALUES ('a@b.example', 's', 'b', now() - interval '2 hours', now() - interval '1 hour', 3, 'no answer')"
    )
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("status", stdout=output)
    assert ended.value.code == 1  # no process runs
    text = output.getvalue()
    assert "amber  mail                    An e-mail has waited for 2 h\n" in text
    assert "red    processes               No cards are dealt and no bets are settled\n" in text
    (command,) = [line.strip() for line in text.splitlines() if "EMAIL_HOST" in line]
    assert command == "> docker compose logs worker-background; compare EMAIL_HOST with the mail server"
