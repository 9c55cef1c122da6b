"""The two web servers of measurements over HTTP: ours as it is shipped, and gunicorn with threads for the bare views.

Gunicorn serves the bare views faster than granian's WSGI mode and any ASGI server do. Both run two processes.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import HOST, commands, free_port, is_responding
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured, in_turns, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker, run_all

TABLE = """
CREATE TABLE bench_row (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    data jsonb NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO bench_row (data) SELECT jsonb_build_object('balance', number) FROM generate_series(1, 1000) AS number;
GRANT SELECT, INSERT ON bench_row TO PUBLIC
"""
PROCESSES, THREADS = 2, 4
PEER_NAME = "bare DRF view, gunicorn gthread"
Requests = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Serving:
    """A running web server and its port."""

    child: Child
    port: int


@contextlib.contextmanager
def ours(
    plan: Plan,
    database: Database,
    *,
    processes: int = PROCESSES,
    threads: int = 8,
    prepared: bool = True,
    behind_proxy: bool = False,
) -> Generator[Serving]:
    """Run our web server until the block ends; `behind_proxy` it believes X-Forwarded-For."""
    port = free_port(0)
    environment = {
        **_environment(database, prepared=prepared),
        "WEB_PROCESSES": str(processes),
        "WEB_THREADS": str(threads),
        "BEHIND_TLS_PROXY": str(behind_proxy).lower(),
    }
    with _running(plan, "web", commands(port=port)["web"], environment, port=port, path="/livez") as serving:
        yield serving


@contextlib.contextmanager
def bare(plan: Plan, database: Database, *, prepared: bool = True) -> Generator[Serving]:
    """Create the bare views' table and run their server until the block ends."""
    with database.owner() as owner:
        owner.execute("DROP TABLE IF EXISTS bench_row")
        owner.execute(TABLE)
    port = free_port(0)
    options = {
        "worker-class": "gthread",
        "workers": str(PROCESSES),
        "threads": str(THREADS),
        "keep-alive": "65",
        "log-level": "warning",
        "bind": f"{HOST}:{port}",
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "gunicorn", *flags, "--no-control-socket", "tests.nightly.bench.bare:application"]
    with _running(
        plan, "bare", command, _environment(database, prepared=prepared), port=port, path="/rows/1"
    ) as serving:
        yield serving


def pair(
    plan: Plan,
    clients: list[Worker],
    measured: Callable[..., Measured],
    *,
    ports: tuple[int, int],
    requests: tuple[Requests, Requests],
    after_ours: Callable[[], object] = lambda: None,
) -> Measured:
    """Send requests to us and to the peer in turns, and return the rates and latencies as built by `measured`."""
    latencies: dict[str, list[float]] = {"ours": [], "peer": []}

    def own(seconds: list[float]) -> float:
        rate = send(clients, ports[0], requests[0], seconds)
        after_ours()
        return rate

    own([])  # warm on both sides
    send(clients, ports[1], requests[1], [])
    peer = partial(send, clients, ports[1], requests[1], latencies["peer"])
    rates = in_turns(partial(own, latencies["ours"]), peer, repeats=plan.size.repeats)
    details = {
        f"{side} {name} ms": round(percentile(seconds, share) * 1000, 2)
        for side, seconds in latencies.items()
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
    return measured(ours=rates[0], peer=rates[1], peer_name=PEER_NAME, details=details)


def send(clients: list[Worker], port: int, requests: Requests, latencies: list[float]) -> float:
    """Send requests by all clients at once, append the seconds of each to `latencies`, and return the rate."""
    shares = [requests[number :: len(clients)] for number in range(len(clients))]
    began = time.perf_counter()
    answered = run_all(clients, "send", [{"port": port, "requests": share} for share in shares])
    rate = len(requests) / (time.perf_counter() - began)
    for seconds in answered:
        latencies.extend(seconds)
    return rate


def _environment(database: Database, *, prepared: bool) -> dict[str, str]:
    return {**database.environment, "DATABASE_PREPARED_STATEMENTS": "true" if prepared else "false"}


@contextlib.contextmanager
def _running(
    plan: Plan, name: str, command: list[str], environment: dict[str, str], *, port: int, path: str
) -> Generator[Serving]:
    child = Child(name=name, command=command, environment=environment, log=plan.log, folder=PROJECT)
    try:
        child.start()
        child.wait_until(lambda: is_responding(port=port, path=path))
        yield Serving(child, port)
    finally:
        child.stop()
