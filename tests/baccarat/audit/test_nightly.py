"""The audits of a night: continue from a signed state, replay older ranges again, and find what a full audit finds."""

import pickle
import sys
import threading
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from baccarat.audit import engine, nightly, ranges, saved_state
from baccarat.audit.report import FindingCollector
from baccarat.audit.saved_state import state_format
from baccarat.proofs import judge
from baccarat.services import betting, seats
from casino.checkpoints import audit_states, signing
from casino.checkpoints.audit_states import Replayed
from casino.checkpoints.models import AuditKind, AuditRun, AuditState
from casino.events.schema import NEVER_RECORDED
from casino.events.sql import database_now, execute, fetch
from casino.events.verification import current_head
from casino.kernel.money import MoneyType
from casino.significant.models import SignificantEvent
from tests.baccarat.audit.playing import deal, play, seal, sit, stop_and_resume, tamper
from tests.baccarat.audit.test_voids import request_void, settled_rounds, void

NIGHT = timedelta(days=1)


@pytest.fixture
def night(played, settings, tmp_path, monkeypatch):
    """Return a function that signs a checkpoint and runs a night's audits, in which anything may wait for an hour."""
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    for module, name in ((engine, "run_audit"), (ranges, "audit_since"), (ranges, "audit_other_streams")):
        patient(monkeypatch, module, name)

    def run(*, later=timedelta(0)):
        seal()
        signing.sign_now()
        monkeypatch.setattr(nightly, "database_now", lambda: database_now() + later)
        reports = nightly.run(judge.audit_sample).reports
        return [each for each in reports if each[0] is not AuditKind.MONEY]  # as the tests of the judge say

    return run


def patient(monkeypatch, module, name):
    function = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *some, **options: function(*some, **({"max_wait": 3600} | options)))


def findings(reports):
    return [(kind, each.kind, each.location) for kind, report in reports for each in report.findings]


def replay_all():
    """Replay every range again, and return the findings."""
    parts = audit_states.list_ranges(state_format=state_format())
    assert parts
    return findings(nightly._replay(part) for part in parts)


def test_the_second_night_reads_only_what_happened_since_the_first(night):
    ((kind, full),) = night()
    assert (kind, full.ok, full.not_read) == (AuditKind.FULL, True, (f"the schema: {NEVER_RECORDED}",))
    head = current_head().position
    play(sit("mini"), 3, banker=2500)
    ((kind, report),) = night()
    assert (kind, report.findings) == (AuditKind.SINCE_CHECKPOINT, ())
    opened = fetch("SELECT count(*) FROM events_event JOIN events_seal ON event_id = id "
                   "WHERE type = 'RoundOpened' AND position > %s", [head])[0][0]  # fmt: skip
    assert (report.since, report.rounds, report.events) == (head, opened, current_head().position - head)
    assert report.not_read[0].startswith("rounds that ended before the checkpoint")
    assert replay_all() == []


def test_nights_find_nothing_wrong_with_voids_debts_stops_and_rounds_that_run_through_them(night):
    real = sit("mini", money_type=MoneyType.REAL, buy_in=5000)
    (guest,) = real.guests
    play(real, 2, player=1000)
    running = sit("classic")
    running.bet(tie=500)
    assert findings(night()) == []
    deal()
    for round_ in settled_rounds("mini")[-2:]:
        void(round_)
    request_void(settled_rounds("overview")[0])
    stop_and_resume()
    assert findings(night()) == []
    play(running, 3, tie=500)
    betting.deal(actor=guest, stakes={"banker": 500}, currency="EUR")
    void(settled_rounds("atlantic_city")[0])
    assert findings(night()) == []
    deal()
    seats.leave(actor=guest)
    assert findings(night()) == []
    assert replay_all() == []
    assert engine.run_audit().findings == ()


def test_what_was_changed_before_the_checkpoint_is_found_when_its_range_comes_round(night):
    night()
    play(sit("mini"), 1, banker=2500)
    night()
    round_ = settled_rounds("classic")[0]
    execute("UPDATE baccarat_wager SET won = won + 1 WHERE round_id = %s", [round_])
    assert findings(night()) == []
    later = night(later=89 * NIGHT)
    assert [kind for kind, _ in later] == [
        AuditKind.SINCE_CHECKPOINT, *[AuditKind.RANGE] * 2, AuditKind.OTHER_STREAMS
    ]  # fmt: skip
    assert {(kind, what) for kind, what, _ in findings(later)} == {(AuditKind.RANGE, "row differs")}
    assert SignificantEvent.objects.filter(kind="audit_finding").count() == len(findings(later))


@pytest.mark.parametrize("earlier", [False, True])
def test_a_changed_event_is_found_by_the_night_after_it_and_by_its_range(played, night, earlier):
    night()
    play(sit("mini"), 1, banker=2500)
    seal()
    position = 3 if earlier else current_head().position - 1
    if earlier:
        night()
    tamper(
        played,
        'UPDATE events_event SET metadata = \'{"actor": "x"}\' '  # noqa: S608  (a number)
        f"WHERE id = (SELECT event_id FROM events_seal WHERE position = {position})",
    )
    reports = [report for _, report in night()]
    found = {each.kind for report in reports for each in report.findings}
    assert ("digest differs" in found) is not earlier
    assert ({what for _, what, _ in replay_all()} == {"digest differs"}) is earlier


def test_after_findings_the_next_night_begins_at_the_same_checkpoint_and_records_each_once(night):
    night()
    (state,) = AuditState.objects.all()
    play(sit("mini"), 1, banker=2500)
    execute("UPDATE baccarat_table SET name = 'Another'")
    for _ in range(2):
        ((_, report),) = night()
        assert (report.since, {each.kind for each in report.findings}) == (state.position, {"row differs"})
    assert AuditState.objects.count() == 1
    assert SignificantEvent.objects.filter(kind="audit_finding").count() == len(report.findings)
    assert SignificantEvent.objects.filter(kind="integrity_failed").count() == 1
    assert [run.findings > 0 for run in AuditRun.objects.exclude(kind="money").order_by("id")] == [False, True, True]


@pytest.mark.parametrize(
    "change", ["state = state || '\\x00'", "signature = sha512(signature)", "position = position - 1"]
)
def test_a_state_that_nobody_signed_is_not_used_and_reported_when_its_range_comes_round(played, night, change):
    night()
    with played.owner() as owner:
        owner.execute("ALTER TABLE checkpoints_auditstate DISABLE TRIGGER USER")
        owner.execute(f"UPDATE checkpoints_auditstate SET {change}")  # noqa: S608  (constants)
    assert replay_all() == [(AuditKind.RANGE, nightly.FORGED, f"position {AuditState.objects.get().position}")]
    play(sit("mini"), 1, banker=2500)
    assert [kind for kind, _ in night()] == [AuditKind.FULL]


def test_play_during_a_night_causes_no_finding(night):
    tables = [sit("mini"), sit("atlantic_city", players=2), sit("classic")]
    night()
    start, finished, reports = nightly.newest_start(), threading.Event(), []

    def play_and_seal():
        try:
            for number in range(5):
                for seated in tables:
                    play(seated, 1, player=2500)
                if number % 2:
                    seal()
        finally:
            finished.set()
            connection.close()

    player = threading.Thread(target=play_and_seal)
    player.start()
    while not finished.is_set():
        reports.append(ranges.audit_since(start))
    player.join()
    assert [each for report in reports for each in report.findings] == []
    assert len(reports) > 1


def test_a_long_log_is_audited_in_steps_of_which_none_is_repeated(night, monkeypatch):
    real = sit("mini", money_type=MoneyType.REAL, buy_in=5000)
    play(real, 2, player=1000)
    seal()
    signing.sign_now()
    void(settled_rounds("mini")[-1])
    play(sit("classic"), 2, tie=500)
    monkeypatch.setattr(nightly, "STEP", current_head().position + 5)
    stopped = ranges.audit_since
    monkeypatch.setattr(ranges, "audit_since", lambda *_, **__: sys.exit())  # the process dies after the first step
    with pytest.raises(SystemExit):
        night()
    (first,) = AuditState.objects.all()
    monkeypatch.setattr(ranges, "audit_since", stopped)
    reports = night()
    assert [kind for kind, _ in reports] == [AuditKind.SINCE_CHECKPOINT, AuditKind.OTHER_STREAMS]
    assert (reports[0][1].since, findings(reports)) == (first.position, [])
    assert replay_all() == []


def test_a_step_with_findings_ends_the_night(played, night, monkeypatch):
    signing.sign_now()
    monkeypatch.setattr(nightly, "STEP", current_head().position + 1)
    tamper(played, "UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'buy_in'")
    play(sit("mini"), 2, banker=2500)
    ((kind, report),) = night()
    assert (kind, {each.kind for each in report.findings}) == (AuditKind.RANGE, {"entry is of another kind"})
    assert not AuditState.objects.exists()


def test_a_state_of_another_format_is_not_used(night, monkeypatch):
    night()
    monkeypatch.setattr(nightly, "state_format", lambda: "0" * 32)
    play(sit("mini"), 1, banker=2500)
    assert [kind for kind, _ in night()] == [AuditKind.FULL]
    assert AuditState.objects.count() == 2


def test_without_a_key_that_signs_every_night_audits_everything(night, settings):
    night()
    settings.CHECKPOINT_PUBLIC_KEYS = settings.CHECKPOINT_KEYS = ""
    assert nightly.newest_start() is None
    assert not audit_states.can_sign()


def test_a_state_that_names_other_code_than_ours_is_refused():
    harmful = zlib.compress(pickle.dumps(print))
    with pytest.raises(pickle.UnpicklingError, match="print is no part of a state"):
        saved_state.load(harmful, FindingCollector())


def test_the_format_of_a_state_follows_the_fields_of_its_classes():
    shapes = saved_state._shapes(saved_state.PlayState, {})
    assert {"baccarat.audit.traces.TableTrace", "baccarat.audit.traces.RoundTrace"} < shapes.keys()
    assert "baccarat.domain.rules.table_rules.TableRules" in shapes
    assert "balance: " in shapes["baccarat.audit.traces.SeatTrace"]


def test_every_range_comes_round_within_the_days_and_each_night_reads_a_share(settings):
    settings.AUDIT_REPLAY_DAYS = 10
    begin = datetime(2026, 1, 1, 3, tzinfo=UTC)
    at = dict.fromkeys(range(100, 4001, 100), begin)
    oldest, most = timedelta(0), 0
    for number in range(1, 60):
        now = begin + number * NIGHT
        every = [Replayed(position - 100, position, when) for position, when in at.items()]
        oldest = max([oldest, *(now - when for when in at.values())])
        parts = nightly.parts_of_night(every, now=now)
        most = max(most, len(parts))
        for part in parts:
            at[part.upto] = now
        at[4000 + 100 * number] = now
    assert oldest <= 10 * NIGHT
    assert most <= 1 + len(at) / 10


@pytest.mark.parametrize(
    ("hour", "ended", "due"),
    [(3, None, True), (4, None, False), (3, 24, True), (3, 0.01, False), (9, 6, False), (9, 26, True)],
)
def test_a_night_is_audited_once_in_its_hour_or_later_if_that_was_missed(played, settings, hour, ended, due):
    settings.AUDIT_HOUR = 3
    now = database_now().replace(hour=hour, minute=30)
    if ended is not None:
        since = timedelta(hours=ended)
        audit_states.record(
            AuditKind.FULL, since=0, upto=1, findings=0, verdict="ok", started_at=now - since - timedelta(minutes=1)
        )
        with played.owner() as owner:
            owner.execute("ALTER TABLE checkpoints_auditrun DISABLE TRIGGER USER")
            owner.execute("UPDATE checkpoints_auditrun SET ended_at = now() - %s", [since])
    assert nightly.is_due(now) is due
