"""Rows damaged at random: each is a finding of its own, none ends the audit, and the rest is judged as before."""

import os
import pickle
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from django.db import ProgrammingError, connection, connections
from psycopg import sql

from baccarat.audit import engine, nightly, parallel
from baccarat.audit.report import sort_findings
from baccarat.proofs import judge
from casino.checkpoints import signing
from casino.checkpoints.models import AuditKind, AuditRun
from casino.events.immutability import app_role
from casino.events.sql import fetch
from casino.kernel.findings import MAX_OF_KIND, UNCHECKED, Finding, Findings
from casino.significant.models import SignificantEvent
from tests.baccarat.audit.damage import LOG, MONEY, ROWS, Vandal
from tests.baccarat.audit.playing import tamper
from tests.support.depth import deep

SEED = int(os.environ.get("SEED") or datetime.now(UTC).date().toordinal())
"""Another sample each day."""
TIMES = deep(1, 70)


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("tables", [LOG, MONEY, ROWS], ids=["log", "money", "rows"])
def test_each_damaged_row_is_a_finding_and_none_ends_the_audit(played, tables, time):
    with played.owner() as owner:
        damaged = Vandal(owner, f"{SEED} {time}").damage(tables, 12)
    assert damaged
    findings = engine.run_audit(max_wait=3600).findings
    places = "\n".join(f"{each.location} {each.expected} {each.actual}" for each in findings)
    assert [each for each in damaged if not any(mark in places for mark in each.marks)] == []


def test_an_event_that_nothing_reads_hides_nothing_else(played):
    """Each of these raises something else where it is read; the wager that was tampered with is found all the same."""
    events = fetch(
        "SELECT id, position FROM events_event JOIN events_seal ON event_id = id WHERE type = 'BettingClosed' "
        "AND stream NOT IN (SELECT 'round-' || round_id FROM baccarat_wager WHERE staked = 100) ORDER BY id LIMIT 4"
    )
    data = ("null", "1e400", "[" * 3000 + "]" * 3000, '{"closed_at": "x"}')
    wagers = fetch("UPDATE baccarat_wager SET won = won + 1 WHERE staked = 100 RETURNING id")
    tamper(
        played,
        *(f"UPDATE events_event SET data = '{text}' WHERE id = {key}"  # noqa: S608  (constants)
          for (key, _), text in zip(events, data, strict=True)),
    )  # fmt: skip
    with parallel.start_processes(2) as pool:
        reports = [engine.run_audit(max_wait=3600), engine.run_audit(max_wait=3600, jobs=2, pool=pool)]
    for report in reports:
        unreadable = [each.location for each in report.findings if each.kind == "event can't be read"]
        assert all(
            any(f"position {n}," in place or f"event {key}," in place for place in unreadable) for key, n in events
        )
        assert {f"baccarat_wager {key} won" for (key,) in wagers} <= {each.location for each in report.findings}
        assert [each.kind for each in report.findings[:4]].count("row differs") == 0


def test_a_statement_that_fails_spoils_no_other_check(played):
    with played.owner() as owner:
        owner.execute("ALTER TABLE wallet_balance RENAME COLUMN floor TO ceiling")
        owner.execute("ALTER TABLE operators_dailycap DROP COLUMN moved CASCADE")
    fetch("UPDATE baccarat_wager SET won = won + 1 RETURNING id")
    findings = engine.run_audit(max_wait=3600).findings
    failed = {each.location: each.actual for each in findings if each.kind == UNCHECKED}
    assert failed.keys() >= {"balance has the wrong floor", "daily caps"}
    assert "UndefinedColumn" in failed["daily caps"] or "does not exist" in failed["daily caps"]
    assert "row differs" in {each.kind for each in findings}


def test_a_role_that_may_only_select_audits(played, monkeypatch):
    user = urlsplit(played.url).username
    with played.owner() as owner:
        owner.execute("CREATE ROLE audit_reader")
        try:
            owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO audit_reader")
            owner.execute(sql.SQL("GRANT audit_reader TO {}").format(sql.Identifier(user)))
            connection.close()
            options = connections.settings["default"]["OPTIONS"]
            monkeypatch.setitem(options, "options", options["options"].replace(app_role(), "audit_reader"))
            assert fetch("SELECT current_user::text") == [("audit_reader",)]
            with pytest.raises(ProgrammingError):
                fetch("INSERT INTO events_event DEFAULT VALUES RETURNING id")
            report = engine.run_audit(max_wait=3600, with_schema=True)
            connection.close()
        finally:
            owner.execute("REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM audit_reader")
            owner.execute("DROP ROLE audit_reader")
    assert [each for each in report.findings if "audit_reader" not in f"{each.location} {each.actual}"] == []


def test_a_night_whose_parts_raise_is_recorded_and_goes_on(played, monkeypatch, settings, tmp_path):
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    signing.sign_now()
    monkeypatch.setattr(engine, "run_audit", lambda **_: 1 // 0)
    monkeypatch.setattr(nightly, "_others_due", lambda _: True)
    night = nightly.run(judge.audit_sample)
    assert [(kind, report.ok) for kind, report in night.reports] == [
        (AuditKind.FULL, False), (AuditKind.MONEY, True), (AuditKind.OTHER_STREAMS, True)
    ]  # fmt: skip
    assert [run.findings for run in AuditRun.objects.filter(kind=AuditKind.FULL)] == [1]
    found = SignificantEvent.objects.get(kind="audit_finding")
    assert "ZeroDivisionError" in found.after["found"]


def test_findings_are_kept_up_to_a_number_of_each_kind_and_counted_beyond():
    def of(kind, numbers):
        return [Finding(kind, f"row {number}", "a", "b") for number in numbers]

    many, others = Findings(of("row differs", range(5000))), Findings(of("row differs", range(5000, 6200)))
    merged = Findings([*pickle.loads(pickle.dumps(many)), *others, *of("digest differs", [7])])  # noqa: S301
    assert (len(many), len(merged)) == (MAX_OF_KIND, MAX_OF_KIND + 1)
    report = sort_findings([], merged)
    assert (report[-1].kind, report[-1].location) == ("row differs", "and 5200 more")
    assert len(report) == MAX_OF_KIND + 2


def test_the_root_of_a_fault_comes_first():
    digest, row = Finding("digest differs", "position 9", "", ""), Finding("row differs", "baccarat_round 1", "", "")
    unread, event = (
        Finding("event can't be read", "event 9, s", "", ""),
        Finding("payout differs", "event 9, s", "", ""),
    )
    assert sort_findings([digest], [row, event, unread, digest]) == (digest, unread, event, row)


def test_a_finding_holds_no_text_that_the_database_refuses():
    assert Finding("k", "a\0b", "\ud800", "c").location == "a\N{REPLACEMENT CHARACTER}b"
