"""The sealer: gapless positions in commit order, one sealer at a time, whole passes or nothing, through outages."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection, transaction

from casino.events import sealer, store, subscriptions, wakeups
from casino.events.hash_chain import GENESIS
from casino.events.records import Append, VersionConflict
from casino.events.verification import current_head, verify
from tests.casino.events.writing import METADATA, new_event, write
from tests.dying import KILLED, dying
from tests.processes import begin

ROOT = Path(settings.BASE_DIR)


def start(database, *command):
    environment = {**os.environ, **database.environment, "PYTHONPATH": str(ROOT)}
    environment["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    pipe = subprocess.PIPE
    arguments = [sys.executable, *command]
    return begin(arguments, env=environment, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)


def test_positions_are_gapless_from_one_and_digests_are_chained(database):
    assert current_head() == (0, GENESIS)
    write("round-1", count=3)
    write("round-2", count=4)
    write("round-3", count=2)
    assert sealer.seal_once(limit=5) == 7
    assert sealer.seal_once(limit=5) == 2
    assert sealer.seal_once(limit=5) == 0
    events = subscriptions.read_sealed(0, 100)
    assert [event.position for event in events] == list(range(1, 10))
    assert len({event.digest for event in events}) == 9
    assert current_head() == (9, events[-1].digest)
    assert list(verify()) == []


def test_two_sealers_at_once_leave_no_gap_and_seal_nothing_twice(database, in_threads):
    def work(number):
        if number < 4:
            for turn in range(10):
                write(f"round-{number}-{turn}", count=3)
            return 0
        return sum(sealer.seal_once(limit=7) for _ in range(40))

    sealed = sum(in_threads(7, work)) + sealer.seal_all()
    assert sealed == 120
    assert [event.position for event in subscriptions.read_sealed(0, 1000)] == list(range(1, 121))
    assert list(verify()) == []


def test_a_second_sealer_gives_way_while_the_first_works(database, in_threads):
    write("round-1")
    with transaction.atomic():
        assert sealer.seal_once() == 1
        assert in_threads(1, lambda _: sealer.seal_once()) == [0]


def test_a_sealer_killed_between_any_two_statements_leaves_a_whole_pass_or_none(database):
    sealed = version = 0
    with dying("casino.events.sealer:seal_once", database.environment) as dies_at:
        for moment in ("1", "2", "3", "commit", "committed"):
            write("round-1", expected=version, count=5)
            assert dies_at(moment) == KILLED
            assert subscriptions.head() == sealed + (5 if moment == "committed" else 0)
            write("round-1", expected=version + 5, count=2)
            stop = threading.Event()
            successor = threading.Thread(target=sealer.run, args=[stop])
            successor.start()
            last = write(f"round-after-{moment}", count=1)[0]
            version, sealed = version + 7, sealed + 8
            assert subscriptions.wait_sealed(last, 20) == sealed
            stop.set()
            successor.join()
            assert list(verify()) == []


def test_the_kill_moments_above_are_all_there_are(database):
    statements = []

    def record(execute, sql, parameters, many, context):
        statements.append(sql)
        return execute(sql, parameters, many, context)

    write("round-1")
    with connection.execute_wrapper(record):
        sealer.seal_once()
    assert statements == [sealer.TAKE_LOCK, sealer.SELECT_UNSEALED, sealer.SEAL]


def test_sealing_continues_after_the_database_dropped_every_connection(database):
    stop = threading.Event()
    runner = threading.Thread(target=sealer.run, args=[stop])
    runner.start()
    assert subscriptions.wait_sealed(write("round-1")[0], 20) == 1
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    connection.close()
    assert subscriptions.wait_sealed(write("round-2")[0], 20) == 2
    stop.set()
    runner.join()


def test_sealing_continues_without_redis(database, monkeypatch):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    stop = threading.Event()
    runner = threading.Thread(target=sealer.run, args=[stop])
    runner.start()
    assert subscriptions.wait_sealed(write("round-1")[0], 20) == 1
    stop.set()
    runner.join()
    wakeups.forget_failures()


def test_a_second_poll_follows_a_wakeup_as_its_sender_sends_no_other_for_a_while(database, monkeypatch):
    wakeups.forget_failures()
    monkeypatch.setattr(sealer, "MIN_PASS_SECONDS", 1.0)
    monkeypatch.setattr(sealer, "WAKEUP_WAIT", 3600.0)
    monkeypatch.setattr(wakeups, "_LONGEST_WAIT", 3600.0)
    monkeypatch.setitem(wakeups.MIN_INTERVALS, wakeups.UNSEALED, 3600.0)
    stop = threading.Event()
    runner = threading.Thread(target=sealer.run, args=[stop])
    runner.start()
    wakeups.wake_on_commit(wakeups.UNSEALED)
    try:
        assert subscriptions.wait_sealed(write("round-1")[0], 20) == 1
    finally:
        stop.set()
        wakeups.wake(wakeups.UNSEALED)
        runner.join()
        wakeups.forget_failures()


def test_a_queue_entry_without_an_event_stays_for_verification_and_blocks_nothing(database):
    removed = write("round-1")[0]
    write("round-2")
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute("DELETE FROM events_event WHERE id = %s", [removed])
    assert sealer.seal_all() == 1
    assert [finding.location for finding in verify()] == [f"queue, event {removed}"]


def test_the_command_with_once_seals_waiting_events_and_exits(database):
    write("round-1", count=3)
    process = start(database, "-m", "django", "seal", "--once", "--limit", "2")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, "sealed 3\n"), errors


def test_the_command_seals_new_events_until_sigterm(database):
    process = start(database, "-m", "django", "seal")
    try:
        assert subscriptions.wait_sealed(write("round-1")[0], 60) == 1
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors


def test_events_of_a_transaction_are_neighbours_whatever_others_wrote_meanwhile(database, in_threads):
    def work(number):
        for turn in range(20):
            streams = [f"{kind}-{number}-{turn}" for kind in ("round", "table", "limit")]
            store.append([Append(stream, 0, (new_event(1), new_event(2)), METADATA) for stream in streams])
            sealer.seal_once(limit=4)

    in_threads(6, work)
    sealer.seal_all()
    written = [
        (event.transaction, event.stream.partition("-")[2], event.version)
        for event in subscriptions.read_sealed(0, 1000)
    ]
    assert len(written) == 720
    for start in range(0, 720, 6):
        together = written[start : start + 6]
        assert {each[:2] for each in together} == {together[0][:2]}
        assert [version for *_, version in together] == [1, 2, 1, 2, 1, 2]


def test_a_late_version_never_gets_an_earlier_position(database, in_threads):
    def work(number):
        if number == 0:
            return [sealer.seal_once(limit=2) for _ in range(60)]
        for version in range(25):
            try:
                write("shared", expected=version, count=1)
            except VersionConflict:
                continue
        return []

    assert not [result for result in in_threads(4, work) if isinstance(result, Exception)]
    sealer.seal_all()
    versions = [event.version for event in subscriptions.read_sealed(0, 1000)]
    assert versions == list(range(1, 26))
