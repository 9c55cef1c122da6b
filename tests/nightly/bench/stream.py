"""How long it takes from a commit until the bytes are with every browser: many live streams on one web process.

All of them on one table is the hardest case, as each event goes to all; with the streams spread over many tables, each
event goes to a few. The real web server and sealer run; the readers are one process of ours that does no more
than look for a mark in what arrives. One machine does all of it, so that readers and server share its cores.
"""

import contextlib
import resource
from collections.abc import Generator
from typing import Any

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands, free_port, is_responding
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan, Size
from tests.nightly.bench.worker import Worker

STREAMS_OF_A_PLAYER = 5
TABLES = 100
CROWDED, SPREAD = 1.0, 0.1
"""Seconds between two of them, where each goes to all streams and where it goes to a few."""

FILES = 200
"""Files that a process has open besides its streams."""


def measure(plan: Plan) -> list[Measured]:
    """Measure one table with all streams, then many tables. Raises DevstackError when a mark does not arrive."""
    size = plan.size
    _allow_files(size.streams + FILES)
    with plan.migrated("stream") as database, _serving(plan, database) as port, contextlib.ExitStack() as exits:
        house, readers = (
            exits.enter_context(Worker(name, environment=database.environment, log=plan.log))
            for name in ("stream_house", "stream_readers")
        )
        players = -(-size.streams // STREAMS_OF_A_PLAYER)
        made = house.run("open", tables=min(TABLES, size.streams), players=players)
        tokens = [made["tokens"][number % players] for number in range(size.streams)]
        crowd = [(token, made["tables"][0]) for token in tokens]
        one = _scene(house, readers, port=port, streams=crowd, pause=CROWDED, size=size)
        spread = [(token, made["tables"][number % len(made["tables"])]) for number, token in enumerate(tokens)]
        many = _scene(house, readers, port=port, streams=spread, pause=SPREAD, size=size)
    return [_measured(size.streams, one, many, len(made["tables"]))]


def _scene(
    house: Worker, readers: Worker, *, port: int, streams: list[tuple[str, str]], pause: float, size: Size
) -> list[dict[str, Any]]:
    """Open the streams, time marks at the tables in turn, close the streams; latencies in ms of each repetition."""
    watchers: dict[str, int] = {}
    for _, table in streams:
        watchers[table] = watchers.get(table, 0) + 1
    opened = readers.run("listen", port=port, streams=streams)
    if opened != len(streams):
        raise DevstackError(f"{len(streams) - opened} of {len(streams)} streams did not begin.")
    latencies = []
    for _ in range(size.repeats):
        marks = house.run("mark", tables=list(watchers), count=size.marks, pause=pause)
        expected = sum(watchers[mark["table"]] for mark in marks)
        took = readers.run("took", marks=marks, expected=expected)
        if took["arrived"] != expected:
            raise DevstackError(f"{expected - took['arrived']} of {expected} messages did not arrive.")
        latencies.append(took)
    readers.run("close")
    return latencies


def _measured(streams: int, one: list[dict[str, Any]], many: list[dict[str, Any]], tables: int) -> Measured:
    details = {
        f"{name}, {share} ms": round(sorted(part[share] for part in parts)[len(parts) // 2], 1)
        for name, parts in (("all at one table", one), (f"at {tables} tables", many))
        for share in ("p50", "p99")
    }
    return Measured(
        name="stream",
        unit="ms to all, p99",
        ours=tuple(part["p99"] for part in one),
        details={**details, "messages": sum(part["arrived"] for part in (*one, *many))},
        notes=(
            f"{streams} streams on one web process, from the commit to the reader's socket; readers share the cores",
        ),
    )


@contextlib.contextmanager
def _serving(plan: Plan, database: Database) -> Generator[int]:
    """Run a web process and the sealer until the block ends."""
    port = free_port(0)
    command = commands(port=port)
    environment = {**database.environment, "WEB_PROCESSES": "1"}
    with contextlib.ExitStack() as exits:
        for name in ("sealer", "web"):
            child = Child(name=name, command=command[name], environment=environment, log=plan.log, folder=PROJECT)
            exits.callback(child.stop)
            child.start()
        child.wait_until(lambda: is_responding(port=port, path="/livez"))
        yield port


def _allow_files(wanted: int) -> None:
    """Let this process and those it starts have so many files open, as far as the machine allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
        )
