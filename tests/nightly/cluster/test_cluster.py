"""Hosts of a cluster die, freeze and are cut off under load: nothing is lost or doubled, and play goes on in time."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from casino.devstack.bots import house
from tests.nightly.cluster.answers import Answers
from tests.nightly.cluster.cluster import Cluster, running_cluster
from tests.nightly.cluster.faults import FAULTS, LONGEST, Fault, Result, accepted, strike
from tests.nightly.cluster.machine import COMPILER
from tests.nightly.cluster.results import ANSWERS, BUILD, RESULTS, all_rows
from tests.programs import needs
from tests.support.books import agree
from tests.support.players import Setting, party
from tests.support.whole_system import System

pytestmark = needs("etcd", "haproxy", "pgbouncer", "setpriv")

SHORT: Final = (
    "the primary's host freezes",
    "a worker host is cut off",
    "the witness's host dies",
)
"""The faults that strike where FAULTS does not say how many of all."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"), Setting("classic"))


def chosen(cluster: Cluster) -> list[Fault]:
    """Return the faults that strike: FAULTS of all by SEED, least struck ones first, or a short list."""
    able = {
        "": True,
        "links": cluster.has_links,
        "disk": cluster.has_disks,
        "preload": COMPILER is not None,
        "kernel": cluster.reaches_etcd,
    }
    names = [name for name in os.environ.get("ONLY", "").split(",") if name]
    possible = [fault for fault in FAULTS if not names or fault.name in names]
    for fault in possible:
        if not able[fault.needs]:
            print(f"Skipped, since this machine has no {fault.needs} for it: {fault.name}")
    possible = [fault for fault in possible if able[fault.needs]]
    count = int(os.environ.get("FAULTS") or 0)
    if not count and not names:
        return [fault for fault in possible if fault.name in SHORT]
    seed = os.environ.get("SEED") or str(random.randrange(10**6))
    print(f"SEED={seed}")
    random.seed(seed)
    return least_struck(possible, [name for name, *_ in all_rows()], count or len(possible))


def least_struck(faults: Sequence[Fault], struck: Sequence[str], count: int) -> list[Fault]:
    """Return as many faults, those that struck least first and among them any; these names struck before."""
    times = Counter(struck)
    chosen = []
    for _ in range(count):
        fault = min(faults, key=lambda each: (times[each.name], random.random()))
        times[fault.name] += 1
        chosen.append(fault)
    return chosen


async def play_through(system: System, cluster: Cluster, faults: list[Fault]) -> list[Result]:
    """Let players bet while faults strike one after the other, and return what they did."""
    results: list[Result] = []
    async with system.watched(), party(system, TABLES) as players:
        over, answers = asyncio.Event(), Answers(players)

        async def strike_all() -> None:
            await accepted(players)
            for fault in faults:
                try:
                    results.append(await strike(cluster, players, answers, fault))
                except TimeoutError:
                    record(Result(fault, LONGEST, LONGEST))
                    raise
                record(results[-1])
            over.set()

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(strike_all())
                group.create_task(players.play(over.is_set))
        finally:
            keep(answers)
        await agree(system, players)
        assert answers.unfit() == []
    print(f"{players.wagers()} wagers confirmed, none lost or doubled")
    return results


def record(result: Result) -> None:
    """Print a result, and add it to one table of all runs."""
    print(f"{result.fault.name}: {result.seconds:.1f} s, longest answer {result.answer:.1f} s", flush=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(f"{result.fault.name},{result.seconds:.1f},{result.fault.promised},{result.answer:.1f}\n")


def keep(answers: Answers) -> None:
    """Keep when each answer came in this run, and after how long."""
    with ANSWERS.open("w", encoding="utf-8") as file:
        file.writelines(f"{each.began:.3f},{each.seconds:.3f},{each.status}\n" for each in answers.all)


def test_hosts_are_lost_and_nothing_is_lost_or_doubled_and_play_goes_on_in_time(tmp_path: Path) -> None:
    BUILD.mkdir(exist_ok=True)
    with running_cluster(tmp_path) as cluster:
        system = System(stack=cluster, credential=house.new_operator(cluster, "cluster"))  # type: ignore[arg-type]

        results = asyncio.run(play_through(system, cluster, chosen(cluster)))

        stepped = any("the primary's host has a clock" in each.fault.name for each in results)
        assert cluster.findings() <= ({"times out of order"} if stepped else set())
        cluster.manage("rebuild", "--check")
        assert cluster.cancelled_commits() == []
        late = {each.fault.name: each.seconds for each in results if each.seconds > 2 * each.fault.promised}
        assert not late
