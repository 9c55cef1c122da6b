"""Wagers confirmed over HTTP, against a bare view of the same framework that inserts one row.

One server for both: uvicorn by the stack's own command, in the service's settings plus the bare view's address. The
same client processes, each with one connection that it keeps, send to one side and then to the other. A wager is one
`POST /api/v1/tables/{id}/deal` with stakes at a single-seat table: it opens the round, places, confirms, moves the
money. Between repetitions the rounds are dealt and their events sealed, so that neither competes with the requests.
"""

import contextlib
import time
from collections.abc import Callable, Generator
from functools import partial

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import WEB_CONNECTIONS, commands, free_port, is_responding
from tests.bench.databases import Database
from tests.bench.measure import Measured, in_turns, percentile
from tests.bench.plan import Plan
from tests.bench.settle import seated
from tests.bench.worker import Worker, ask_all, workers

TARGET = 0.5
TABLE = """
CREATE TABLE bench_row (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    data jsonb NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
BARE = "/bench/bare"
Requests = list[dict[str, str]]


def measure(plan: Plan) -> list[Measured]:
    """Measure wagers and bare inserts. Raises Trouble."""
    spent: dict[str, list[float]] = {"ours": [], "peer": []}
    with contextlib.ExitStack() as exits:
        database, places = exits.enter_context(seated(plan, wagers=False))
        with database.owner() as owner:
            owner.execute(TABLE)
        port = exits.enter_context(_web(plan, database))
        house = exits.enter_context(Worker("house", environment=database.environment, log=plan.log))
        environment = database.environment
        clients = exits.enter_context(workers("bet_client", plan.size.clients, environment=environment, log=plan.log))
        wagers = [{"path": f"/api/v1/tables/{place['table']}/deal", "token": place["token"]} for place in places]
        inserts = [{**wager, "path": BARE} for wager in wagers]

        def ours(latencies: list[float]) -> float:
            rate = _send(clients, port, wagers, latencies)
            house.ask("deal")
            house.ask("seal")
            return rate

        ours([])  # warm on both sides
        _send(clients, port, inserts, [])
        peer: Callable[[], float] = partial(_send, clients, port, inserts, spent["peer"])
        rates = in_turns(partial(ours, spent["ours"]), peer, repeats=plan.size.repeats)
    return [_measured(plan, rates, spent)]


def _measured(
    plan: Plan, rates: tuple[tuple[float, ...], tuple[float, ...]], spent: dict[str, list[float]]
) -> Measured:
    return Measured(
        name="bet",
        unit="wagers/s",
        ours=rates[0],
        peer=rates[1],
        peer_name="bare DRF view, one INSERT",
        target=TARGET,
        details={
            f"{side} p{share:.0%} ms".replace("%", ""): round(percentile(seconds, share) * 1000, 2)
            for side, seconds in spent.items()
            for share in (0.5, 0.99)
        },
        notes=(f"{plan.size.clients} keep-alive clients; rounds are dealt and sealed between repetitions",),
    )


def _send(clients: list[Worker], port: int, requests: Requests, latencies: list[float]) -> float:
    shares = [requests[number :: len(clients)] for number in range(len(clients))]
    began = time.perf_counter()
    answered = ask_all(clients, "send", [{"port": port, "requests": share} for share in shares])
    rate = len(requests) / (time.perf_counter() - began)
    for seconds in answered:
        latencies.extend(seconds)
    return rate


@contextlib.contextmanager
def _web(plan: Plan, database: Database) -> Generator[int]:
    port = free_port(0)
    environment = {
        **database.environment,
        "DATABASE_POOL": WEB_CONNECTIONS,
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "CASINO_BENCH": "bet",
    }
    command = commands(port=port, beat_file=plan.folder / "beat")["web"]
    web = Child(name="web", command=command, environment=environment, log=plan.log, folder=PROJECT)
    try:
        web.start()
        web.wait_until(lambda: is_responding(port=port, path="/livez"))
        yield port
    finally:
        web.stop()
