"""Wagers confirmed over HTTP, against a bare view of the same framework that inserts one row.

Ours runs on the server that we ship, the bare view on the one that serves it best, in two processes each. The same
client processes, each with one keep-alive connection, send requests to the two sides in turns. A wager is one
`POST /api/v1/tables/{id}/deal` with stakes at a single-seat table: it opens the round, places the chips, confirms the
wager and moves the money. Rounds are dealt and events sealed between the repetitions, not during them.
"""

import contextlib
from collections.abc import Iterator
from functools import partial

from tests.nightly.bench import servers
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.worker import Worker, workers

TARGET = 0.4


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure wagers and bare inserts, with prepared statements and without. Raises DevstackError."""
    with contextlib.ExitStack() as exits:
        database, places = exits.enter_context(seated(plan, wagers=False))
        house = exits.enter_context(Worker("house", environment=database.environment, log=plan.log))
        environment = database.environment
        clients = exits.enter_context(workers("web_client", plan.size.clients, environment=environment, log=plan.log))
        wagers = [
            {"method": "POST", "path": f"/api/v1/tables/{place['table']}/deal", "token": place["token"]}
            for place in places
        ]
        inserts = [{**wager, "path": "/rows"} for wager in wagers]
        for prepared in (True, False):
            with (
                servers.ours(plan, database, prepared=prepared) as own,
                servers.bare(plan, database, prepared=prepared) as bare,
            ):
                measured = partial(
                    Measured,
                    name="bet" if prepared else "bet, unprepared",
                    unit="wagers/s",
                    target=TARGET if prepared else None,
                    notes=(f"{plan.size.clients} keep-alive clients; rounds are dealt and sealed between repetitions",),
                )
                yield servers.pair(
                    plan,
                    clients,
                    measured,
                    ports=(own.port, bare.port),
                    requests=(wagers, inserts),
                    after_ours=lambda: (house.run("deal"), house.run("seal")),
                )
