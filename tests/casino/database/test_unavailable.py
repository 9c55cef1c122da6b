"""The database is away, read only, or holds a lock: callers get 503 soon, and play goes on soon."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import psycopg
import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from baccarat.storage import repository
from casino.database import base
from casino.database.base import CircuitBreaker
from casino.devstack.home import PROJECT
from casino.events.sql import execute, fetch
from casino.settings import database as database_settings
from tests.conftest import Database, pointed_at
from tests.processes import clean_environment
from tests.support.house import House

FORK = """
import os, threading, time
import django
django.setup()
from django.db import OperationalError, connections

def connect():
    try:
        connections["default"].ensure_connection()
    except OperationalError as error:
        return str(error)

connect()
time.sleep(0.6)
threading.Thread(target=connect).start()
time.sleep(0.5)
child = os.fork()
if not child:
    print(connect(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
LONGEST_STOP = 2 * 3.0
"""Seconds for which a frozen process may stop a table, with room for a loaded machine."""


@pytest.fixture
def short_timeouts(database: Database, monkeypatch: pytest.MonkeyPatch) -> Generator[Database]:
    """Connect as a process does that players wait for."""
    monkeypatch.setenv("DATABASE_TIMEOUTS", "short")
    with pointed_at(database.url):
        yield database


def test_a_lock_that_is_not_freed_is_given_up(short_timeouts: Database) -> None:
    house = House()
    table = house.table("mini")
    with short_timeouts.owner() as owner, owner.transaction():
        owner.execute("SELECT FROM baccarat_table WHERE id = %s FOR UPDATE", [table])
        with pytest.raises(OperationalError, match="lock timeout"):
            repository.lock_table(table=table, operator=house.operator)


def test_every_process_that_players_wait_for_has_short_timeouts(database: Database, monkeypatch) -> None:
    def options(process: str) -> str:
        monkeypatch.setattr("casino.settings.PROCESS", process)
        return str(database_settings(database.url)["OPTIONS"]["options"])

    assert all("statement_timeout=10s" in options(process) for process in ("web", "worker"))
    assert all("statement_timeout=0" in options(process) for process in ("", "worker-background", "migrate"))


@pytest.mark.parametrize("path", ["/api/v1/tables", "/admin/login/"])
def test_a_server_that_is_away_is_503_and_not_500(database: Database, client: Client, path: str, monkeypatch) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    client.raise_request_exception = False
    client.cookies["sessionid"] = "x" * 32
    response = client.get(path, headers={"Authorization": "Bearer " + "k" * 40})
    assert (response.status_code, response["Retry-After"]) == (503, "1")


def test_a_read_only_server_is_an_operational_error_and_is_left_at_the_next_request(database: Database) -> None:
    execute("SET default_transaction_read_only = on")
    with pytest.raises(OperationalError, match="read-only"):
        execute("DELETE FROM django_session")
    assert connection.close_at == 0.0
    connection.close_if_unusable_or_obsolete()
    execute("DELETE FROM django_session")


def test_a_transaction_that_was_idle_too_long_is_an_operational_error(short_timeouts: Database) -> None:
    execute("SET idle_in_transaction_session_timeout = 1")
    execute("BEGIN")
    time.sleep(1)
    with pytest.raises(OperationalError):
        fetch("SELECT 1")


@pytest.mark.parametrize("committing", [False, True])
def test_a_server_that_does_not_answer_is_given_up(
    short_timeouts: Database, monkeypatch: pytest.MonkeyPatch, *, committing: bool
) -> None:
    """As of a machine whose disk does not answer: connections stay open, and its kernel acknowledges."""
    monkeypatch.setattr(base, "COMMIT_SECONDS" if committing else "ANSWER_SECONDS", 0.5)
    with transaction.atomic():
        ((backend,),) = fetch("SELECT pg_backend_pid()")
    try:
        given_up = "did not answer in time|could not be reached a moment ago"  # where Django connects anew at the end
        with pytest.raises(OperationalError, match=given_up), transaction.atomic():  # noqa: PT012
            if committing:
                execute("SELECT pg_current_xact_id()")
            os.kill(backend, signal.SIGSTOP)
            if not committing:
                fetch("SELECT 1")
    finally:
        os.kill(backend, signal.SIGCONT)
    time.sleep(base.PAUSE)
    assert fetch("SELECT pg_backend_pid() <> %s", [backend]) == [(True,)]


def test_a_request_after_silence_learns_within_a_second_that_the_server_does_not_answer(
    short_timeouts: Database, in_threads: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    backends, connected = [], threading.Barrier(4)

    def answered_after(place: int) -> float:
        ((backend,),) = fetch("SELECT pg_backend_pid()")
        backends.append(backend)
        connected.wait()
        monkeypatch.setattr(base, "QUIET_AFTER", 0.0)
        if place == 0:
            for each in backends:
                os.kill(each, signal.SIGSTOP)
        connected.wait()
        begun = time.monotonic()
        _begin_request()
        with pytest.raises(OperationalError):
            fetch("SELECT 1")
        return time.monotonic() - begun

    try:
        seconds = in_threads(4, answered_after)
    finally:
        for backend in backends:
            os.kill(backend, signal.SIGCONT)
    assert max(seconds) < base.ANSWER_SECONDS / 2  # 0.8 s on a machine that is not busy
    time.sleep(base.PAUSE)
    assert fetch("SELECT 1") == [(1,)]


def test_a_wait_for_a_connection_ends_within_a_second_and_the_next_caller_gets_it() -> None:
    slow, opened, breaker = threading.Event(), threading.Event(), CircuitBreaker()
    ours, theirs = socket.socketpair()

    class Connection:
        """As of the second of two hosts, the first of which does not answer."""

        fileno, close = ours.fileno, ours.close

    def open_slowly(_: object) -> Connection:
        slow.wait()
        opened.set()
        return Connection()

    with pytest.raises(psycopg.OperationalError, match="too long"):
        breaker.connect({}, open_slowly, seconds=0.01)
    with pytest.raises(OperationalError, match="a moment ago"):
        breaker.connect({}, open_slowly, seconds=0.01)
    slow.set()
    assert opened.wait(30)
    give_up = time.monotonic() + 30
    while True:
        try:
            connection = breaker.connect({}, _refuse, seconds=0.01)
            break
        except (OperationalError, psycopg.OperationalError):
            assert time.monotonic() < give_up
            time.sleep(base.PAUSE)
    assert isinstance(connection, Connection)
    theirs.close()
    ours.close()


def test_a_connection_used_a_moment_ago_is_checked_without_a_statement(database: Database) -> None:
    assert fetch("SELECT 1") == [(1,)]
    assert connection.is_usable()
    before = connection.connection
    with CaptureQueriesContext(connection) as statements:
        _begin_request()
        connection.close_if_health_check_failed()
    assert (len(statements), connection.connection) == (0, before)


def test_a_connection_that_the_server_has_closed_is_replaced_unnoticed(database: Database) -> None:
    assert fetch("SELECT 1") == [(1,)]
    assert connection.is_usable()
    with database.owner() as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid])
    _begin_request()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def test_only_one_thread_waits_for_a_server_that_does_not_answer(database: Database, in_threads) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        port = silent.getsockname()[1]
        with pointed_at(f"postgresql://casino_app@127.0.0.1:{port}/casino?sslmode=disable&gssencmode=disable"):
            assert not _connects()
            time.sleep(0.6)

            def timed_attempt(_: int) -> float:
                start = time.monotonic()
                assert not _connects()
                return time.monotonic() - start

            seconds = sorted(in_threads(8, timed_attempt))
    assert all(each < 1 for each in seconds[:-1])
    assert seconds[-1] < 2 * 2


def test_a_server_that_never_answers_is_given_up_sooner_where_players_wait(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_TIMEOUTS", "short")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        port = silent.getsockname()[1]
        with pointed_at(f"postgresql://casino_app@127.0.0.1:{port}/casino?sslmode=disable&gssencmode=disable"):
            begun = time.monotonic()
            with pytest.raises(OperationalError, match="too long"):
                connections[DEFAULT_DB_ALIAS].ensure_connection()
    assert time.monotonic() - begun < 2  # libpq's shortest wait; 0.9 s on a machine that is not busy


def test_a_process_forked_during_an_attempt_makes_one_of_its_own() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        url = f"postgresql://casino_app@127.0.0.1:{silent.getsockname()[1]}/casino?sslmode=disable&gssencmode=disable"
        environment = clean_environment(
            DATABASE_URL=url, DJANGO_SETTINGS_MODULE="casino.settings", PYTHONPATH=str(PROJECT)
        )
        message = subprocess.check_output([sys.executable, "-c", FORK], env=environment, cwd=PROJECT, text=True)  # noqa: S603
    assert "timeout" in message
    assert "a moment ago" not in message


def test_a_connection_that_an_interrupted_statement_left_is_replaced(database: Database) -> None:
    assert fetch("SELECT 1") == [(1,)]
    assert connection.is_usable()
    connection.connection.pgconn.send_query(b"SELECT 1")
    _begin_request()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _begin_request() -> None:
    connection.close_if_unusable_or_obsolete()
    connection.health_check_enabled, connection.health_check_done = True, False


def _connects() -> bool:
    try:
        connections[DEFAULT_DB_ALIAS].ensure_connection()
    except OperationalError:
        return False
    return True


def test_the_circuit_closes_when_the_server_answers_again() -> None:
    breaker = CircuitBreaker()
    with pytest.raises(psycopg.OperationalError):
        breaker.connect({}, _refuse)
    with pytest.raises(OperationalError, match="a moment ago"):
        breaker.connect({}, lambda _: "connection")
    time.sleep(0.6)
    assert breaker.connect({}, lambda _: "connection") == "connection"
    assert breaker.connect({}, lambda _: "connection") == "connection"


def _refuse(_: object) -> None:
    raise psycopg.OperationalError
