"""Hosts of a cluster die, freeze and are cut off under load: nothing is lost or doubled, and play goes on in time."""

import asyncio
import os
import random
import shutil
from pathlib import Path
from typing import Final

import pytest

from casino.devstack.bots import house
from tests.chaos.books import agree
from tests.chaos.players import Setting, party
from tests.chaos.system import System
from tests.cluster.answers import Answers
from tests.cluster.cluster import Cluster, running_cluster
from tests.cluster.faults import FAULTS, Fault, Result, accepted, strike
from tests.cluster.machine import COMPILER
from tests.cluster.network import may_be_made
from tests.cluster.results import ANSWERS, BUILD, RESULTS

NEEDED: Final = ("etcd", "haproxy", "pgbouncer", "nsenter", "setpriv", "ip")
MISSING: Final = [name for name in NEEDED if shutil.which(name) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.flaky(reruns=0 if os.environ.get("FAULTS") else 1),  # a run counts as it is
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} is not installed"),
    pytest.mark.skipif(not may_be_made(), reason="no network namespaces may be made here"),
]

SHORT: Final = (
    "the primary's host freezes",
    "a worker host is cut off",
    "the witness's host dies",
)
"""The faults that strike where FAULTS does not say how many of all."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"), Setting("classic"))


def chosen(cluster: Cluster) -> list[Fault]:
    """Return the faults that strike: FAULTS of all by SEED, each as often as any other, or a short list."""
    able = {"": True, "disk": cluster.has_disks, "preload": COMPILER is not None}
    names = [name for name in os.environ.get("ONLY", "").split(",") if name]
    for need in sorted(need for need, is_met in able.items() if not is_met):
        print(f"Left out, for want of what they need here: faults of kind {need}")
    possible = [fault for fault in FAULTS if able[fault.needs] and (not names or fault.name in names)]
    count = int(os.environ.get("FAULTS") or 0)
    if not count and not names:
        return [fault for fault in possible if fault.name in SHORT]
    seed = os.environ.get("SEED") or str(random.randrange(10**6))
    print(f"SEED={seed}")
    chance = random.Random(seed)
    turns = -(-(count or len(possible)) // len(possible))
    return [fault for _ in range(turns) for fault in chance.sample(possible, len(possible))][: count or None]


async def play_through(system: System, cluster: Cluster, faults: list[Fault]) -> list[Result]:
    """Let players bet while faults strike one after the other, and return what they did."""
    results: list[Result] = []
    async with system.watched(), party(system, TABLES) as players:
        over, answers = asyncio.Event(), Answers(players)

        async def strike_all() -> None:
            await accepted(players)
            for fault in faults:
                results.append(await strike(cluster, players, answers, fault))
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
