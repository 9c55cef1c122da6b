"""A month's events are archived once, as files that are verified against the seals; whatever dies, none is missing."""

import gzip
import json
import subprocess
import textwrap
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from baccarat.audit import archiving, engine
from baccarat.audit.archiving import Month
from casino.checkpoints import archive_files, archives, cosigning, notes, storage
from casino.checkpoints.archive_files import ArchivedEvent
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.refusals import (
    ArchiveNotConfigured,
    InvalidMonth,
    MonthEmpty,
    MonthNotCovered,
    MonthTooYoung,
    MonthUnderLegalHold,
)
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.witness.client import WitnessClient
from tests.baccarat.audit.playing import play, seal, sit, tamper
from tests.baccarat.audit.test_nightly import night  # noqa: F401  (a fixture)
from tests.baccarat.audit.test_voids import settled_rounds, void
from tests.baccarat.audit.this_month import archive_this_month, this_month
from tests.casino.witness import running as witnesses
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE
from tests.dying import KILLED, SURVIVED, dying
from tests.support.depth import deep
from tests.threads import in_threads

ENDED = """
SELECT event.id, position, stream, version, type, data::text FROM events_event AS event
  JOIN events_seal ON event_id = event.id
 WHERE stream IN (SELECT stream FROM events_event WHERE type IN ('RoundSettled', 'RoundLapsed', 'RoundVoided'))
"""


@pytest.fixture
def folder(night, settings, tmp_path):  # noqa: F811
    """Audit the played rounds, and return the folder of archives."""
    settings.ARCHIVE_STORAGE = (tmp_path / "archive").as_uri()
    assert all(report.ok for _, report in night())
    return tmp_path / "archive"


def archived(folder: Path) -> list[ArchivedEvent]:
    """Return the events of all files that the recorded manifest names."""
    recorded = archives.find(this_month())
    assert recorded is not None
    manifest = archives.parse((folder / archives.object_name(this_month(), recorded.manifest)).read_bytes())
    return [event for file in manifest.files for event in archive_files.decode((folder / file.name).read_bytes())]


def stored():
    """Return the rows of the ended rounds' events with canonical data, in the order of streams and versions."""
    rows = [(*row[:-1], recanonical(row[-1]).decode()) for row in fetch(ENDED)]
    return sorted(rows, key=lambda row: (row[2], row[3]))


def as_stored(events: list[ArchivedEvent]):
    columns = ("id", "position", "stream", "version", "type", "data")
    return sorted((tuple(getattr(event, name) for name in columns) for event in events), key=lambda row: row[2:4])


def kinds(result):
    return {finding.kind for finding in result.findings}


def changed(event: ArchivedEvent, old: bytes, new: bytes) -> ArchivedEvent:
    """Return an event with one byte of its texts changed, and its digest with it."""
    head, texts = event.content[:112], event.content[112:]
    assert old in texts
    return ArchivedEvent.parse(head + texts.replace(old, new, 1))


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def test_an_archive_holds_each_event_of_ended_rounds_as_stored_and_a_repeat_verifies_it(folder, night):  # noqa: F811
    running = sit("classic")
    running.bet(tie=500)
    ended = stored()
    assert len(ended) < fetch("SELECT count(*) FROM events_event WHERE stream LIKE 'round-%%'")[0][0]
    assert all(report.ok for _, report in night())
    result = archive_this_month()
    assert (result.findings, result.is_new) == ((), True)
    assert as_stored(archived(folder)) == ended
    assert (result.manifest.rounds, result.manifest.events) == (len({row[2] for row in ended}), len(ended))
    assert len(result.manifest.files) == (result.manifest.rounds + 1) // 2
    files = sorted(folder.iterdir())
    again = archive_this_month()
    assert (again.findings, again.is_new, again.manifest) == ((), False, result.manifest)
    assert sorted(folder.iterdir()) == files
    assert all(report.ok for _, report in night())
    assert engine.run_audit().findings == ()


def test_a_round_is_archived_with_the_month_in_which_it_ended_first(folder, night):  # noqa: F811
    round_ = settled_rounds("classic")[0]
    void(round_)
    assert all(report.ok for _, report in night())
    archive_this_month()
    types = [event.type for event in archived(folder) if event.stream == f"round-{round_}"]
    assert types[-2:] == ["RoundSettled", "RoundVoided"]


def test_a_round_that_is_voided_after_its_month_was_archived_leaves_the_archive_valid(folder, night):  # noqa: F811
    archive_this_month()
    void(settled_rounds("classic")[0])
    assert all(report.ok for _, report in night())
    assert archive_this_month().findings == ()


def test_what_is_not_sealed_audited_or_old_enough_or_is_under_legal_hold_is_refused(folder, settings):
    with pytest.raises(MonthTooYoung):
        archive_this_month(days=settings.ARCHIVE_AFTER_DAYS)
    settings.LEGAL_HOLD = datetime.now(UTC).date()
    with pytest.raises(MonthUnderLegalHold):
        archive_this_month()
    settings.LEGAL_HOLD = datetime.now(UTC).date() + timedelta(days=40)
    play(sit("mini"), 1, banker=2500)
    with pytest.raises(MonthNotCovered, match="not sealed"):
        archive_this_month()
    seal()
    with pytest.raises(MonthNotCovered, match="audited positions"):
        archive_this_month()
    with pytest.raises(MonthEmpty):
        archiving.archive_month("2020-02")
    for wrong in ("2020-13", "2020-1", "9999-12", "../x", "2020-02\n"):
        with pytest.raises(InvalidMonth):
            archiving.archive_month(wrong)
    settings.ARCHIVE_STORAGE = ""
    with pytest.raises(ArchiveNotConfigured):
        archive_this_month()
    assert archives.find(this_month()) is None


def test_a_log_without_a_state_that_a_trusted_key_signed_is_not_archived(folder, settings):
    settings.CHECKPOINT_KEYS = "other:" + "11" * 32
    with pytest.raises(MonthNotCovered, match="No audit has ended"):
        archive_this_month()


def test_what_witnesses_have_not_cosigned_is_refused_and_the_manifest_holds_what_they_cosigned(
    folder, settings, tmp_path, monkeypatch
):
    log_key = NoteKey(settings.LOG_ORIGIN, SignatureType.NOTE, next(iter(checkpoint_keyring().public.values())))
    monkeypatch.setattr(witnesses, "HOUSES", f"{log_key.vkey} {CLOSING_KEY.hex()}\n")
    with witnesses.running(tmp_path / "witness") as witness:
        address = witness.address
        settings.WITNESSES = f"{witness.url} {address.cosigner.vkey} {address.release_key.hex()}"
        with pytest.raises(MonthNotCovered, match="not cosigned"):
            archive_this_month()
        client = WitnessClient([address], [CLOSING_PRIVATE])
        assert cosigning.Cosigning(client).run_once() == 1
        client.close()
        result = archive_this_month()
    assert (result.findings, result.is_new) == ((), True)
    note = SignedNote.parse(result.manifest.checkpoint)
    assert len(note.verified_by([*notes.log_keys(), address.cosigner])) == 2
    assert TreeHead.parse(note.text).size >= result.manifest.last


def test_a_command_that_dies_between_any_two_steps_is_continued(folder, played, settings):
    environment = {**played.environment, "ARCHIVE_STORAGE": settings.ARCHIVE_STORAGE,
                   "CHECKPOINT_STORAGE": settings.CHECKPOINT_STORAGE,
                   "CHECKPOINT_KEYS": settings.CHECKPOINT_KEYS}  # fmt: skip
    with dying("tests.baccarat.audit.this_month:archive_this_month", environment) as dies_at:
        for moment in ("commit", "committed", *deep((20,), range(1, 1000))):
            assert archives.find(this_month()) is None
            ended = dies_at(moment)
            if ended == SURVIVED:
                break
    assert (ended, moment >= 20) == (deep(KILLED, SURVIVED), True)
    assert archive_this_month().findings == ()
    assert as_stored(archived(folder)) == stored()


def test_of_two_archives_at_once_one_is_recorded_and_both_succeed(folder, monkeypatch):
    later = archiving.database_now() + timedelta(days=200)
    monkeypatch.setattr(archiving, "database_now", lambda: later)
    results = in_threads(3, lambda _: archiving.archive_month(this_month()))
    assert [result.findings for result in results] == [()] * 3
    assert sum(result.is_new for result in results) == 1
    assert as_stored(archived(folder)) == stored()


def test_play_goes_on_while_a_month_is_archived(folder, monkeypatch):
    write = storage.FolderStorage.write

    def write_while_betting(self, name, text):
        write(self, name, text)
        if "manifest" not in name:
            play(sit("mini"), 1, banker=2500)

    before = stored()
    monkeypatch.setattr(storage.FolderStorage, "write", write_while_betting)
    assert archive_this_month().findings == ()
    seal()
    assert as_stored(archived(folder)) == before
    assert engine.run_audit().findings == ()


def test_a_file_that_was_changed_replaced_or_lost_is_found(folder):
    manifest = archive_this_month().manifest
    path = folder / manifest.files[0].name
    content, events = path.read_bytes(), archive_files.decode(path.read_bytes())
    replace(path, gzip.compress(gzip.decompress(content), compresslevel=1, mtime=0))
    assert kinds(archive_this_month()) == {archive_files.DIFFERS}, "the same lines, but another file"
    dealt = next(number for number, event in enumerate(events) if event.type == "CardsDealt")
    forged = [*events[:dealt], changed(events[dealt], b"2", b"3"), *events[dealt + 1 :]]
    replace(path, archive_files.encode(forged))
    assert kinds(archive_this_month()) == {archive_files.DIFFERS, archive_files.UNSEALED}
    replace(path, archive_files.encode(events[1:]))
    assert kinds(archive_this_month()) == {archive_files.DIFFERS, archive_files.UNSEALED}
    replace(path, content[:-100])
    assert kinds(archive_this_month()) == {archive_files.DIFFERS}
    path.unlink()
    assert kinds(archive_this_month()) == {archive_files.MISSING}
    path.write_bytes(content)
    assert archive_this_month().findings == ()


def test_the_guide_checks_an_archive_without_this_program_and_shows_what_it_holds(folder):
    manifest = archive_this_month().manifest
    guide = (Path(__file__).parents[3] / "deploy/docs/operations.md").read_text(encoding="utf-8")
    commands = guide.partition("    manifest=$(")[2].partition("\n\n")[0]
    code = textwrap.dedent("    import base64" + guide.partition("    import base64")[2].partition("\n\n#")[0])
    script = f"manifest=$({commands}".replace("2026-01", this_month())
    (folder / "check_archive.py").write_text(code, encoding="utf-8")

    def check() -> int:
        command = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(command, cwd=folder, check=False, capture_output=True).returncode  # noqa: S603

    assert check() == 0
    lines = (folder / "events.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == manifest.events
    assert {line.split()[1] for line in lines} == {row[2] for row in stored()}
    path = folder / manifest.files[0].name
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    replace(path, gzip.compress(b"".join(lines[1:]), mtime=0))
    assert check() != 0, "sha256sum"
    script = script.splitlines()[0] + "\n" + script.splitlines()[-1]
    assert check() != 0, "an event is missing"
    position, *others = lines[0].split(b" ")
    for line in (b" ".join([b"1%b" % position, *others]), b" ".join([position, others[1], *others[1:]])):
        replace(path, gzip.compress(b"".join([line, *lines[1:]]), mtime=0))
        assert check() != 0, line


def test_a_manifest_that_is_not_the_signed_one_is_found(folder):
    archive_this_month()
    path = folder / archives.object_name(this_month(), archives.find(this_month()).manifest)
    text = path.read_bytes()
    members = json.loads(text)
    for change in (
        {"signature": "00" * 64},
        {"signature": "x"},
        {"key": "nobody"},
        {"month": "2020-01"},
        {"last": members["last"] + 10**9},
        {"checkpoint": "x"},
        {"files": []},
        {"format": "casino.archive.v0"},
    ):
        replace(path, json.dumps(members | change, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        assert archives.FORGED in kinds(archive_this_month()), change
    path.unlink()
    assert kinds(archive_this_month()) == {archive_files.MISSING}
    path.write_bytes(text)
    assert archive_this_month().findings == ()


def test_a_manifest_that_another_key_signed_is_not_trusted_even_if_the_log_names_it(folder, settings):
    archive_this_month()
    recorded = archives.find(this_month())
    manifest = archives.parse((folder / archives.object_name(this_month(), recorded.manifest)).read_bytes())
    assert archives.check_signature(manifest, month=this_month()) == []
    settings.CHECKPOINT_KEYS = "other:" + "11" * 32
    assert [each.expected for each in archives.check_signature(manifest, month=this_month())] == [
        "signed by a trusted key", "a checkpoint of this log that covers it",
    ]  # fmt: skip


def test_a_seal_that_was_changed_after_the_archive_is_found(folder, played):
    manifest = archive_this_month().manifest
    tamper(played, f"UPDATE events_seal SET digest = sha256(digest) WHERE position = {manifest.first}")  # noqa: S608
    assert archive_files.UNSEALED in kinds(archive_this_month())


def test_the_audit_finds_a_record_of_an_archive_under_another_month(folder, played):
    archive_this_month()
    seal()
    tamper(played, "UPDATE events_event SET stream = 'archive-2020-01' WHERE type = 'MonthArchived'")
    assert "stream differs" in {finding.kind for finding in engine.run_audit().findings}


def test_a_month_that_cannot_be_read_back_is_not_recorded(folder, monkeypatch):
    write = storage.FolderStorage.write

    def write_less(self, name, text):
        write(self, name, text[:-1] if "00002" in name else text)

    monkeypatch.setattr(storage.FolderStorage, "write", write_less)
    assert kinds(archive_this_month()) == {archive_files.DIFFERS}
    assert archives.find(this_month()) is None


def test_without_a_month_all_that_are_due_are_archived_once(folder, settings, capsys):
    call_command("archive")  # this month is not over
    due = Month.parse(this_month()).until + timedelta(days=settings.ARCHIVE_AFTER_DAYS)
    with patch.object(archiving, "database_now", lambda: due):
        settings.LEGAL_HOLD = datetime.now(UTC).date()
        call_command("archive")
        assert (archives.find(this_month()), capsys.readouterr().out) == (None, "")
        settings.LEGAL_HOLD = None
        call_command("archive")
        assert capsys.readouterr().out.startswith(f"Archived {this_month()}: ")
        call_command("archive")
    assert capsys.readouterr().out == ""
    assert list(folder.glob("*-manifest-*"))


def test_the_command_says_what_it_did_and_why_not(folder, capsys):
    with pytest.raises(CommandError, match="archive_month_too_young"):
        call_command("archive", this_month())
    result = archive_this_month()
    call_command("archive", this_month())
    assert capsys.readouterr().out.startswith(
        f"Verified {this_month()}: {result.manifest.rounds} rounds, {result.manifest.events} events"
    )
    (folder / result.manifest.files[0].name).unlink()
    with pytest.raises(SystemExit):
        call_command("archive", this_month())
    assert archive_files.MISSING in capsys.readouterr().err
