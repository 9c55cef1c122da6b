"""How long the cards take at an instant table: from the close of betting to the committed result.

One wager after the other, at a table with a witness and at one without in turns, with the worker, sealer and cosigning
of a real system. The witness runs on the same machine. Times are the database's own.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.witnessed import prepared
from tests.nightly.bench.worker import Worker

TARGET: Final = 60.0
"""Milliseconds, for the 99th percentile with a witness."""
PROCESSES: Final = ("sealer", "worker", "worker-background")


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure tables with a witness and without. Raises DevstackError."""
    size = plan.size
    with plan.migrated("result") as database, prepared(plan.log) as witness, contextlib.ExitStack() as exits:
        exits.enter_context(witness.running())
        environment, own = witness.environment(database), commands(port=0)
        house = exits.enter_context(Worker("house", environment=environment, log=plan.log))
        witnessed = house.run("seat", tables=size.result_tables)
        plain = house.run("seat", tables=size.result_tables, slug="plain", witnessed=False)
        for name in PROCESSES:  # which make no chains for the other tables
            variables = {**environment, "TABLE_WITNESSES": "0"}
            child = Child(name=name, command=own[name], environment=variables, log=plan.log, folder=PROJECT)
            exits.callback(child.stop)
            child.start()
        house.run("time_results", places=[*witnessed, *plain], rounds=2 * len(witnessed))  # everything has started
        ours: list[list[float]] = []
        others: list[list[float]] = []
        for _ in range(size.repeats):
            by_table = house.run("time_results", places=_in_turns(witnessed, plain), rounds=size.results)
            ours.append(by_table[0::2])
            others.append(by_table[1::2])
    yield Measured(
        name="result",
        unit="ms, p99",
        ours=tuple(percentile(times, 0.99) for times in ours),
        peer=tuple(percentile(times, 0.99) for times in others),
        peer_name="the same without a witness",
        target=TARGET,
        target_is_most=True,
        details={
            f"{side}, {name} ms": round(percentile([each for times in of_side for each in times], share), 1)
            for side, of_side in (("with a witness", ours), ("without", others))
            for name, share in (("p50", 0.5), ("p99", 0.99))
        },
        notes=(
            f"{size.results // 2} rounds of each in turns, {size.repeats} times; until the result is committed",
            f"the goal is a p99 of {TARGET:g} ms at most, with a witness on the same machine",
        ),
    )


def _in_turns(one: Sequence[dict[str, str]], other: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return [place for pair in zip(one, other, strict=True) for place in pair]
