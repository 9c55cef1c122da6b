"""The whole system under a load that rises in steps, until the 99th percentile of a wager passes 250 ms.

Web, a worker that deals, the sealer and open live streams, all by the stack's own commands on one machine, with the
clients beside them. Each step sends wagers at a given rate, however long the responses take: the latency of a late
wager counts from the time at which it was due. The machine is saturated if its processors were hardly ever idle,
whichever processes used them; otherwise the kind of process that used nearly all that its processes can use.
"""

import contextlib
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands
from tests.nightly.bench import processors, servers
from tests.nightly.bench.databases import Connection, Database
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.worker import Worker, run_all, workers

LIMIT = 250.0
"""Milliseconds, for the 99th percentile of a step."""
FULL = 0.85
"""The share of its time from which on a process or the machine counts as saturated."""
WORKER_PROCESSES = 2
PATIENCE = 60.0
"""Seconds that the worker may take for the first rounds."""
_OPEN = "SELECT count(*) FROM baccarat_round WHERE ended_at IS NULL"
_ENDED = "SELECT count(*) FROM baccarat_round WHERE ended_at IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of load: figures per second, latencies in ms, cores by kind of process, idle share of the machine."""

    rate: float
    wagers: float
    rounds: float
    refused: int
    p50: float
    p99: float
    cores: dict[str, float]
    idle: float

    @property
    def is_carried(self) -> bool:
        """Return whether the latency is within the limit."""
        return self.p99 <= LIMIT

    def text(self) -> str:
        """Return the step as one line."""
        cores = ", ".join(f"{kind} {used:.2f}" for kind, used in self.cores.items())
        return (
            f"{self.rate:g}/s due: {self.wagers:.0f} wagers/s, {self.rounds:.0f} rounds/s, {self.refused} refused, "
            f"p50 {self.p50:.0f} ms, p99 {self.p99:.0f} ms; cores: {cores}; machine {self.idle:.0%} idle"
        )


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure one and two web processes. Raises DevstackError."""
    for processes in (1, 2):
        with seated(plan, wagers=False) as (database, places), _System(plan, database, processes) as system:
            system.open_streams(places)
            steps = list(system.steps(places))
        carried = [step for step in steps if step.is_carried] or steps[:1]
        last = steps[-1]
        yield Measured(
            name=f"system, {processes} web process{'es' if processes > 1 else ''}",
            unit="wagers/s",
            ours=(max(step.wagers for step in carried),),
            details={
                "rounds/s": round(max(step.rounds for step in carried), 1),
                "p50 ms at that rate": round(carried[-1].p50, 1),
                "p99 ms at that rate": round(carried[-1].p99, 1),
                "live streams": min(plan.size.system_streams, len(places)),
            },
            notes=(
                *(step.text() for step in steps),
                f"{'not saturated' if last.is_carried else 'saturated first'}: {_most_used(last, processes)}",
            ),
        )


def _most_used(step: Step, web_processes: int) -> str:
    if 1 - step.idle >= FULL:
        most = max(step.cores, key=lambda name: step.cores[name])
        return f"the machine, {step.idle:.0%} idle; most used by {most}, {step.cores[most]:.2f} cores"
    limits = {"web": web_processes, "worker": WORKER_PROCESSES, "sealer": 1}
    shares = {kind: step.cores[kind] / limit for kind, limit in limits.items()}
    kind, share = max(shares.items(), key=lambda item: item[1])
    if share >= FULL:
        return f"{kind}, {share:.0%} of its processes; machine {step.idle:.0%} idle"
    return f"no processor (machine {step.idle:.0%} idle, {kind} {share:.0%}): waits for locks or disk"


class _System:
    """Runs web, worker, sealer, clients and stream readers on one database until the block ends."""

    def __init__(self, plan: Plan, database: Database, web_processes: int) -> None:
        self._plan, self._database, self._web_processes = plan, database, web_processes
        self._exits = contextlib.ExitStack()

    def __enter__(self) -> "_System":
        with contextlib.ExitStack() as exits:
            plan, database = self._plan, self._database
            self._owner: Connection = exits.enter_context(database.owner())
            serving = exits.enter_context(servers.ours(plan, database, processes=self._web_processes))
            self._port = serving.port
            self._children = {"web": serving.child}
            for name in ("worker", "sealer"):
                self._children[name] = exits.enter_context(_child(plan, database, name))
            environment = database.environment
            self._clients = exits.enter_context(
                workers("web_client", plan.size.clients, environment=environment, log=plan.log)
            )
            self._readers = exits.enter_context(Worker("stream_readers", environment=environment, log=plan.log))
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._exits.close()

    def open_streams(self, places: list[dict[str, str]]) -> None:
        """Open a live stream for each of the first players."""
        streams = [(place["token"], place["table"]) for place in places[: self._plan.size.system_streams]]
        self._readers.run("listen", port=self._port, streams=streams)

    def steps(self, places: list[dict[str, str]]) -> Iterator[Step]:
        """Raise the rate until the latency is past the limit, or the rates are exhausted."""
        wagers = [
            {"method": "POST", "path": f"/api/v1/tables/{place['table']}/deal", "token": place["token"]}
            for place in places
        ]
        self._step(wagers, self._plan.size.system_rates[0])  # warm
        self._wait_until_dealt()
        for rate in self._plan.size.system_rates:
            step = self._step(wagers, rate)
            yield step
            if not step.is_carried:
                return

    def _step(self, wagers: list[dict[str, str]], rate: float) -> Step:
        seconds, count = self._plan.size.system_seconds, len(self._clients)
        rounds, used, ticks = self._ended(), self._used(), processors.machine_ticks()
        arguments = [
            {"port": self._port, "requests": wagers[number::count], "rate": rate / count, "seconds": seconds}
            for number in range(count)
        ]
        answers = run_all(self._clients, "pace", arguments)
        after, idle = self._used(), processors.idle_share(ticks, processors.machine_ticks())
        passed = max(answer["seconds"] for answer in answers)
        latencies = [latency * 1000 for answer in answers for latency in answer["latencies"]]
        return Step(
            rate=rate,
            wagers=sum(answer["good"] for answer in answers) / passed,
            rounds=(self._ended() - rounds) / passed,
            refused=sum(answer["refused"] for answer in answers),
            p50=percentile(latencies, 0.5),
            p99=percentile(latencies, 0.99),
            cores={kind: (after[kind] - used[kind]) / passed for kind in used},
            idle=idle,
        )

    def _wait_until_dealt(self) -> None:
        """Wait for the worker, which may have started after the first wagers. Raises DevstackError."""
        deadline = time.monotonic() + PATIENCE
        while self._owner.execute(_OPEN).fetchall() != [(0,)]:
            if time.monotonic() > deadline:
                raise DevstackError(self._children["worker"].exit_report())
            time.sleep(0.1)

    def _ended(self) -> int:
        ((count,),) = self._owner.execute(_ENDED).fetchall()
        return int(count)

    def _used(self) -> dict[str, float]:
        used = {kind: processors.seconds_of_trees([child.pid]) for kind, child in self._children.items()}
        clients = [worker.process.pid for worker in (*self._clients, self._readers)]
        return {
            **used,
            "postgres": processors.seconds_of_backends(self._owner),
            "clients": processors.seconds_of_trees(clients),
        }


@contextlib.contextmanager
def _child(plan: Plan, database: Database, name: str) -> Generator[Child]:
    child = Child(
        name=name, command=commands(port=0)[name], environment=database.environment, log=plan.log, folder=PROJECT
    )
    try:
        child.start()
        yield child
    finally:
        child.stop()
