"""Attestation: the running release is compared with the approved one; differences are reported and may stop play."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from casino.compliance import attestation, clocks, release_manifest
from casino.compliance.models import Approval, ClockReading, Measurement
from casino.compliance.refusals import ApprovalReasonMissing
from casino.events.sql import fetch
from casino.observability import loop
from casino.operators import changes
from casino.operators.models import Change
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.operators.services import create_operator
from casino.staff import act_audit
from tests.conftest import Database
from tests.support.house import House


@pytest.fixture
def release(tmp_path: Path, settings: Any, db: None) -> Path:
    """Create a small release that is measured instead of the real one."""
    for name in ("manage.py", "casino/one.py", "baccarat/two.html", "wallet/three.sql", "casino/__pycache__/one.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    settings.BASE_DIR = tmp_path
    return tmp_path


def events(kind: str) -> list[tuple[Any, ...]]:
    return fetch("SELECT actor, reason FROM significant_significantevent WHERE kind = %s ORDER BY number", [kind])


def test_every_released_file_is_measured_and_nothing_else(release: Path) -> None:
    component = release_manifest.code(release)
    assert sorted(component.items) == ["baccarat/two.html", "casino/one.py", "manage.py", "wallet/three.sql"]
    assert release_manifest.code(release) == component
    (release / "casino/__pycache__/one.pyc").write_text("compiled again")
    assert release_manifest.code(release) == component
    (release / "casino/one.py").write_text("other")
    assert release_manifest.code(release).digest != component.digest
    (release / "casino/alone.pyc").write_text("runs without a source")
    assert "casino/alone.pyc" in release_manifest.code(release).items


def test_an_altered_file_of_a_dependency_is_reported(tmp_path: Path) -> None:
    (tmp_path / "one-1.0.dist-info").mkdir()
    (tmp_path / "one.py").write_text("")
    empty = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    lines = [f"one.py,{empty},0", f"two.py,{empty},0", "one-1.0.dist-info/RECORD,,"]
    (tmp_path / "one-1.0.dist-info" / "RECORD").write_text("\n".join(lines))
    assert release_manifest.find_altered_files([tmp_path]) == ["dependencies: two.py is not what was installed"]
    (tmp_path / "two.py").write_text("")
    assert release_manifest.find_altered_files([tmp_path]) == []
    (tmp_path / "one.py").write_text("other")
    assert release_manifest.find_altered_files([tmp_path]) == ["dependencies: one.py is not what was installed"]


def test_there_are_no_findings_before_an_approval_or_right_after_it(release: Path) -> None:
    assert attestation.record("web").verdict == attestation.NOT_APPROVED
    with pytest.raises(ApprovalReasonMissing):
        attestation.approve(by="staff:1", reason=" ")
    assert attestation.approve(by="staff:1", reason="Release 7.") is None
    assert events("config_changed") == [("staff:1", "Release 7.")]
    assert attestation.record("web").verdict == attestation.AS_APPROVED
    assert events("integrity_failed") == []


def test_with_a_live_operator_a_command_only_asks_and_two_persons_approve_what_it_measured(release: Path) -> None:
    create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)
    out = StringIO()
    call_command("integrity", "--approve", "--reason", "Release 7.", stdout=out)
    waiting = Change.objects.get(kind="release")
    assert str(waiting.pk) in out.getvalue()
    changes.confirm(waiting.pk, by="staff:1")
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(waiting.pk, by="staff:1")
    assert attestation.record("web").verdict == attestation.NOT_APPROVED

    changes.confirm(waiting.pk, by="staff:2")

    assert attestation.record("web").verdict == attestation.AS_APPROVED
    assert Approval.objects.get().by == "staff:2"
    assert act_audit.check() == []
    (release / "casino/one.py").write_text("not what they agreed on")
    assert attestation.record("web").verdict == attestation.DIFFERS


def test_two_releases_run_side_by_side_for_the_time_of_an_upgrade(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, before = "the next release", (release / "casino/one.py").read_text()
    attestation.approve(by="staff:1", reason="Release 7.")
    (release / "casino/one.py").write_text(later)
    attestation.approve(by="staff:1", reason="Release 8.")
    for text in (before, later):
        (release / "casino/one.py").write_text(text)
        assert attestation.record("web").verdict == attestation.AS_APPROVED
    (release / "casino/one.py").write_text("neither")
    assert attestation.record("web").verdict == attestation.DIFFERS
    monkeypatch.setattr(attestation, "UPGRADE", timedelta())
    for text, verdict in ((before, attestation.DIFFERS), (later, attestation.AS_APPROVED)):
        (release / "casino/one.py").write_text(text)
        assert attestation.record("web").verdict == verdict


def test_differences_are_reported_as_one_event_however_many_processes_find_them(release: Path, settings: Any) -> None:
    attestation.approve(by="staff:1", reason="Release 7.")
    (release / "casino/one.py").write_text("tampered")
    (release / "wallet/more.py").write_text("added")
    (release / "baccarat/two.html").unlink()
    settings.PLAYER_SESSION_SECONDS = 7

    for process in ("web", "worker", "sealer"):
        result = attestation.record(process)

    assert result.findings == (
        "code: casino/one.py was changed",
        "code: wallet/more.py was added",
        "code: baccarat/two.html is missing",
        "settings: PLAYER_SESSION_SECONDS was changed",
    )
    assert [row.verdict for row in Measurement.objects.all()] == [attestation.DIFFERS] * 3
    assert len(events("integrity_failed")) == 1
    assert fetch("SELECT FROM baccarat_killswitch") == []


def test_by_policy_a_difference_stops_all_gaming_once(release: Path, settings: Any) -> None:
    settings.INTEGRITY_STOPS_PLAY = True
    table = House().table("mini")
    attestation.approve(by="staff:1", reason="Release 7.")
    (release / "manage.py").write_text("tampered")
    for _ in range(2):
        attestation.record("web")
    ((active, by, reason),) = fetch("SELECT active, by, reason FROM baccarat_killswitch WHERE id = 'gaming'")
    assert (active, by) == (True, "system")
    assert "manage.py was changed" in reason
    assert fetch("SELECT state #>> '{stops,0,scope}' FROM baccarat_table WHERE id = %s", [table]) == [("gaming",)]


def test_rules_in_force_that_differ_from_the_published_ones_are_reported(release: Path) -> None:
    table = House().table("mini")
    assert attestation.measure().findings == ()
    fetch("UPDATE baccarat_rulesversion SET rules = jsonb_set(rules, '{decks}', '6') RETURNING id")
    assert attestation.measure().findings == (
        f"rules: table {table}/1 does not play by its version in force",
        f"rules: the returns of {table}/1 differ from those on record",
    )


def test_the_command_measures_approves_and_fails_for_a_difference(release: Path) -> None:
    output = StringIO()
    with pytest.raises(CommandError):
        call_command("integrity", approve=True, reason=" ")
    call_command("integrity", approve=True, reason="Release 7.", stdout=output)
    (release / "manage.py").write_text("tampered")
    with pytest.raises(SystemExit):
        call_command("integrity", stdout=output)
    assert "integrity: approved findings=0" in output.getvalue()
    assert "code: manage.py was changed" in output.getvalue()


def test_a_wrong_clock_is_recorded_once_until_it_moves_again(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert abs(clocks.offset_ms()) < settings.CLOCK_TOLERANCE_MS
    for offset in (3, 9000, 9001, 4, -2000):
        monkeypatch.setattr(clocks, "offset_ms", lambda offset=offset: offset)
        clocks.record_reading("worker")
    assert [row.out_of_tolerance for row in ClockReading.objects.order_by("id")] == [False, True, True, False, True]
    assert [reason for _, reason in events("clock_changed")] == [
        "9000 ms from the database's clock, 500 allowed",
        "-2000 ms from the database's clock, 500 allowed",
    ]


def test_a_long_outage_is_recorded_when_it_is_over_and_a_short_one_is_not(db: None, settings: Any) -> None:
    clocks.record_reading("worker")
    assert events("service_unavailable") == []
    ClockReading.objects.create(
        process="worker", host="one", offset_ms=0, out_of_tolerance=False, at=timezone.now() - timedelta(minutes=42)
    )
    clocks.record_reading("worker")
    clocks.record_reading("sealer")
    assert events("service_unavailable") == [("system", "No worker reported for 42 minutes")]


def test_a_process_measures_itself_only_if_the_settings_say_so(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(loop, "start", lambda *_, work: started.append(work))
    settings.INTEGRITY_AT_START = False
    attestation.start_monitoring("web")
    settings.INTEGRITY_AT_START = True
    attestation.start_monitoring("web")
    assert started == ["the integrity check"]


def test_a_starting_process_stores_measurements_of_the_release_and_of_its_clock(database: Database) -> None:
    assert attestation.check_once("sealer")
    (row,) = fetch("SELECT process, verdict, code FROM compliance_measurement")
    assert row[:2] == ("sealer", attestation.NOT_APPROVED)
    ((files,),) = fetch(
        "SELECT count(*) FROM compliance_componentdigest, jsonb_object_keys(items) WHERE digest = %s", [row[2]]
    )
    assert files > 500
    assert fetch("SELECT process, out_of_tolerance FROM compliance_clockreading") == [("sealer", False)]
    with database.owner() as owner, pytest.raises(psycopg.Error):
        owner.execute("UPDATE compliance_measurement SET verdict = 'approved'")
