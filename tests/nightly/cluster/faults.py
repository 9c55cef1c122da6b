"""What can happen to the hosts of a cluster, and what is promised then: seconds until wagers are accepted again."""

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from tests.nightly.cluster.answers import Answers
from tests.nightly.cluster.cluster import Cluster
from tests.nightly.cluster.machine import Machine
from tests.nightly.cluster.network import Host
from tests.nightly.cluster.servers import PATRONI
from tests.processes import alive, descendants
from tests.support.disk import fill
from tests.support.players import Party

HOST_LOST, SERVER_LOST, ELSEWHERE = 30, 10, 5
"""Promised seconds: the primary's host is lost, its server crashes or changes in order, anything else happens."""
LONGEST: Final = 100
DOWN: Final = 3.0
"""Seconds for which a fault lasts once wagers are accepted again."""
WAITING: Final = 8.0
"""Seconds for which a fault lasts where wagers have to wait for its end."""
PAUSE: Final = 0.1
STEP, DELAY = 60.0, 0.25
"""Seconds by which a clock steps, and by which a slow disk is late."""

Step = Callable[[Cluster], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: how it strikes, how it is undone, and within how many seconds wagers are accepted again.

    Where wagers `wait` for its end, the seconds count from there.
    """

    name: str
    strike: Step
    undo: Step
    promised: int
    waits: bool = False
    needs: str = ""
    """What the machine must be able to do: `links`, `disk`, `preload`, or `kernel` for what reaches etcd."""


def send(cluster: Cluster, number: signal.Signals, names: Iterable[str]) -> None:
    """Send a signal to these processes and all below them."""
    for name in names:
        child = cluster.child(name)
        for pid in (child.pid, *(pid for pid, _ in alive(descendants(child.pid)))):
            _signal(pid, number)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.kill(pid, number)


def on(cluster: Cluster, host: Host, *names: str) -> list[str]:
    """Return the names of a host's processes, all or these."""
    every = [name for name in cluster.children if name.startswith(f"{host.name} ")]
    return [name for name in every if not names or name.partition(" ")[2] in names]


def kill(cluster: Cluster, names: Iterable[str]) -> None:
    """Kill these processes; they stay dead until `start`."""
    names = list(names)
    for name in names:
        cluster.child(name).wanted = False
    send(cluster, signal.SIGKILL, names)
    for name in names:
        if name.endswith(" patroni"):
            cluster.kill_server(cluster.hosts[name.partition(" ")[0]])
    for name in names:
        cluster.child(name).kill()


def start(cluster: Cluster, names: Iterable[str]) -> None:
    """Start these processes."""
    for name in names:
        cluster.child(name).start()


Choose = Callable[[Cluster], Host]


def _processes(strikes: str, choose: Callable[[Cluster], list[str]]) -> tuple[Step, Step]:
    """Return how processes are killed until the fault ends, or frozen."""
    chosen: list[str] = []
    frozen: list[int] = []

    async def die(cluster: Cluster) -> None:
        chosen[:] = choose(cluster)
        kill(cluster, chosen)

    async def revive(cluster: Cluster) -> None:
        start(cluster, chosen)

    async def freeze(cluster: Cluster) -> None:
        chosen[:] = choose(cluster)
        frozen[:] = [pid for each in chosen if each.endswith(" patroni") for pid in cluster.server_pids(each)]
        for pid in frozen:
            _signal(pid, signal.SIGSTOP)
        send(cluster, signal.SIGSTOP, chosen)

    async def thaw(cluster: Cluster) -> None:
        for pid in frozen:
            _signal(pid, signal.SIGCONT)
        send(cluster, signal.SIGCONT, chosen)

    return (die, revive) if strikes == "dies" else (freeze, thaw)


def _host(kind: str, choose: Choose) -> tuple[Step, Step]:
    """Return how this happens to a host, and how it ends."""
    chosen: list[Host] = []
    filling: list[asyncio.Task[None]] = []

    async def strike(cluster: Cluster) -> None:
        host = choose(cluster)
        chosen[:] = [host]
        match kind:
            case "is cut off":
                host.cut_off()
            case "is not heard":  # data hosts by one another, all others by everybody
                members = cluster.data if host in cluster.data else [*cluster.hosts.values()]
                chosen.extend(other for other in members if other is not host)
                host.swallow(*chosen[1:])
            case "has a full disk":
                filling[:] = [asyncio.create_task(_keep_full(cluster.ballast(host)))]

    async def undo(cluster: Cluster) -> None:
        host, *others = chosen
        match kind:
            case "is cut off":
                host.rejoin()
            case "is not heard":
                host.deliver(*others)
            case "has a full disk":
                filling[0].cancel()
                await asyncio.wait(filling)
                cluster.ballast(host).unlink()

    return strike, undo


def _machines(kind: str, choose: Callable[[Cluster], list[str]]) -> tuple[Step, Step]:
    """Return how the clock or the disk of processes becomes wrong, and right again."""
    chosen: list[Machine] = []

    async def strike(cluster: Cluster) -> None:
        chosen[:] = [cluster.machines[name] for name in choose(cluster) if name in cluster.machines]
        assert chosen
        for machine in chosen:
            _SLIPS[kind](machine)

    async def undo(_: Cluster) -> None:
        for machine in chosen:
            machine.set_clock(0)
            machine.slow_down(0)

    return strike, undo


_SLIPS: Final[dict[str, Callable[[Machine], None]]] = {
    "has a clock that steps ahead": lambda machine: machine.set_clock(STEP),
    "has a clock that steps back": lambda machine: machine.set_clock(-STEP),
    "has a slow disk": lambda machine: machine.slow_down(DELAY),
}


async def _keep_full(ballast: Path) -> None:
    while True:
        fill(ballast)
        await asyncio.sleep(2 * PAUSE)


def primary(cluster: Cluster) -> Host:
    """Return the primary's host. Raises LookupError."""
    found = cluster.primary()
    if found is None:
        raise LookupError("No host is primary.")
    return found


def standbys(cluster: Cluster) -> list[Host]:
    """Return the hosts of the standbys."""
    leader = primary(cluster)
    return [host for host in cluster.data if host is not leader]


def standby(cluster: Cluster) -> Host:
    """Return one of them."""
    return _other_than(cluster, primary(cluster))


def _other_than(cluster: Cluster, host: Host) -> Host:
    return random.choice([each for each in cluster.data if each is not host])


async def _crash(cluster: Cluster) -> None:
    cluster.kill_server(primary(cluster))


async def _switch_over(cluster: Cluster) -> None:
    """Ask as staff do: once more if the candidate was not ready, and nothing has changed."""
    async with httpx.AsyncClient(timeout=60) as client:
        while not (answer := await _ask_to_switch(cluster, client)).is_success:
            print(f"Patroni: {answer.text}")
            await asyncio.sleep(PAUSE)


async def _ask_to_switch(cluster: Cluster, client: httpx.AsyncClient) -> httpx.Response:
    leader = primary(cluster)
    body = {"leader": leader.name, "candidate": standby(cluster).name}
    return await client.post(f"http://{leader.address}:{PATRONI}/switchover", json=body)


async def _nothing(_: Cluster) -> None:
    """Undo nothing: the fault repairs itself."""


def _of(cluster: Cluster, name: str) -> Host:
    return cluster.hosts[name]


def _one_of(*names: str) -> Choose:
    return lambda cluster: _of(cluster, random.choice(names))


WITNESS: Final = "the witness's host"
HOSTS: Final[dict[str, Choose]] = {
    "the primary's host": primary,
    "a standby's host": standby,
    "a web host": _one_of("web1", "web2"),
    "a worker host": _one_of("work1", "work2"),
    WITNESS: _one_of("witness"),
}
PROCESSES: Final = ("dies", "freezes")
NETWORK: Final = ("is cut off", "is not heard")
CLOCKS: Final = ("has a clock that steps ahead", "has a clock that steps back")
SLOW, FULL = DISKS = ("has a slow disk", "has a full disk")

APART: Final = {
    "Redis's master": CLOCKS,
    "a Sentinel": CLOCKS,
    "etcd's leader": (*CLOCKS, SLOW),
    "a follower in etcd": (*CLOCKS, SLOW),
}
"""What else strikes servers that may have hosts or disks of their own; all others share their host's clock and disk."""


def _of_hosts() -> Iterator[Fault]:
    for member, choose in HOSTS.items():
        for kind in (*PROCESSES, *NETWORK, *CLOCKS, *DISKS):
            if kind in DISKS and member in ("a web host", "a worker host"):
                continue  # they keep nothing
            is_gone = kind in (*PROCESSES, *NETWORK)
            # Patroni's loop sleeps by the wall clock, and a witness's times never run back.
            is_absent = is_gone or kind == "has a clock that steps back"
            lost = member == "the primary's host" and is_absent
            waits = (member == WITNESS and is_absent) or kind == FULL
            needs = "links" if kind in NETWORK else "disk" if kind == FULL else "" if is_gone else "preload"
            strike, undo = _host(kind, choose) if kind in (*NETWORK, FULL) else _strikes(kind, _all_of(choose))
            promised = HOST_LOST if lost else ELSEWHERE
            if member == WITNESS and kind == "has a clock that steps ahead":
                promised += int(STEP)  # once set right, it waits until it has caught up
            yield Fault(f"{member} {kind}", strike, undo, promised, waits, needs)


def _strikes(kind: str, choose: Callable[[Cluster], list[str]]) -> tuple[Step, Step]:
    return (_processes if kind in PROCESSES else _machines)(kind, choose)


def _all_of(choose: Choose) -> Callable[[Cluster], list[str]]:
    return lambda cluster: on(cluster, choose(cluster))


def _of_servers() -> Iterator[Fault]:
    yield Fault("the primary's server crashes", _crash, _nothing, SERVER_LOST)
    yield Fault("the primary changes in order", _switch_over, _nothing, SERVER_LOST)
    of_web, of_work = _one_of("web1", "web2"), _one_of("work1", "work2")
    servers: dict[str, Callable[[Cluster], list[str]]] = {
        "a web host's pool": lambda each: on(each, of_web(each), "pgbouncer"),
        "a worker host's pool": lambda each: on(each, of_work(each), "pgbouncer"),
        "a web host's proxy to the primary": lambda each: on(each, of_web(each), "haproxy"),
        "Redis's master": lambda each: on(each, each.redis_master(), "redis"),
        "a Sentinel": lambda each: on(each, random.choice(each.data), "sentinel"),
        "etcd's leader": lambda each: on(each, each.etcd_leader(), "etcd"),
        "a follower in etcd": lambda each: on(each, _other_than(each, each.etcd_leader()), "etcd"),
        "a sealer": lambda each: on(each, of_work(each), "sealer"),
        "a host's runner of jobs": lambda each: on(each, of_work(each), "worker-background", "worker-outbound"),
    }
    for member, choose in servers.items():
        for kind in (*PROCESSES, *APART.get(member, ())):
            needs = "" if kind in PROCESSES else "kernel" if "etcd" in member else "preload"
            yield Fault(f"{member} {kind}", *_strikes(kind, choose), ELSEWHERE, needs=needs)


def _double() -> Iterator[Fault]:
    """Two members at once, which may stop writes until one of them returns."""

    def two(name: str) -> Callable[[Cluster], list[str]]:
        return lambda cluster: [f"{host.name} {name}" for host in random.sample(cluster.data, 2)]

    def both(cluster: Cluster) -> list[str]:
        return [name for host in standbys(cluster) for name in on(cluster, host)]

    for kind in ("die", "freeze"):
        yield Fault(f"two of three etcd {kind}", *_processes(f"{kind}s", two("etcd")), HOST_LOST, waits=True)
        yield Fault(f"both standbys' hosts {kind}", *_processes(f"{kind}s", both), HOST_LOST, waits=True)


FAULTS: Final = (*_of_hosts(), *_of_servers(), *_double())


@dataclass(frozen=True, slots=True)
class Result:
    """What a fault did to players: `seconds` without a confirmed wager, and the longest wait for one `answer`."""

    fault: Fault
    seconds: float
    answer: float


async def strike(cluster: Cluster, players: Party, answers: Answers, fault: Fault) -> Result:
    """Let a fault strike, last and end."""
    began = since = time.monotonic()
    async with asyncio.timeout(LONGEST):
        await fault.strike(cluster)
        try:
            if fault.waits:
                await asyncio.sleep(WAITING)
            else:
                await accepted(players)
                await asyncio.sleep(DOWN)
        finally:
            if fault.waits:
                since = time.monotonic()
            await fault.undo(cluster)
        await accepted(players)
        while not await asyncio.to_thread(cluster.is_whole):
            await asyncio.sleep(PAUSE)
        await accepted(players)
    return Result(fault, answers.silence(since), answers.longest(began))


async def accepted(players: Party) -> None:
    """Wait until each player has confirmed another wager, on average two."""
    enough = players.wagers() + 2 * len(players.players)
    while players.wagers() < enough:
        await asyncio.sleep(PAUSE)
