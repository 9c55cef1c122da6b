"""How late betting closes: tables whose turns run out all the time, with the worker and sealer of a real system.

At each table one player confirms a wager in every round and another never says a word, so that each round is dealt when
its turn ends. Lateness is measured from the deadline to the pass of the sealer that found the close committed, which is
a little more than to the commit. Nothing may close before its deadline by the database's clock.
"""

import contextlib
import time
from collections.abc import Generator

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker

TARGET = 250.0
"""Milliseconds, for the 99th percentile."""

SETTLING = 3.0
"""Seconds at the end in which no deadline counts, so that a late one still comes to its close."""

CLOSES = """
SELECT extract(epoch FROM closed_at - deadline_at)::float8, extract(epoch FROM sealed_at - deadline_at)::float8
FROM (
    SELECT round.deadline_at, (closed.data->>'closed_at')::timestamptz AS closed_at,
           (SELECT sealed_at FROM events_chainhead WHERE position >= seal.position ORDER BY position LIMIT 1)
    FROM baccarat_round AS round
    JOIN events_event AS closed ON closed.stream = 'round-' || round.id AND closed.type = 'BettingClosed'
    JOIN events_event AS silent ON silent.stream = closed.stream AND silent.type = 'SeatTimedOut'
    JOIN events_seal AS seal ON seal.event_id = closed.id
    WHERE round.deadline_at >= to_timestamp(%s) AND round.deadline_at < to_timestamp(%s)
) AS closes ORDER BY deadline_at
"""
OVERDUE = """
SELECT count(*) FROM baccarat_round
WHERE phase IN ('betting', 'closed') AND deadline_at >= to_timestamp(%s) AND deadline_at < to_timestamp(%s)
"""


def measure(plan: Plan) -> list[Measured]:
    """Measure the lateness of closes in windows, one after the other. Raises DevstackError."""
    size = plan.size
    with plan.migrated("turns") as database, _running(plan, database):
        with Worker("turns_players", environment=database.environment, log=plan.log) as players:
            players.run("seat", tables=size.turning, turn=size.turn)
            players.run("play", seconds=float(size.turn))
            began = time.time()
            players.run("play", seconds=size.turns_seconds + SETTLING)
        closes = _closes(database, began, began + size.turns_seconds)
    early = sum(closed < 0 for closed, _ in closes)
    if early:
        raise DevstackError(f"{early} rounds closed before their deadline.")
    return [_measured(closes, size.repeats, size.turning, size.turn)]


def _measured(closes: list[tuple[float, float]], repeats: int, tables: int, turn: int) -> Measured:
    late = [sealed * 1000 for _, sealed in closes]
    parts = [late[number * len(late) // repeats : (number + 1) * len(late) // repeats] for number in range(repeats)]
    return Measured(
        name="turns",
        unit="ms late, p99",
        ours=tuple(percentile(part, 0.99) for part in parts),
        target=TARGET,
        target_is_most=True,
        details={
            "p50 ms": round(percentile(late, 0.5), 1),
            "p99 ms": round(percentile(late, 0.99), 1),
            "worst ms": round(max(late), 1),
            "p99 ms until the dealer had the table": round(percentile([c * 1000 for c, _ in closes], 0.99), 1),
            "closes": len(closes),
            "early": 0,
        },
        notes=(f"{tables} tables, turns of {turn} s; from the deadline to the sealed close of betting",),
    )


def _closes(database: Database, since: float, until: float) -> list[tuple[float, float]]:
    with database.owner() as owner:
        (left,) = owner.execute(OVERDUE, [since, until]).fetchall()[0]
        closes = owner.execute(CLOSES, [since, until]).fetchall()
    if left or not closes:
        raise DevstackError(
            f"{left} rounds were still open {SETTLING:g} s after their deadline, {len(closes)} were closed."
        )
    return [(closed, sealed) for closed, sealed in closes]


@contextlib.contextmanager
def _running(plan: Plan, database: Database) -> Generator[None]:
    """Run a worker and the sealer until the block ends."""
    command = commands(port=0)
    children = [
        Child(name=name, command=command[name], environment=database.environment, log=plan.log, folder=PROJECT)
        for name in ("sealer", "worker")
    ]
    with contextlib.ExitStack() as exits:
        for child in children:
            exits.callback(child.stop)
            child.start()
        yield
