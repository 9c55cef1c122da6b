"""Projections are thrown away and come back the same, whatever had become of them, while play goes on."""

import contextlib
import re
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psycopg
import pytest

from baccarat.audit import engine
from baccarat.audit.rebuild import KEYS
from baccarat.management.commands.rebuild import projectors
from casino.devstack.postgres import installation
from casino.events import rebuild as rebuilding
from casino.events.rebuild import CannotRebuild, check, keep_projections, rebuild
from casino.events.sql import execute, fetch
from tests.baccarat.audit.playing import play, seal, sit, stop_and_resume, tamper
from tests.conftest import as_owner
from tests.processes import wait_until

DAMAGE: Final = (
    "DELETE FROM baccarat_wager",
    "DELETE FROM baccarat_round WHERE number = 1",
    "UPDATE baccarat_round SET cards = 'Ah'",
    "UPDATE baccarat_table SET rounds = 99, round_state = '{}'",
    "UPDATE baccarat_duetable SET due_at = now()",
    "UPDATE baccarat_sitting SET seat = 9, money_type = 'real'",
    "UPDATE baccarat_killswitch SET active = true",
    "UPDATE baccarat_rulesversion SET returns = '[]'",
    "UPDATE wallet_balance SET balance = balance + 7, sequence = 0",
)
TABLES: Final = {**KEYS, "wallet_balance": "account_id"}


def rows():
    """Return every row of every projection of play, as PostgreSQL prints it."""
    return {
        table: fetch(f"SELECT kept::text FROM {table} AS kept ORDER BY {key}")  # noqa: S608  (names are constants)
        for table, key in TABLES.items()
    }


def rebuild_everything(database):
    with as_owner(database.owner_url):
        return rebuild(*projectors())


def blocked(database):
    """Return whether a statement waits for a table."""
    with database.owner() as owner:
        here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        return owner.execute(f"SELECT FROM pg_locks WHERE NOT granted AND {here}").fetchall()


@contextlib.contextmanager
def beside(work, *transactions):
    """Run `work` with open transactions in another thread, commit them, and raise what it raised."""

    def run():
        try:
            work(*transactions)
        finally:
            for transaction in transactions:
                transaction.rollback()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        yield
        running.result()


def schema(database):
    """Return the lines of the whole definition of the database, sorted."""
    command = [str(installation() / "bin" / "pg_dump"), "--schema-only", database.owner_url]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (our own command)
    return sorted(re.sub(r"^.restrict .*|^.unrestrict .*", "", line) for line in dump.splitlines())


def test_damaged_projections_are_rebuilt_byte_for_byte(played):
    stop_and_resume()
    seal()
    before = rows()
    for statement in DAMAGE:
        assert execute(statement)
    damaged = rows()
    assert damaged != before

    compared = check(*projectors())
    assert {row.split()[0] for row in compared.changed} == set(TABLES)
    assert {table: compared.rows[table] for table in TABLES} == {table: len(kept) for table, kept in before.items()}
    assert rows() == damaged

    rebuild_everything(played)
    assert rows() == before
    assert check(*projectors()).changed == ()
    assert engine.run_audit(max_wait=3600).ok


def test_deleted_projections_are_rebuilt_byte_for_byte(played):
    before = rows()
    for table in TABLES:
        execute(f"DELETE FROM {table}")  # noqa: S608  (names are constants)
    rebuild_everything(played)
    assert rows() == before


def test_a_rebuild_does_not_change_correct_projections_or_running_rounds(database):
    idle, busy = sit("mini"), sit("atlantic_city")
    play(idle, 1, banker=2500)
    busy.bet(player=100)
    before = rows()
    assert check(*projectors()).changed == ()
    rebuild_everything(database)
    assert rows() == before
    play(idle, 1, tie=500)
    seal()
    assert engine.run_audit(max_wait=3600).ok


def test_a_rebuild_from_incomplete_events_changes_nothing(played):
    before = rows()
    event = fetch("SELECT id FROM events_event WHERE type = 'RoundOpened' ORDER BY id LIMIT 1")[0][0]
    tamper(played, f"DELETE FROM events_event WHERE id = {event}")  # noqa: S608  (a number)
    for attempt in (lambda: check(*projectors()), lambda: rebuild_everything(played)):
        with pytest.raises(CannotRebuild, match="version 2"):
            attempt()
    assert rows() == before


def test_definitions_and_rights_survive_the_swap(played):
    with played.owner() as owner:
        owner.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
        owner.execute("CREATE TRIGGER noted BEFORE INSERT ON baccarat_wager FOR EACH ROW EXECUTE FUNCTION note()")
        owner.execute("ALTER TABLE baccarat_wager ENABLE ALWAYS TRIGGER noted")
        owner.execute("GRANT SELECT ON baccarat_round TO PUBLIC")
    before = schema(played)
    rebuild_everything(played)
    assert schema(played) == before


def test_a_rebuild_that_died_is_in_nobodys_way(played):
    before = schema(played)
    with played.owner() as owner:
        for left in (rebuilding.SHADOWS, rebuilding.REPLACED):
            owner.execute(f"CREATE SCHEMA {left} CREATE TABLE baccarat_round (id integer)")
    rebuild_everything(played)
    assert schema(played) == before


def test_replaced_tables_are_dropped_beside_a_statement_that_still_locks_them(played):
    """A prepared statement locks the tables that it was planned for, one after another."""
    with played.owner() as owner:
        owner.execute(f"CREATE SCHEMA {rebuilding.REPLACED}")
        for table in ("wallet_balance", "baccarat_table"):  # a drop of the whole schema locks them in this order
            owner.execute(f"CREATE TABLE {rebuilding.REPLACED}.{table} (id integer)")

    def read(reader):
        wait_until(lambda: blocked(played))
        reader.execute(f"LOCK TABLE {rebuilding.REPLACED}.wallet_balance IN ACCESS SHARE MODE")

    with psycopg.connect(played.owner_url) as reader:
        reader.execute(f"LOCK TABLE {rebuilding.REPLACED}.baccarat_table IN ACCESS SHARE MODE")
        with beside(read, reader):
            rebuild_everything(played)
    assert not fetch("SELECT FROM pg_namespace WHERE nspname = %s", [rebuilding.REPLACED])


def test_a_swap_gives_way_though_it_waits_for_several_tables_in_turn(played):
    """Each wait is shorter than the limit; together they would last until a transaction is refused as a deadlock."""
    first, *others = [table for projector in projectors() for table in projector.tables][:4]

    def read(second, third, fourth):
        wait_until(lambda: blocked(played))
        fourth.execute("SET statement_timeout = '10s'")
        waits = threading.Thread(target=fourth.execute, args=[f"LOCK TABLE {first} IN ACCESS SHARE MODE"])
        waits.start()
        for reader in (second, third):
            time.sleep(0.4)
            reader.commit()
        waits.join()

    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(psycopg.connect(played.owner_url)) for _ in others]
        for reader, table in zip(readers, others, strict=True):
            reader.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        stack.enter_context(beside(read, *readers))
        rebuild_everything(played)


def test_only_one_rebuild_runs_at_a_time(played):
    with played.owner() as first:
        first.execute("SELECT pg_advisory_lock(%s)", [rebuilding.REBUILD_LOCK])
        first.execute(f"CREATE SCHEMA {rebuilding.SHADOWS}")
        with pytest.raises(CannotRebuild, match="Another rebuild"):
            rebuild_everything(played)
        assert first.execute("SELECT to_regnamespace(%s)", [rebuilding.SHADOWS]).fetchone() != (None,)
    rebuild_everything(played)
    rebuild_everything(played)


def test_a_rebuild_waits_for_a_reader_that_would_find_nothing(played, monkeypatch):
    monkeypatch.setattr(rebuilding, "TRIES", 1)
    with psycopg.connect(played.owner_url) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT pg_try_advisory_xact_lock_shared(%s)", [rebuilding.READERS_LOCK])
        with pytest.raises(CannotRebuild, match="in use"):
            rebuild_everything(played)
    rebuild_everything(played)
    with played.owner() as owner, owner.transaction():
        owner.execute("SELECT pg_advisory_xact_lock(%s)", [rebuilding.READERS_LOCK])
        with pytest.raises(CannotRebuild, match="try again"):
            keep_projections()
