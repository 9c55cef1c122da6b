"""How long a fact is unprotected: from the commit of an event to the cosignature of a witness that covers it.

Events are appended all the time; the sealer is killed once, and started again after a while. The witness runs on the
same machine. Figures are the database's own times.
"""

import contextlib
import time
from collections.abc import Generator, Iterator, Mapping
from typing import Final

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands
from tests.nightly.bench.databases import Connection
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.witnessed import prepared
from tests.nightly.bench.worker import Worker

TARGET: Final = 15.0
"""Seconds, for the 99th percentile."""
DOWN_SECONDS: Final = 3.0
"""How long the sealer stays away, as long as a process manager takes at most."""
PATIENCE: Final = 120.0
_WAITING: Final = """
SELECT (SELECT count(*) FROM events_event) - coalesce((SELECT max(size) FROM checkpoints_cosignature), 0)
"""
_WINDOWS: Final = """
SELECT extract(epoch FROM (
    SELECT min(cosigned_at) FROM checkpoints_cosignature WHERE size >= seal.position) - event.recorded_at)::float8
FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
"""


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure the window. Raises DevstackError."""
    with plan.migrated("window") as database, prepared(plan.log) as witness, witness.running():
        environment, own = witness.environment(database), commands(port=0)
        with contextlib.ExitStack() as exits:
            exits.enter_context(_child(plan, "worker-background", own["worker-background"], environment))
            sealer = exits.enter_context(_child(plan, "sealer", own["sealer"], environment))
            writer = exits.enter_context(Worker("append_ours", environment=environment, log=plan.log))
            owner = exits.enter_context(database.owner())
            writer.run("append", transactions=1, batch=1)
            _wait_until_cosigned(owner, sealer)  # everything has started
            seconds = _load(plan, writer, sealer)
            _wait_until_cosigned(owner, sealer)
            windows = [float(window) for (window,) in owner.execute(_WINDOWS + " WHERE seal.position > 1").fetchall()]
    yield Measured(
        name="window",
        unit="s, p99",
        ours=(percentile(windows, 0.99),),
        target=TARGET,
        target_is_most=True,
        details={
            "p50 s": round(percentile(windows, 0.5), 2),
            "longest s": round(max(windows), 2),
            "events/s": round(len(windows) / seconds, 1),
        },
        notes=(f"the sealer was killed once, for {DOWN_SECONDS:g} s",),
    )


def _load(plan: Plan, writer: Worker, sealer: Child) -> float:
    """Append events for some seconds, and kill the sealer halfway; return how long it took."""
    began = time.monotonic()
    killed, half = None, began + plan.size.window_seconds / 2
    while (now := time.monotonic()) < began + plan.size.window_seconds or killed is None or not sealer.alive():
        writer.run("append", transactions=5, batch=4)
        if killed is None and now >= half:
            sealer.kill()
            killed = now
        elif killed is not None and now >= killed + DOWN_SECONDS:
            sealer.start()
        time.sleep(0.05)
    return time.monotonic() - began


def _wait_until_cosigned(owner: Connection, sealer: Child) -> None:
    """Wait until every event is cosigned. Raises DevstackError."""
    deadline = time.monotonic() + PATIENCE
    while owner.execute(_WAITING).fetchall() != [(0,)]:
        if time.monotonic() > deadline:
            raise DevstackError(f"Events are not cosigned.\n{sealer.tail()}")
        time.sleep(0.2)


@contextlib.contextmanager
def _child(plan: Plan, name: str, command: list[str], environment: Mapping[str, str]) -> Generator[Child]:
    child = Child(name=name, command=command, environment=environment, log=plan.log, folder=PROJECT)
    try:
        child.start()
        yield child
    finally:
        child.stop()
