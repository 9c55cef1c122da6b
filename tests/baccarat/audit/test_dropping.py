"""Payloads of an archived month leave the database and come back; whoever reads events sees no difference."""

# ruff: noqa: S608  (SQL made of constants)

import io
import shutil
import zipfile
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from psycopg import errors

from baccarat.audit import archiving, dropping, engine, parallel, round_replay, verdict
from baccarat.audit.log_replay import OUT_OF_TURN
from baccarat.audit.rebuild import play_projector
from baccarat.domain.postings import TableAccounts
from baccarat.proofs import dispute_pack
from baccarat.proofs.export import export_round
from baccarat.queries import fairness, rounds
from baccarat.reports import breakdowns, performance, revenue, variance, voids
from baccarat.services import rng_monitoring, table_lifecycle
from casino.api.streaming.hub import Hub
from casino.checkpoints import archive_files, archived_payloads, archives
from casino.checkpoints.archives import MonthArchived, MonthDropped, MonthRestored
from casino.checkpoints.refusals import (
    MonthBusy,
    MonthDisputed,
    MonthHasCases,
    MonthNotArchived,
    MonthNotDropped,
    MonthStillRead,
    MonthTooYoung,
    MonthUnderLegalHold,
    OwnerNeeded,
)
from casino.compliance import cases, exports
from casino.compliance.models import CaseKind
from casino.events import payloads, rebuild, store, subscriptions
from casino.events.payloads import ArchiveUnavailable
from casino.events.sql import database_now, execute, fetch
from casino.operators import changes
from casino.reports.definition import ReportScope
from casino.reports.generation import snapshot
from tests.baccarat.audit.playing import METADATA, OPERATOR, play, seal, sit, tamper
from tests.baccarat.audit.test_archiving import changed, folder, stored  # noqa: F401  (a fixture)
from tests.baccarat.audit.test_archiving import replace as replace_file
from tests.baccarat.audit.test_nightly import night  # noqa: F401  (a fixture)
from tests.baccarat.audit.test_voids import request_void, settled_rounds, void
from tests.baccarat.audit.this_month import LATER, archive_this_month, later_here, this_month
from tests.conftest import as_owner
from tests.dying import SURVIVED, dying
from tests.support import voids as staff_voids
from tests.support.depth import deep
from tests.support.office import page_of, superuser
from tests.threads import in_threads

DROPPED = "SELECT count(*) FROM events_event WHERE data::text = 'null'"


@pytest.fixture(autouse=True)
def forget():
    """Read each archive anew."""
    archived_payloads._payloads.cache_clear()
    archived_payloads._manifest.cache_clear()


@pytest.fixture
def archive(folder):  # noqa: F811
    """Archive the played month, and return the folder of its files."""
    assert archive_this_month().findings == ()
    seal()
    return folder


def later(change, database):
    """Call a function as the owner, 200 days later."""
    with as_owner(database.owner_url):
        return later_here(change)


def drop(database):
    result = later(dropping.drop_month, database)
    assert result.findings == ()
    seal()
    return result.events


def restore(database):
    result = later(dropping.restore_month, database)
    assert result.findings == ()
    seal()
    return result.events


def dropped():
    return fetch(DROPPED)[0][0]


def kinds(report):
    return {finding.kind for finding in report.findings}


def everything_read():
    """Return what readers of all kinds make of the events."""
    ended = [row[0] for row in fetch("SELECT id FROM baccarat_round WHERE phase = 'settled' ORDER BY id")]
    tables = [row[0] for row in fetch("SELECT id FROM baccarat_table ORDER BY id")]
    streams = [f"round-{each}" for each in ended]
    return {
        "streams": store.read_many(streams),
        "events": [rounds.round_events(round_=each, operator=OPERATOR, viewer=None) for each in ended],
        "log": [each for each in subscriptions.read_sealed(0, 10_000) if not each.stream.startswith("archive-")],
        "proofs": [lasting(export_round(round_=each, operator=OPERATOR, viewer=None)) for each in ended],
        "packs": [pack(each) for each in ended[:2]],
        "replays": [round_replay.replay_round(each).document() for each in ended],
        "verdicts": [
            verdict.check_round(each, accounts=TableAccounts(operator=OPERATOR, table=table, currency="EUR")).holds
            for each, table in fetch("SELECT id, table_id FROM baccarat_round WHERE phase = 'settled' ORDER BY id")
        ],
        "fairness": [fairness.table_fairness(table=each, operator=OPERATOR) for each in tables],
        "shoes": rng_monitoring.load_history(),
        "reports": reports(),
        "exported events": exported(),
        "exported play": play_of_players(),
    }


def lasting(proof):
    """Leave out what grows with the log."""
    return {name: value for name, value in proof.items() if name in {"round", "events", "shoe", "rules", "wagers"}}


def pack(round_):
    with zipfile.ZipFile(io.BytesIO(dispute_pack.build_pack(round_=round_, operator=OPERATOR).content)) as files:
        return {name: files.read(name) for name in ("events.json", "timeline.txt", "entries.json", "wagers.json")}


def period():
    since = datetime.now(UTC) - timedelta(days=1)
    return {"operator": OPERATOR, "since": since.replace(hour=0, minute=0, second=0, microsecond=0),
            "until": since.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=3)}  # fmt: skip


def reports():
    scope = ReportScope(position=1_000_000, sandbox=False, **period())
    made = {}
    for each in (
        performance.PERFORMANCE, revenue.REVENUE, breakdowns.BRANDS, breakdowns.PLAYERS, breakdowns.HOURS,
        variance.VARIANCE, voids.VOIDS,
    ):  # fmt: skip
        with snapshot(scope.values()):
            made[each.name] = each.read(scope)
    return made


def exported():
    pieces = exports.export_operator(**period(), now=datetime.now(UTC))
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as files:
        return [line for line in files.read("events.csv").splitlines() if b"archive-" not in line]


def play_of_players():
    players = [row[0] for row in fetch("SELECT DISTINCT player_id FROM baccarat_wager ORDER BY 1")]
    made = []
    for player in players:
        about = {"player": player}
        with transaction.atomic():
            payloads.show_in_sql("player", about)
            table = exports.ExportTable("play", exports.player_files()["play"], about)
            made.append([row for batch in table.batches() for row in batch])
    return made


def test_readers_of_all_kinds_see_a_dropped_month_as_before_and_the_audit_finds_nothing(archive, played, night):  # noqa: F811
    table = sit("classic")
    play(table, 1, tie=500)
    void(settled_rounds("overview")[0])
    seal()
    before, events = everything_read(), stored()
    count = drop(played)
    assert count == dropped() > 40
    assert {row[3] for row in fetch(
        "SELECT version, stream, id, type FROM events_event WHERE stream = ANY (%s::text[]) AND data::text <> 'null'",
        [[f"round-{each}" for each in settled_rounds("mini")]])} == {"RoundOpened"}  # fmt: skip
    after = everything_read()
    for name, value in before.items():
        assert after[name] == value, name
    assert all(report.ok for _, report in night())
    with as_owner(played.owner_url):
        assert engine.run_audit(with_guards=True).findings == ()
    assert drop(played) == 0
    assert restore(played) == count
    assert (stored()[: len(events)], dropped()) == (events, 0)
    assert [type(each) for each in archives.history(this_month())] == [MonthArchived, MonthDropped, MonthRestored]
    assert engine.run_audit(with_guards=True).findings == ()
    assert restore(played) == 0
    assert drop(played) == count
    assert archive_this_month().findings == ()


def test_an_audit_of_several_processes_and_a_check_of_projections_read_the_archive(archive, played, night):  # noqa: F811
    night()
    drop(played)
    with parallel.start_processes(2) as pool:
        assert engine.run_audit(jobs=2, pool=pool).findings == ()
    assert rebuild.check(play_projector()).changed == ()
    with as_owner(played.owner_url):
        assert rebuild.rebuild(play_projector()).changed == ()
    assert engine.run_audit().findings == ()


def test_a_round_of_a_dropped_month_can_be_voided(archive, played, night):  # noqa: F811
    drop(played)
    void(settled_rounds("mini")[0])
    assert all(report.ok for _, report in night())
    assert restore(played)
    assert engine.run_audit().findings == ()


def test_a_closed_table_of_a_dropped_month_shows_the_same_unused_shoes(archive, played, night):  # noqa: F811
    (table,) = fetch("SELECT id FROM baccarat_table WHERE preset = 'mini'")[0]
    table_lifecycle.close_table(table=table, operator=OPERATOR, reason="Worn out", metadata=METADATA)
    before = fairness.table_fairness(table=table, operator=OPERATOR)
    assert all(report.ok for _, report in night())
    drop(played)
    assert fairness.table_fairness(table=table, operator=OPERATOR) == before


@pytest.mark.parametrize(
    ("work", "kind"), [("drop_later", MonthDropped), ("restore_later", MonthRestored)], ids=["drop", "restore"]
)
def test_a_command_that_dies_between_any_two_statements_is_continued(archive, played, settings, work, kind):
    if kind is MonthRestored:
        drop(played)
    before = stored()
    names = ("ARCHIVE_STORAGE", "CHECKPOINT_STORAGE", "CHECKPOINT_KEYS")
    environment = {**played.environment, **{name: getattr(settings, name) for name in names},
                   "DATABASE_URL": played.owner_url, "DATABASE_ROLE": "owner"}  # fmt: skip
    with dying(f"tests.baccarat.audit.this_month:{work}", environment) as dies_at:
        for moment in deep(("commit", "committed", 12, "never"), range(1, 1000)):
            ended = dies_at(moment)
            seal()
            assert store.read_many(sorted({row[2] for row in before})), "readers go on"
            if ended == SURVIVED:
                break
    assert (ended, moment in deep(("never",), range(20, 1000))) == (SURVIVED, True)
    assert isinstance(archives.history(this_month())[-1], kind)
    assert engine.run_audit().findings == ()
    assert (dropped() > 0) is (kind is MonthDropped)


def test_of_two_at_once_one_is_told_to_wait(archive, played):
    with as_owner(played.owner_url):
        moment = database_now() + LATER
        with patch.object(archiving, "database_now", lambda: moment):
            results = in_threads(3, lambda _: dropping.drop_month(this_month()))
    done = [each for each in results if not isinstance(each, Exception)]
    assert {type(each) for each in results if isinstance(each, Exception)} <= {MonthBusy}
    assert sum(each.events for each in done) == dropped() > 0
    seal()
    assert engine.run_audit().findings == ()


def test_what_is_too_young_held_read_disputed_or_in_a_case_is_not_dropped(archive, played, settings):
    with as_owner(played.owner_url), pytest.raises(MonthTooYoung):
        dropping.drop_month(this_month())
    settings.LEGAL_HOLD = datetime.now(UTC).date()
    with pytest.raises(MonthUnderLegalHold):
        drop(played)
    settings.LEGAL_HOLD = None
    execute("INSERT INTO events_subscription (name, position) VALUES ('slow', 3)")
    with pytest.raises(MonthStillRead, match="slow has read up to position 3 of"):
        drop(played)
    execute("DELETE FROM events_subscription WHERE name = 'slow'")
    request_void(settled_rounds("mini")[0])
    seal()
    with pytest.raises(MonthDisputed, match=str(settled_rounds("mini")[0])):
        drop(played)
    changes.decline(staff_voids.waiting(settled_rounds("mini")[0]), by="staff:2")
    seal()
    cases.open_case(operator=OPERATOR, kind=CaseKind.COMPLAINT, subject="player:1", details={})
    with pytest.raises(MonthHasCases):
        drop(played)
    with as_owner(played.owner_url), pytest.raises(MonthNotArchived):
        dropping.drop_month("2020-01")
    with as_owner(played.owner_url), pytest.raises(MonthNotDropped):
        dropping.restore_month(this_month())
    with pytest.raises(OwnerNeeded):
        later_here(dropping.drop_month)
    assert (dropped(), len(archives.history(this_month()))) == (0, 1)


def test_nothing_is_dropped_for_or_restored_from_an_archive_that_was_changed_or_lost(archive, played):
    path = (
        archive
        / archives.parse(
            (archive / archives.object_name(this_month(), archives.find(this_month()).manifest)).read_bytes()
        )
        .files[1]
        .name
    )
    content, rows = path.read_bytes(), archive_files.decode(path.read_bytes())
    forged = archive_files.encode([changed(rows[0], b"1", b"2"), *rows[1:]])
    replace_file(path, forged)
    assert kinds(later(dropping.drop_month, played)) == {archive_files.DIFFERS, archive_files.UNSEALED}
    path.unlink()
    assert kinds(later(dropping.drop_month, played)) == {archive_files.MISSING}
    assert (dropped(), len(archives.history(this_month()))) == (0, 1)
    path.write_bytes(content)
    count = drop(played)
    replace_file(path, forged)
    assert kinds(later(dropping.restore_month, played)) == {archive_files.DIFFERS, archive_files.UNSEALED}
    assert (dropped(), len(archives.history(this_month()))) == (count, 2)
    with pytest.raises(ArchiveUnavailable, match="not what was archived"):
        store.read(rows[0].stream)
    assert payloads.UNAVAILABLE in kinds(engine.run_audit())
    replace_file(path, content)
    assert restore(played) == count


def test_without_its_archive_a_dropped_round_is_refused_and_the_audit_says_why(archive, played, settings, tmp_path):
    round_ = settled_rounds("mini")[0]
    drop(played)
    shutil.move(archive, tmp_path / "elsewhere")
    with pytest.raises(ArchiveUnavailable):
        export_round(round_=round_, operator=OPERATOR, viewer=None)
    with pytest.raises(ArchiveUnavailable):
        void(round_)
    with pytest.raises(ArchiveUnavailable):
        reports()
    with transaction.atomic():  # a superuser made by no act is a finding
        answer = superuser().get(page_of("baccarat_round", round_))
        transaction.set_rollback(True)
    assert (answer.status_code, "is missing" in answer.content.decode()) == (503, True)
    head, messages = Hub(prepare=list, on_delivered=None)._load()
    assert (head, messages) == (subscriptions.head(), []), "streams start without it"
    found = engine.run_audit()
    assert {payloads.UNAVAILABLE, "digest differs"} <= kinds(found)
    settings.ARCHIVE_STORAGE = ""
    with pytest.raises(ArchiveUnavailable, match="not set"):
        rounds.round_events(round_=round_, operator=OPERATOR, viewer=None)
    settings.ARCHIVE_STORAGE = (tmp_path / "elsewhere").as_uri()
    assert engine.run_audit().findings == ()


def test_who_has_stolen_the_applications_role_drops_nothing_and_a_forged_record_is_found(archive, played):
    archives.append(MonthDropped(this_month(), 1), version=1)
    archives.append(MonthRestored("2020-01", 1), version=0)
    with psycopg.connect(played.url, autocommit=True) as thief:
        thief.execute(f"SET casino.archived_month = '{this_month()}'")
        with pytest.raises(errors.InsufficientPrivilege):
            thief.execute("UPDATE events_event SET data = 'null' WHERE type = 'CardsDealt'")
    assert dropped() == 0
    seal()
    (finding,) = engine.run_audit().findings
    assert (finding.kind, finding.expected, finding.actual) == (OUT_OF_TURN, "MonthArchived", "MonthRestored")


def test_the_owner_drops_nothing_that_the_log_does_not_say_and_restores_only_what_was_sealed(archive, played):
    nothing = "UPDATE events_event SET data = 'null' WHERE type = '{}'"
    month = f"SET casino.archived_month = '{this_month()}'"
    with played.owner() as owner:

        def refused(statement):
            with pytest.raises(errors.RestrictViolation):
                owner.execute(statement)

        refused(nothing.format("CardsDealt"))
        owner.execute(month)
        refused(nothing.format("CardsDealt"))
        drop(played)
        refused(nothing.format("RoundOpened"))
        refused("UPDATE events_event SET data = '{}' WHERE type = 'CardsDealt'")
        refused("UPDATE events_event SET data = 'null', type = 'X' WHERE type = 'CardsDealt'")
        refused("DELETE FROM events_event WHERE type = 'CardsDealt'")
        owner.execute("SET casino.archived_month = '2020-01'")
        refused(nothing.format("TableOpened"))
        owner.execute(month)
        owner.execute("INSERT INTO events_event (stream, version, type, schema, data, metadata) "
                      f"VALUES ('archive-{this_month()}', 3, 'MonthRestored', 1, '{{}}', '{{}}')")  # fmt: skip
        refused("UPDATE events_event SET data = '{}' WHERE type = 'CardsDealt'")
        refused(nothing.format("CardsDealt"))


@pytest.mark.parametrize(
    "change",
    [
        "type = 'RoundLapsed'",
        "recorded_at = recorded_at + interval '1 second'",
        'metadata = \'{"actor": "x"}\'',
        "version = version + 100",
        "data = '{}'",
    ],
)
def test_a_dropped_row_that_was_changed_is_found(archive, played, change):
    drop(played)
    assert engine.run_audit().findings == ()
    tamper(
        played,
        f"UPDATE events_event SET {change} WHERE id = (SELECT max(id) FROM events_event WHERE type = 'CardsDealt')",
    )
    assert "digest differs" in kinds(engine.run_audit())


def test_a_payload_that_no_archive_has_is_found_missing(archive, played):
    play(sit("mini"), 1, banker=2500)
    seal()
    tamper(
        played,
        "UPDATE events_event SET data = 'null' WHERE id = (SELECT max(id) FROM events_event WHERE type = 'CardsDealt')",
    )
    assert {payloads.UNAVAILABLE, "digest differs"} <= kinds(engine.run_audit())


def test_the_commands_say_what_they_did_and_why_not(archive, played, capsys):
    with pytest.raises(CommandError, match="archive_needs_owner"):
        call_command("archive", this_month(), drop=True)
    later(lambda month: call_command("archive", month, drop=True), played)
    later(lambda month: call_command("restore", month), played)
    count = capsys.readouterr().out
    assert count.splitlines()[0].startswith("Dropped the payloads of ")
    assert count.splitlines()[1].startswith("Restored the payloads of ")
    next(archive.glob("*-rounds-*")).unlink()
    with pytest.raises(SystemExit):
        later(lambda month: call_command("archive", month, drop=True), played)
    assert archive_files.MISSING in capsys.readouterr().err


def test_without_a_month_all_that_are_archived_are_dropped_but_what_was_restored(archive, played, capsys):
    with as_owner(played.owner_url):
        call_command("archive", drop=True)  # it is too young
    later(lambda _month: call_command("archive", drop=True), played)
    seal()
    later(lambda _month: call_command("archive", drop=True), played)  # had the first died, this would end it
    first, again = capsys.readouterr().out.splitlines()
    assert first.startswith("Dropped the payloads of ")
    assert again == f"Dropped the payloads of 0 events of {this_month()}."
    restore(played)
    later(lambda _month: call_command("archive", drop=True), played)
    assert (capsys.readouterr().out, dropped()) == ("", 0)
    assert archive.exists()
