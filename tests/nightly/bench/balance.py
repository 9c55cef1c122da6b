"""A player's balances read over HTTP, against a bare view of the same framework that selects one row.

Ours authenticates the player's session and reads the balances; the servers and clients are those of `bet`.
"""

import contextlib
from collections.abc import Iterator
from functools import partial

from tests.nightly.bench import servers
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.worker import workers

TARGET = 0.6
READS = 4
"""Reads of each player in one repetition."""


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure reads of balances and bare selects. Raises DevstackError."""
    with contextlib.ExitStack() as exits:
        database, places = exits.enter_context(seated(plan, wagers=False))
        own = exits.enter_context(servers.ours(plan, database))
        bare = exits.enter_context(servers.bare(plan, database))
        environment = database.environment
        clients = exits.enter_context(workers("web_client", plan.size.clients, environment=environment, log=plan.log))
        reads = READS * [{"method": "GET", "path": "/api/v1/me/balances", "token": place["token"]} for place in places]
        selects = [{**read, "path": f"/rows/{number % len(places) + 1}"} for number, read in enumerate(reads)]
        measured = partial(
            Measured,
            name="balance",
            unit="reads/s",
            target=TARGET,
            notes=(f"{plan.size.clients} keep-alive clients",),
        )
        yield servers.pair(plan, clients, measured, ports=(own.port, bare.port), requests=(reads, selects))
