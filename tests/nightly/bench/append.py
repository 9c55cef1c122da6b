"""Events appended and sealed, against the PostgreSQL recorder of `eventsourcing` in its default mode.

Both: the same number of writer processes, each transaction a new stream with 1 or 20 events of the same 140-odd bytes.
Ours is done when the sealer, running beside, has sealed the last one: positions, chain and all. The peer is done
when its last transaction has committed, which is when its notification ids are there. Its mode of database functions
is left out: it loses notifications under concurrency, so it is no baseline.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Generator
from functools import partial

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from tests.nightly.bench import peers
from tests.nightly.bench.databases import Connection
from tests.nightly.bench.measure import Measured, in_turns
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker, run_all, workers

BATCHES = (1, 20)
TARGET = 3.0
PATIENCE = 60.0
"""Seconds that the sealer may take for the rest."""
LOOK = 0.002
"""Seconds between two looks whether it has."""
_WAITING = "SELECT EXISTS (SELECT FROM events_unsealed)"
Side = Callable[[int], float]


def measure(plan: Plan) -> list[Measured]:
    """Measure both batch sizes. Raises DevstackError."""
    missing = peers.have(peers.EVENTSOURCING)
    with contextlib.ExitStack() as exits:
        ours = exits.enter_context(_ours(plan))
        peer = None if missing else exits.enter_context(_peer(plan))
        return [_of_batch(plan, batch, ours, peer, missing) for batch in BATCHES]


def _of_batch(plan: Plan, batch: int, ours: Side, peer: Side | None, missing: str | None) -> Measured:
    ours(batch)  # plans and caches are warm on both sides
    if peer is not None:
        peer(batch)
    theirs = None if peer is None else partial(peer, batch)
    rates = in_turns(partial(ours, batch), theirs, repeats=plan.size.repeats)
    return Measured(
        name=f"append, batch {batch}",
        unit="sealed events/s",
        ours=rates[0],
        peer=rates[1],
        peer_name="eventsourcing, default mode" if peer else "no peer",
        target=TARGET if batch == 1 else None,
        notes=(missing,) if missing else (f"{plan.size.writers} writer processes each; ours until sealed",),
    )


@contextlib.contextmanager
def _ours(plan: Plan) -> Generator[Side]:
    with contextlib.ExitStack() as exits:
        database = exits.enter_context(plan.migrated("append"))
        command = [sys.executable, str(PROJECT / "manage.py"), "seal"]
        sealer = Child(name="sealer", command=command, environment=database.environment, log=plan.log, folder=PROJECT)
        exits.callback(sealer.stop)
        sealer.start()
        environment = database.environment
        writers = exits.enter_context(workers("append_ours", plan.size.writers, environment=environment, log=plan.log))
        watch = exits.enter_context(database.owner())
        yield lambda batch: _timed(plan, writers, batch, lambda: _wait_sealed(watch, sealer))


@contextlib.contextmanager
def _peer(plan: Plan) -> Generator[Side]:
    with plan.server.empty("peer") as database:
        outer = peers.environment({**database.environment, "BENCH_OWNER_URL": database.owner_url})
        with Worker("append_peer", environment=outer, log=plan.log) as first:
            first.run("create")
        with workers("append_peer", plan.size.writers, environment=outer, log=plan.log) as writers:
            yield lambda batch: _timed(plan, writers, batch, lambda: None)


def _timed(plan: Plan, writers: list[Worker], batch: int, settle: Callable[[], None]) -> float:
    # Larger batches take fewer transactions, or one repetition would take longer than all others together.
    transactions = max(1, plan.size.appends // (len(writers) * (1 if batch == 1 else 4)))
    began = time.perf_counter()
    run_all(writers, "append", [{"transactions": transactions, "batch": batch} for _ in writers])
    settle()
    return transactions * batch * len(writers) / (time.perf_counter() - began)


def _wait_sealed(watch: Connection, sealer: Child) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _sealed(watch):
        if time.monotonic() > deadline or not sealer.alive():
            raise DevstackError(sealer.exit_report())
        time.sleep(LOOK)


def _sealed(watch: Connection) -> bool:
    row = watch.execute(_WAITING).fetchone()
    return row is not None and not row[0]
