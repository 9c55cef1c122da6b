"""How long a player's balances take while strangers try to log in as staff, many at once.

Each try comes from another address, as thirty failures would lock one, with another name and a wrong password, whose
slow hash is what makes logins dear. A player reads balances all the while, one request after the other. The rate of
logins does not matter; that they take nothing from players does.
"""

import contextlib
from collections.abc import Iterator

from casino.devstack.errors import DevstackError
from tests.nightly.bench import servers
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.worker import Worker, workers

READS = 100
"""In one repetition."""

TARGET = 250.0
"""Milliseconds, for the 99th percentile."""


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure reads of balances before a flood and in it. Raises DevstackError."""
    size = plan.size
    with contextlib.ExitStack() as exits:
        database, places = exits.enter_context(seated(plan, wagers=False))
        port = exits.enter_context(servers.ours(plan, database)).port
        environment = database.environment
        clients = exits.enter_context(workers("web_client", 1, environment=environment, log=plan.log))
        strangers = exits.enter_context(Worker("flood_client", environment=environment, log=plan.log))
        reads = [{"method": "GET", "path": "/api/v1/me/balances", "token": place["token"]} for place in places[:READS]]

        def read() -> float:
            seconds: list[float] = []
            servers.send(clients, port, reads, seconds)
            return percentile(seconds, 0.99) * 1000

        read()  # warm
        quiet = read()
        strangers.run("begin", port=port, logins=size.logins)
        flooded = tuple(read() for _ in range(size.repeats))
        statuses = strangers.run("end")
    if any(500 <= int(status) != 503 for status in statuses):  # 503 sheds load
        raise DevstackError(f"Logins were answered with these statuses: {statuses}")
    yield Measured(
        name="floods",
        unit="ms, p99",
        ours=flooded,
        target=TARGET,
        target_is_most=True,
        details={
            "p99 ms without logins": round(quiet, 1),
            **{f"logins answered {status}": count for status, count in statuses.items()},
        },
        notes=(f"reads of me/balances while {size.logins} anonymous logins are under way at any time",),
    )
