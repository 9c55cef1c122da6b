"""The audit engine: counts, incremental audits, several processes, and audits during play."""

import threading
import time
from datetime import UTC, datetime

from django.db import connection

from baccarat import tasks
from baccarat.audit import engine, nightly, parallel
from baccarat.audit.log_reader import TABLE_EVENT_TYPES
from baccarat.proofs import judge
from casino.events.sql import execute, fetch
from casino.events.verification import current_head
from tests.baccarat.audit.playing import play, seal, sit

RECORDED = "SELECT kind, subject, reason FROM significant_significantevent ORDER BY id"
CHANGED_TABLES = """
WITH placed AS (
    SELECT event.id, event.type, coalesce(opened.data->>'table', substr(event.stream, 7)) AS of_table
    FROM events_event AS event JOIN events_event AS opened ON opened.stream = event.stream AND opened.version = 1
    WHERE event.stream ~ '^(table|round)-'
)
SELECT count(*) FILTER (WHERE type = 'RoundOpened'), count(*) FROM placed WHERE of_table IN (
    SELECT of_table FROM placed JOIN events_seal ON event_id = id WHERE position > %s
)
"""
"""Rounds and events of the tables that have any event after a position."""


def test_the_counts_are_those_of_the_database(played):
    report = engine.run_audit(max_wait=3600)
    counts = fetch(
        "SELECT (SELECT count(*) FROM baccarat_round), (SELECT count(*) FROM events_event), "
        "(SELECT count(*) FROM wallet_entry)"
    )[0]
    assert (report.rounds, report.events, report.entries) == counts
    assert report.summary_line() == "audit: ok rounds={} events={} entries={} findings=0".format(*counts)
    assert report.head == (current_head().position, current_head().digest.hex())


def test_unsealed_events_are_audited_too(database):
    play(sit("mini"), 2, banker=2500)
    report = engine.run_audit(max_wait=3600)
    assert report.ok
    assert report.rounds == 2
    assert report.head[0] == 0


def test_an_audit_since_a_position_checks_only_later_events(played):
    head = current_head().position
    with played.owner() as owner:
        owner.execute("ALTER TABLE wallet_entry DISABLE TRIGGER USER")
        owner.execute(
            "UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'buy_in' AND cause IN (SELECT id FROM events_event "
            "WHERE stream IN (SELECT 'table-' || id FROM baccarat_table WHERE preset = 'mini'))"
        )
    play(sit("classic"), 1, tie=500)
    seal()
    kinds = {finding.kind for finding in engine.run_audit(max_wait=3600).findings}
    assert kinds == {"entry is of another kind"}
    assert engine.run_audit(max_wait=3600, since=head).ok
    assert engine.run_audit(max_wait=3600, since=10**9).ok


def test_an_audit_since_a_position_reads_tables_with_later_events_in_full_and_no_others(played):
    changed, unchanged = sit("mini"), sit("overview")
    play(changed, 2, banker=2500)
    play(unchanged, 2, banker=2500)
    seal()
    head = current_head().position
    change = "UPDATE events_event SET metadata = metadata::jsonb || '{\"actor\": \"x\"}' WHERE stream = 'table-' || %s"
    with played.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(change, [changed.table])
        owner.execute(change, [unchanged.table])
    report = engine.run_audit(max_wait=3600, since=head)
    others = fetch("SELECT count(*) FROM events_event WHERE type <> ALL (%s::text[])", [TABLE_EVENT_TYPES])[0][0]
    assert (report.ok, report.rounds, report.events) == (True, 0, others)

    play(changed, 1, banker=2500)
    seal()
    report = engine.run_audit(max_wait=3600, since=head)
    rounds, own = fetch(CHANGED_TABLES, [head])[0]  # a turn may have ended at another table meanwhile
    assert (report.rounds, report.events) == (rounds, own + others)
    assert {(each.kind, str(changed.table) in each.location) for each in report.findings} == {("digest differs", True)}
    assert len(engine.run_audit(max_wait=3600).findings) == 2 * len(report.findings)


def test_an_audit_since_a_position_checks_accounts_with_later_postings_in_full(played):
    moved, unmoved = sit("mini"), sit("overview")
    seal()
    head = current_head().position
    play(moved, 1, banker=2500)
    seal()
    with played.owner() as owner:
        for table in ("wallet_posting", "wallet_entry"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for seated in (moved, unmoved):
            owner.execute(
                "UPDATE wallet_posting SET balance = balance + 1 WHERE sequence = 1 AND account_id IN "
                "(SELECT id FROM wallet_account WHERE kind = 'game' AND table_id = %s)",
                [seated.table],
            )
    kinds = [finding.kind for finding in engine.run_audit(max_wait=3600, since=head).findings]
    assert kinds == ["running balance is wrong"]
    assert [each.kind for each in engine.run_audit(max_wait=3600).findings] == kinds * 2


def test_an_audit_by_processes_has_the_findings_of_one_pass(played):
    with played.owner() as owner:
        owner.execute("UPDATE baccarat_round SET cards = 'Ah 2h 3h 4h'")
    alone = engine.run_audit(max_wait=3600)
    with parallel.start_processes(1) as pool:
        shared = engine.run_audit(max_wait=3600, jobs=1, pool=pool)
    assert len(alone.findings) > 5
    assert (shared.findings, shared.summary_line()) == (alone.findings, alone.summary_line())


def test_database_checks_on_a_second_connection_have_the_same_findings(played, monkeypatch):
    with played.owner() as owner:
        owner.execute("UPDATE wallet_balance SET balance = balance + 1")
        owner.execute("UPDATE baccarat_wager SET won = won + 1")
    alone = engine.run_audit(max_wait=3600)
    monkeypatch.setattr(engine, "MIN_EVENTS_FOR_SECOND_CONNECTION", 0)
    concurrent = engine.run_audit(max_wait=3600)
    assert {"balance is not the sum of its postings", "row differs"} <= {finding.kind for finding in alone.findings}
    assert (concurrent.findings, concurrent.summary_line()) == (
        alone.findings,
        alone.summary_line(),
    )


def test_progress_is_reported_up_to_the_head(played):
    reported = []
    engine.run_audit(max_wait=3600, progress=lambda done, total: reported.append((done, total)))
    assert reported[-1] == (current_head().position, current_head().position)


def test_play_during_an_audit_causes_no_finding(database):
    tables = [sit("mini"), sit("atlantic_city", players=2), sit("big_table")]
    finished = threading.Event()

    def play_and_seal():
        try:
            for _ in range(6):
                for seated in tables:
                    play(seated, 1, player=2500)
                seal()
        finally:
            finished.set()
            connection.close()

    player = threading.Thread(target=play_and_seal)
    player.start()
    reports = [engine.run_audit()]
    while not finished.is_set():
        reports.append(engine.run_audit())
    player.join()
    reports.append(engine.run_audit())
    assert [finding for report in reports for finding in report.findings] == []
    assert len(reports) > 2
    assert reports[-1].rounds > reports[0].rounds


def test_ages_are_measured_at_the_snapshot_however_long_the_audit(database):
    waited = []

    def slow(*_):
        time.sleep(1.2)
        waited.append(True)

    sit("classic")
    seal()
    sit("mini").bet(banker=2500)
    assert engine.run_audit(max_wait=1.0, progress=slow).ok
    assert waited


def test_the_nightly_audit_records_each_finding_once(database, settings):
    sit("mini")
    seal()
    assert nightly.run(judge.audit_sample).ok
    assert fetch(RECORDED) == []
    table = fetch("SELECT id FROM baccarat_table")[0][0]
    execute("UPDATE baccarat_table SET name = 'Another'")
    settings.AUDIT_HOUR = (datetime.now(UTC).hour + 12) % 24
    tasks.run_nightly_audit()
    assert fetch(RECORDED) == []
    for _ in range(2):
        assert not nightly.run(judge.audit_sample).ok
    failed, finding = fetch(RECORDED)
    assert (failed[0], finding) == (
        "integrity_failed",
        ("audit_finding", f"baccarat_table {table} name", "row differs"),
    )
    assert failed[2].startswith("audit: FAILED rounds=")
