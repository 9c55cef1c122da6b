"""Retention: recent data is never purged, neither by the command nor by SQL; purges of old data are recorded."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings as configured
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from casino import variables
from casino.compliance import cases, retention, tasks
from casino.compliance.models import CaseKind
from casino.compliance.refusals import KeptPermanently, TooRecentToPurge, UnknownRetentionKind
from casino.compliance.retention import PERMANENT, RETENTION_POLICIES
from casino.events.sql import execute, fetch
from casino.operators.memberships import shell_actor
from casino.significant.models import SignificantEvent
from tests.conftest import Database

NEVER_PURGED = sorted(PERMANENT)


@pytest.mark.parametrize("kind", NEVER_PURGED)
def test_data_that_proves_rounds_and_money_is_kept_permanently(kind: str) -> None:
    with pytest.raises(KeptPermanently):
        retention.retention_days(kind, 100_000)


@pytest.mark.parametrize("kind", sorted(RETENTION_POLICIES))
def test_no_setting_or_argument_shortens_a_legal_period(kind: str, settings: Any) -> None:
    minimum = RETENTION_POLICIES[kind].minimum_days
    settings.RETENTION_DAYS = {kind: minimum - 1}
    with pytest.raises(TooRecentToPurge):
        retention.retention_days(kind)
    settings.RETENTION_DAYS = {kind: minimum + 10}
    assert retention.retention_days(kind) == minimum + 10
    with pytest.raises(TooRecentToPurge):
        retention.retention_days(kind, minimum + 9)
    assert retention.retention_days(kind, minimum + 11) == minimum + 11


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownRetentionKind):
        retention.retention_days("everything")


def test_periods_that_are_not_numbers_stop_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="RETENTION_DAYS must be a whole number, not 'long'"):
        variables.value("RETENTION_DAYS", {"RETENTION_DAYS": "views=long"})


def add_access_log_entry(days: int) -> None:
    execute(
        "INSERT INTO staff_accesslogentry (user_id, subject, path, at) "
        "VALUES (1, 's', '/', now() - make_interval(days => %s))",
        [days],
    )


def add_stream_ticket(days: int) -> None:
    execute(
        "INSERT INTO operators_streamticket (ticket_hash, session_hash, expires_at) "
        "VALUES ('\\x00', '\\x01', now() - make_interval(days => %s))",
        [days],
    )


def add_message(days: int) -> None:
    execute(
        "INSERT INTO chat_chatmessage (id, operator_id, table_id, seat, player_id, text, displayed_text, "
        "salt, sent_at) "
        "VALUES (%s, %s, %s, 1, %s, 'hi', 'hi', '', now() - make_interval(days => %s))",
        [uuid.uuid4() for _ in range(4)] + [days],
    )


def count(table: str) -> int:
    return int(fetch(f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608


@pytest.mark.django_db
def test_the_command_only_deletes_with_confirm(capsys: pytest.CaptureFixture[str]) -> None:
    add_access_log_entry(3660)
    add_access_log_entry(3640)
    call_command("purge", "access_log")
    assert "Would be purged" in capsys.readouterr().out
    assert count("staff_accesslogentry") == 2
    call_command("purge", "access_log", "--confirm")
    assert count("staff_accesslogentry") == 1
    event = SignificantEvent.objects.get()
    assert (event.kind, event.subject, event.actor) == ("data_purged", "retention:access_log", shell_actor())
    assert event.after["rows"] == 1
    call_command("purge", "--confirm")
    assert SignificantEvent.objects.count() == 1


@pytest.mark.django_db
def test_the_daily_job_deletes_all_that_is_due_in_batches_and_records_what_the_law_asks_to_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for days in (3660, 3661, 3662, 3663, 3664, 3640):
        add_access_log_entry(days)
    add_stream_ticket(1)
    tasks.purge_expired()
    assert (count("staff_accesslogentry"), count("operators_streamticket")) == (1, 0)
    event = SignificantEvent.objects.get()
    assert (event.subject, event.actor, event.after["rows"]) == ("retention:access_log", "schedule", 5)
    tasks.purge_expired()
    assert SignificantEvent.objects.count() == 1


def test_a_kind_that_cannot_be_purged_does_not_block_the_others(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = retention.RetentionPolicy({"no_such_table": "at"}, 0, 0)
    monkeypatch.setattr(retention, "RETENTION_POLICIES", {"broken": broken, **RETENTION_POLICIES})
    add_access_log_entry(3660)
    tasks.purge_expired()
    assert count("staff_accesslogentry") == 0
    assert "ALERT broken can't be purged: ProgrammingError" in caplog.text


@pytest.mark.django_db
def test_under_legal_hold_nothing_is_deleted_from_its_day_on(settings: Any) -> None:
    add_access_log_entry(3700)
    add_access_log_entry(3660)
    add_stream_ticket(2)
    settings.LEGAL_HOLD = (datetime.now(UTC) - timedelta(days=3680)).date()
    tasks.purge_expired()
    assert (count("staff_accesslogentry"), count("operators_streamticket")) == (1, 1)
    call_command("purge", "--confirm")
    assert (count("staff_accesslogentry"), count("operators_streamticket")) == (1, 1)
    settings.LEGAL_HOLD = None
    tasks.purge_expired()
    assert (count("staff_accesslogentry"), count("operators_streamticket")) == (0, 0)


def test_a_legal_hold_that_is_no_day_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="LEGAL_HOLD must be a day such as 2026-01-31"):
        variables.value("LEGAL_HOLD", {"LEGAL_HOLD": "last spring"})


@pytest.mark.django_db
def test_what_is_due_is_deleted_once_a_day_and_the_rest_of_a_day_an_hour_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for _ in range(5):
        add_access_log_entry(3660)
    delete, batches = retention._delete_batch, iter(range(3))

    def end_in_time(*place: Any) -> int:
        if next(batches) == 2:
            raise SoftTimeLimitExceeded
        return delete(*place)

    monkeypatch.setattr(retention, "_delete_batch", end_in_time)
    with pytest.raises(SoftTimeLimitExceeded):
        retention.purge("access_log", by="schedule")
    assert count("staff_accesslogentry") == 1
    monkeypatch.setattr(retention, "_delete_batch", delete)
    retention.purge("access_log", by="schedule")
    assert count("staff_accesslogentry") == 0
    assert configured.CELERY_BEAT_SCHEDULE["purge-expired"]["schedule"] <= 3600


LARGE_TABLES = {
    "operators_playersession", "api_idempotentrequest", "chat_chatmessage", "wallet_providercallback", "staff_signin",
    "staff_accesslogentry", "risk_activity", "risk_playerpair", "mail_email", "operators_launch",
}  # fmt: skip


@pytest.mark.django_db
def test_no_purge_reads_all_of_a_large_table() -> None:
    places = {table: column for policy in RETENTION_POLICIES.values() for table, column in policy.tables.items()}
    execute("SET LOCAL enable_seqscan = off")
    for table in LARGE_TABLES:
        for statement in (
            f"SELECT count(*) FROM {table} WHERE {places[table]} < now()",  # noqa: S608  (constants)
            f"SELECT ctid FROM {table} WHERE {places[table]} < now() LIMIT 5000",  # noqa: S608  (constants)
        ):
            plan = "\n".join(line for (line,) in fetch(f"EXPLAIN {statement}"))
            assert f"Seq Scan on {table}" not in plan, plan


@pytest.mark.django_db
def test_one_kind_that_is_too_recent_stops_the_whole_command() -> None:
    add_access_log_entry(3660)
    with pytest.raises(CommandError, match="access_log are kept for 3653 days, not for 200"):
        call_command("purge", "idempotency_keys", "access_log", "--older-than", "200", "--confirm")
    with pytest.raises(CommandError, match="events are kept for good"):
        call_command("purge", "access_log", "events", "--confirm")
    assert count("staff_accesslogentry") == 1


@pytest.mark.django_db
def test_the_database_itself_keeps_chat_messages_for_five_years() -> None:
    add_message(1820)
    with pytest.raises(DatabaseError, match="keeps its rows"), transaction.atomic():
        execute("DELETE FROM chat_chatmessage")
    with pytest.raises(DatabaseError, match=r"denied|never changed"), transaction.atomic():
        execute("UPDATE chat_chatmessage SET text = 'x'")
    add_message(1830)
    execute("DELETE FROM chat_chatmessage WHERE sent_at < now() - interval '1828 days'")
    assert count("chat_chatmessage") == 1


@pytest.mark.django_db
def test_purged_tables_exist_and_the_database_refuses_deletion_from_permanent_ones() -> None:
    for policy in RETENTION_POLICIES.values():
        for table, column in policy.tables.items():
            fetch(f"SELECT {column} FROM {table} LIMIT 1")  # noqa: S608
    for tables in PERMANENT.values():
        for table in tables:
            with pytest.raises(DatabaseError, match=r"denied|append-only|never"), transaction.atomic():
                connection.cursor().execute(f"DELETE FROM {table}")  # noqa: S608


@pytest.mark.django_db
def test_what_is_about_a_player_is_kept_while_a_case_or_a_hold_is_open() -> None:
    players = [UUID(int=number) for number in (1, 2, 3)]
    for player in players:
        execute("INSERT INTO risk_playernetwork VALUES (%s, 'x', now() - interval '100 days')", [player])
    case = cases.open_case(
        operator=UUID(int=9), kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=f"player:{players[0]}", details={}
    )
    execute(
        "INSERT INTO wallet_hold VALUES (%(id)s, %(id)s, %(player)s, %(id)s, 'EUR', 1, 'pep', 'open', NULL, 0, NULL, "
        "now(), '', '', now(), NULL, 1)",
        {"id": UUID(int=8), "player": players[1]},
    )
    retention.purge("networks", by="test")
    assert fetch("SELECT player_id FROM risk_playernetwork ORDER BY 1") == [(players[0],), (players[1],)]

    assert case is not None
    cases.resolve_case(case, operator=UUID(int=9), resolution="Fine", by="staff:8")
    execute("DELETE FROM wallet_hold")
    retention.purge("networks", by="test")
    assert fetch("SELECT player_id FROM risk_playernetwork") == []
