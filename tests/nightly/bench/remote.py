"""Wagers in money of an operator's own wallet: beside money that is here, and beside a wallet that is slow or dead.

The wallets are the sandbox operator's, as processes of their own. One answers each debit after 20 ms. Clients send a
wager at each of their tables, one after the other, to two web processes; rounds are dealt between the repetitions, not
during them. In the second part half of the clients bet at a casino whose wallet is quick, and the others at one whose
wallet is quick, too, or answers late or never: the first should notice no difference.
"""

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from statistics import mean, median
from typing import Any

import httpx

from casino.crypto import ed25519
from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import HOST, free_port, is_responding
from tests.nightly.bench import servers
from tests.nightly.bench.measure import Measured, Turn, in_turns, percentile
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker, run_all, workers

TARGET = 0.5
TARGET_BESIDE = 0.8
"""For the 99th percentile of wagers beside a quick wallet, over that beside a slow or dead one."""
THREADS = 16
"""Of each web process: as operations.md advises where wallets are operators' own."""
QUICK_SECONDS, SLOW_SECONDS = 0.02, 2.4
PROBES = 30
BALANCE = "1000000.00"
Places = Sequence[dict[str, str]]


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure rates of both kinds of money, and latencies beside each kind of trouble. Raises DevstackError."""
    size = plan.size
    with contextlib.ExitStack() as exits:
        database = exits.enter_context(plan.migrated("remote"))
        environment = database.environment
        house = exits.enter_context(Worker("remote_house", environment=environment, log=plan.log))
        quick, other = (exits.enter_context(_wallet(plan, name, house)) for name in ("quick", "other"))
        here = house.run("seat", slug="here", tables=size.tables)
        remote = _seated(house, quick, size.tables)
        strangers = _seated(house, other, size.tables)
        with database.owner() as owner:
            owner.execute("VACUUM ANALYZE")
        port = exits.enter_context(servers.ours(plan, database, threads=THREADS)).port
        clients = exits.enter_context(workers("web_client", size.remote_clients, environment=environment, log=plan.log))
        yield _rates(plan, house, clients, port, remote=remote, here=here)
        fast, busy = clients[::2], clients[1::2]

        def p99(do: str, seconds: float) -> float:
            """Return the 99th percentile of half of the clients' wagers, while the others' wallet does this."""
            other.control(always={"debit": do}, seconds=seconds)
            orders = [*_orders(fast, port, remote), *_orders(busy, port, strangers)]
            answers = run_all([*fast, *busy], "ask", orders)[: len(fast)]
            house.run("deal")
            return percentile([each for answer in answers for each in answer["latencies"]], 0.99)

        def quick() -> float:
            """Do the same beside a quick wallet, once its circuit is closed again."""
            other.control(always={"debit": "slow"}, seconds=QUICK_SECONDS)
            for _ in range(PROBES):
                answers = run_all(busy, "ask", _orders(busy, port, strangers))
                house.run("deal")
                if not any(answer["refused"] for answer in answers):
                    return p99("slow", QUICK_SECONDS)
                time.sleep(1)
            raise DevstackError("A wallet that answers again is still not asked.")

        for name, do in (("slow", "slow"), ("dead", "hang")):
            yield _beside(name, partial(p99, do, SLOW_SECONDS), quick, repeats=size.repeats)


def _rates(plan: Plan, house: Worker, clients: list[Worker], port: int, *, remote: Places, here: Places) -> Measured:
    latencies: dict[str, list[float]] = {"ours": [], "peer": []}
    confirmed: list[float] = []

    def rate(places: Places, into: list[float]) -> float:
        began = time.perf_counter()
        good = _bet(clients, port, places, into)
        passed = time.perf_counter() - began
        house.run("deal")
        if into is latencies["ours"]:
            confirmed.append(100 * good / len(places))
        return good / passed

    rate(remote, [])  # warm on both sides
    rate(here, [])
    ours, peer = in_turns(
        lambda: rate(remote, latencies["ours"]), lambda: rate(here, latencies["peer"]), repeats=plan.size.repeats
    )
    details = {
        f"{side} {name} ms": round(percentile(seconds, share) * 1000, 2)
        for side, seconds in latencies.items()
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
    return Measured(
        name="remote",
        unit="wagers/s",
        ours=ours,
        peer=peer,
        peer_name="money that is here",
        target=TARGET,
        details={**details, "% confirmed, others refused": round(mean(confirmed), 1)},
        notes=(f"{len(clients)} clients; the wallet answers after {QUICK_SECONDS * 1000:.0f} ms",),
    )


def _beside(name: str, troubled: Turn, quick: Turn, *, repeats: int) -> Measured:
    quick()  # warm
    ours, peer = in_turns(troubled, quick, repeats=repeats)
    return Measured(
        name=f"remote, beside a {name} wallet",
        unit="1/p99, a minute",
        ours=tuple(60 / seconds for seconds in ours),
        peer=tuple(60 / seconds for seconds in peer),
        peer_name="beside a quick one",
        target=TARGET_BESIDE,
        details={"p99 ms": round(median(ours) * 1000, 1), "p99 ms beside a quick one": round(median(peer) * 1000, 1)},
        notes=(f"half of the clients bet where the wallet is {name}, or quick; measured are the wagers of the others",),
    )


def _bet(clients: list[Worker], port: int, places: Places, latencies: list[float]) -> int:
    """Bet once at each place, and return how many wagers were confirmed. Raises DevstackError if none was."""
    answers = run_all(clients, "ask", _orders(clients, port, places))
    for answer in answers:
        latencies.extend(answer["latencies"])
    good = sum(answer["good"] for answer in answers)
    if not good:
        raise DevstackError(f"No wager was confirmed: {answers}")
    return good


def _orders(clients: list[Worker], port: int, places: Places) -> list[dict[str, Any]]:
    requests = [
        {"method": "POST", "path": f"/api/v1/tables/{place['table']}/deal", "token": place["token"]} for place in places
    ]
    return [{"port": port, "requests": requests[number :: len(clients)]} for number in range(len(clients))]


def _seated(house: Worker, wallet: "_Wallet", tables: int) -> list[dict[str, str]]:
    places: list[dict[str, str]] = house.run(
        "seat", slug=wallet.name, tables=tables, wallet=wallet.url, public=wallet.public.hex()
    )
    accounts = [
        {"player": place["player"], "reference": place["player"], "currency": "EUR", "balance": BALANCE}
        for place in places
    ]
    wallet.control(players=accounts)
    return places


class _Wallet:
    """A wallet that runs."""

    def __init__(self, name: str, port: int, public: bytes) -> None:
        self.name, self.url, self.public = name, f"http://{HOST}:{port}", public

    def control(self, **changes: Any) -> None:
        httpx.post(f"{self.url}/control", json=changes, timeout=30).raise_for_status()


@contextlib.contextmanager
def _wallet(plan: Plan, name: str, house: Worker) -> Generator[_Wallet]:
    """Run a wallet that answers debits after 20 ms until the block ends."""
    key, port = secrets.token_bytes(32), free_port(0)
    command = [sys.executable, "-m", "casino.devstack.operator", "--port", str(port)]
    child = Child(
        name=name,
        command=[*command, "--data", str(plan.folder / f"{name}.sqlite3")],
        environment={**os.environ, "OPERATOR_KEY": key.hex(), "CASINO_KEYS": ",".join(house.run("keys"))},
        log=plan.log,
        folder=PROJECT,
    )
    try:
        child.start()
        child.wait_until(lambda: is_responding(port=port, path="/livez"))
        wallet = _Wallet(name, port, ed25519.public_key(key))
        wallet.control(always={"debit": "slow"}, seconds=QUICK_SECONDS)
        yield wallet
    finally:
        child.stop()
