"""Errors of PostgreSQL under load: callers get 503 with Retry-After and never 500, and nothing is lost or doubled."""

import asyncio
import contextlib
import math
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final

import httpx
import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from casino.devstack.postgres import WEB, Postgres
from tests.support.books import agree, audit
from tests.support.players import Setting, party
from tests.support.whole_system import System, until

PERIOD: Final = 4
"""Seconds for which an error lasts."""
RECOVERY: Final = 180
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("atlantic_city", players=3, rules={"turn_seconds": 1}))

NOT_SERIALIZED: Final = "ERROR:  could not serialize access"
DEADLOCK: Final = "ERROR:  deadlock detected"

Fault = Callable[[System], Awaitable[None]]


@contextlib.contextmanager
def superuser(system: System) -> Generator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(Postgres(system.stack.home).superuser_url, dbname="casino", autocommit=True) as connection:
        yield connection


def terminate_web(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [WEB])


def log_of_postgres(system: System) -> Callable[[], str]:
    """Return a function for what PostgreSQL has written to its log from now on."""
    before = len(system.log("postgres"))
    return lambda: system.log("postgres")[before:]


async def sessions_terminated(system: System) -> None:
    """57P01: end all sessions of web, again and again."""
    with superuser(system) as connection:
        for _ in range(10 * PERIOD):
            terminate_web(connection)
            await asyncio.sleep(0.1)


async def server_crashed(system: System) -> None:
    """57P02 for those who are connected, then 57P03 for those who connect."""
    ((backend,),) = system.query("SELECT pid FROM pg_stat_activity WHERE usename = %s LIMIT 1", [WEB])
    os.kill(backend, signal.SIGKILL)


async def connections_exhausted(system: System) -> None:
    """53300: take all connections that web could have."""
    with contextlib.ExitStack() as strangers, superuser(system) as connection:
        terminate_web(connection)
        ends, clock = math.inf, asyncio.get_running_loop().time
        while clock() < ends:
            try:
                strangers.enter_context(psycopg.connect(system.web_database_url))
            except psycopg.OperationalError:
                ends = min(ends, clock() + PERIOD)
                await asyncio.sleep(0.1)
            await asyncio.sleep(0)


async def serialization_failures(system: System) -> None:
    """40001: let web's transactions keep their first snapshot, until two change a row at once, which is an error."""
    log = log_of_postgres(system)
    with superuser(system) as connection:
        connection.execute("ALTER ROLE casino_web SET default_transaction_isolation = 'repeatable read'")
        terminate_web(connection)
        await asyncio.sleep(PERIOD)
        await until(lambda: NOT_SERIALIZED in log())
        connection.execute("ALTER ROLE casino_web RESET default_transaction_isolation")
        terminate_web(connection)


async def deadlocks(system: System) -> None:
    """40P01: lock balances, then the tables whose players wait for those; until one does."""
    log = log_of_postgres(system)
    with superuser(system) as connection:
        connection.execute("SET deadlock_timeout = '1min'")  # the others notice first
        while DEADLOCK not in log():
            with connection.transaction(force_rollback=True):
                connection.execute("SELECT FROM wallet_balance FOR UPDATE")
                await asyncio.sleep(0.5)
                await asyncio.to_thread(connection.execute, "SELECT FROM baccarat_table FOR UPDATE")
            await asyncio.sleep(0.5)


async def server_read_only(system: System) -> None:
    """25006: web is connected to a server that accepts no writes, as a demoted primary; later to another."""
    with superuser(system) as connection:
        connection.execute("ALTER ROLE casino_web SET default_transaction_read_only = on")
        terminate_web(connection)
        await asyncio.sleep(PERIOD)
        connection.execute("ALTER ROLE casino_web RESET default_transaction_read_only")


FAULTS: Final[dict[str, tuple[Fault, str]]] = {
    "57P01": (sessions_terminated, "terminating connection due to administrator command"),
    "57P02 and 57P03": (server_crashed, "FATAL:  the database system is"),
    "53300": (connections_exhausted, "FATAL:  remaining connection slots are reserved"),
    "40001": (serialization_failures, NOT_SERIALIZED),
    "40P01": (deadlocks, DEADLOCK),
    "25006": (server_read_only, "in a read-only transaction"),
}
"""By SQLSTATE: what causes it, and what PostgreSQL writes to its log then."""


async def play_through(system: System, fault: Fault) -> Counter[int]:
    """Let players bet before, during and after the fault; return how often each status was answered."""
    statuses: Counter[int] = Counter()

    async def record(response: httpx.Response) -> None:
        statuses[response.status_code] += 1
        assert response.status_code != 503 or int(response.headers["Retry-After"]) > 0

    async with asyncio.timeout(RECOVERY), system.watched(), party(system, TABLES) as players:
        for player in players.players:
            player.client._http.event_hooks["response"].append(record)

        async def strike() -> None:
            for step in (fault, None):
                enough = players.wagers() + 2 * len(players.players)
                await until(lambda enough=enough: players.wagers() >= enough)  # type: ignore[misc]
                if step is not None:
                    await step(system)

        await players.play_during(strike())
        await agree(system, players)
    return statuses


@pytest.mark.parametrize(("fault", "message"), FAULTS.values(), ids=FAULTS)
def test_an_error_of_the_database_is_503_and_loses_and_doubles_nothing(
    system: System, django_db_blocker: DjangoDbBlocker, fault: Fault, message: str
) -> None:
    log = log_of_postgres(system)
    statuses = asyncio.run(play_through(system, fault))
    print(f"{fault.__name__}: {dict(statuses)}")
    assert message in log()
    assert all(status < 500 or status == 503 for status in statuses)
    assert audit(system, django_db_blocker).findings == ()
