"""The audit on a live system, in parts, and its figures."""

import threading
import time

from django.db import connection

from baccarat.audit import engine, parallel
from baccarat.audit.partitions import TABLE_EVENT_TYPES
from casino.events.sql import fetch
from casino.events.verification import current_head
from tests.baccarat.audit.playing import play, seal, sit

OF_TOUCHED_TABLES = """
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


def test_the_figures_are_those_of_the_database(played):
    report = engine.run_audit(max_wait=3600)
    counts = fetch(
        "SELECT (SELECT count(*) FROM baccarat_round), (SELECT count(*) FROM events_event), "
        "(SELECT count(*) FROM wallet_entry)"
    )[0]
    assert (report.rounds, report.events, report.entries) == counts
    assert report.summary_line() == "audit: ok rounds={} events={} entries={} findings=0".format(*counts)
    assert report.head == (current_head().position, current_head().digest.hex())


def test_what_is_not_sealed_yet_is_followed_all_the_same(database):
    play(sit("mini"), 2, banker=2500)
    report = engine.run_audit(max_wait=3600)
    assert report.ok
    assert report.rounds == 2
    assert report.head[0] == 0


def test_since_a_position_only_what_came_later_is_checked(played):
    head = current_head().position
    with played.owner() as owner:
        owner.execute("ALTER TABLE wallet_entry DISABLE TRIGGER USER")
        owner.execute(
            "UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'buy_in' AND cause IN (SELECT id FROM events_event "
            "WHERE stream IN (SELECT 'table-' || id FROM baccarat_table WHERE preset = 'mini'))"
        )
    play(sit("classic"), 1, tie=500)
    seal()
    whats = {finding.kind for finding in engine.run_audit(max_wait=3600).findings}
    assert whats == {"entry is of another kind"}
    assert engine.run_audit(max_wait=3600, since=head).ok
    assert engine.run_audit(max_wait=3600, since=10**9).ok


def test_since_a_position_only_tables_that_something_happened_to_are_read_and_these_whole(played):
    touched, untouched = sit("mini"), sit("overview")
    play(touched, 2, banker=2500)
    play(untouched, 2, banker=2500)
    seal()
    head = current_head().position
    change = "UPDATE events_event SET metadata = metadata || '{\"actor\": \"x\"}' WHERE stream = 'table-' || %s"
    with played.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(change, [touched.table])
        owner.execute(change, [untouched.table])
    report = engine.run_audit(max_wait=3600, since=head)
    others = fetch("SELECT count(*) FROM events_event WHERE type <> ALL (%s::text[])", [TABLE_EVENT_TYPES])[0][0]
    assert (report.ok, report.rounds, report.events) == (True, 0, others)

    play(touched, 1, banker=2500)
    seal()
    report = engine.run_audit(max_wait=3600, since=head)
    rounds, own = fetch(OF_TOUCHED_TABLES, [head])[0]  # others may have had a turn that ran out meanwhile
    assert (report.rounds, report.events) == (rounds, own + others)
    assert {(each.kind, str(touched.table) in each.location) for each in report.findings} == {("digest differs", True)}
    assert len(engine.run_audit(max_wait=3600).findings) == 2 * len(report.findings)


def test_since_a_position_accounts_that_were_moved_are_checked_from_their_first_posting(played):
    moved, still = sit("mini"), sit("overview")
    seal()
    head = current_head().position
    play(moved, 1, banker=2500)
    seal()
    with played.owner() as owner:
        for table in ("wallet_posting", "wallet_entry"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for seated in (moved, still):
            owner.execute(
                "UPDATE wallet_posting SET balance = balance + 1 WHERE sequence = 1 AND account_id IN "
                "(SELECT id FROM wallet_account WHERE kind = 'game' AND table_id = %s)",
                [seated.table],
            )
    whats = [finding.kind for finding in engine.run_audit(max_wait=3600, since=head).findings]
    assert whats == ["running balance is wrong"]
    assert [each.kind for each in engine.run_audit(max_wait=3600).findings] == whats * 2


def test_a_process_of_an_audit_finds_what_one_pass_finds(played):
    with played.owner() as owner:
        owner.execute("UPDATE baccarat_round SET cards = 'Ah 2h 3h 4h'")
    alone = engine.run_audit(max_wait=3600)
    with parallel.start_processes(1) as pool:
        shared = engine.run_audit(max_wait=3600, jobs=1, pool=pool)
    assert len(alone.findings) > 5
    assert (shared.findings, shared.summary_line()) == (alone.findings, alone.summary_line())


def test_what_is_asked_beside_the_log_is_found_all_the_same(played, monkeypatch):
    with played.owner() as owner:
        owner.execute("UPDATE wallet_balance SET balance = balance + 1")
        owner.execute("UPDATE baccarat_wager SET won = won + 1")
    alone = engine.run_audit(max_wait=3600)
    monkeypatch.setattr(engine, "MIN_EVENTS_FOR_SECOND_CONNECTION", 0)
    beside = engine.run_audit(max_wait=3600)
    assert {"balance is not the sum of its postings", "row differs"} <= {finding.kind for finding in alone.findings}
    assert (beside.findings, beside.summary_line()) == (alone.findings, alone.summary_line())


def test_progress_is_told_up_to_the_head(played):
    told = []
    engine.run_audit(max_wait=3600, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (current_head().position, current_head().position)


def test_play_while_it_audits_causes_no_finding(database):
    tables = [sit("mini"), sit("atlantic_city", players=2), sit("big_table")]
    over = threading.Event()

    def go_on():
        try:
            for _ in range(6):
                for seated in tables:
                    play(seated, 1, player=2500)
                seal()
        finally:
            over.set()
            connection.close()

    player = threading.Thread(target=go_on)
    player.start()
    reports = [engine.run_audit()]
    while not over.is_set():
        reports.append(engine.run_audit())
    player.join()
    reports.append(engine.run_audit())
    assert [finding for report in reports for finding in report.findings] == []
    assert len(reports) > 2
    assert reports[-1].rounds > reports[0].rounds


def test_a_long_audit_makes_nothing_look_older_than_its_snapshot(database):
    waited = []

    def slow(*_):
        time.sleep(1.2)
        waited.append(True)

    sit("classic")
    seal()
    sit("mini").bet(banker=2500)
    assert engine.run_audit(max_wait=1.0, progress=slow).ok
    assert waited
