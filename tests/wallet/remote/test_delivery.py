"""Credits reach an operator's wallet once each, however long it was down, and others do not wait for it."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata
from casino.outbound.client import WebhookClient
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Gambler, Tenant
from tests.conftest import Database
from tests.wallet.remote.operators import (
    WalletServer,
    join,
    running_wallet,
    seamless_house,
    statuses,
)
from wallet.remote import credits as remote
from wallet.remote import records
from wallet.remote.delivery import ALERT_AFTER, REPORT_AFTER, Courier
from wallet.remote.events import Party, TransactionAccepted, TransactionKind, TransactionRequested
from wallet.remote.records import Decided


@pytest.fixture
def server(tmp_path: Path) -> Generator[WalletServer]:
    with running_wallet(tmp_path) as running:
        yield running


def owe(house: Tenant, player: Gambler, server: WalletServer, count: int) -> None:
    """Let wagers of one euro each be made in the operator's wallet, and owe what they returned, a euro each."""
    metadata, now = Metadata(house.id, "test", "test"), database_now()
    party = Party(UUID(house.id), UUID(player.id), uuid4(), "EUR")
    for start in range(0, count, 500):
        decided, owed = [], {}
        for _ in range(min(500, count - start)):
            key, wager = new_id(now), uuid4()
            asked = TransactionRequested(
                key, TransactionKind.DEBIT, party, wager, uuid4(), 100, None, None, now + timedelta(seconds=4), now
            )
            made = TransactionAccepted(key, wager, TransactionKind.DEBIT, party, 100, "T", now)
            decided.append(Decided(None, 0, [asked, made], metadata))
            owed[key] = (100, metadata)
        records.write(decided, now=now)
        remote.owe(owed, now=now)
    server.allow(fetch("SELECT id::text FROM wallet_remote WHERE kind = 'debit'"), player)


@contextmanager
def courier(clock: "Clock") -> Iterator["Driver"]:
    with asyncio.Runner() as runner:
        client = runner.run(WebhookClient().__aenter__())
        try:
            yield Driver(runner, Courier(client, clock))
        finally:
            runner.run(client.__aexit__(None, None, None))


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = database_now()

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()


class Driver:
    def __init__(self, runner: asyncio.Runner, courier_: Courier) -> None:
        self._runner, self._courier = runner, courier_

    def step(self) -> int:
        """Deliver what one turn of the loop delivers."""

        async def turn() -> int:
            began = await self._courier.begin()
            await self._courier.finish()
            return began

        return self._runner.run(turn())

    def overtaken(self, clock: Clock, *, after: timedelta) -> None:
        """Deliver so slowly that another process has delivered the same meanwhile."""

        async def turn() -> None:
            await self._courier.begin()
            clock.now += after
            async with WebhookClient() as client:
                other = Courier(client, clock)
                await other.begin()
                await other.finish()
            await self._courier.finish()

        self._runner.run(turn())


def test_tries_come_at_growing_gaps_and_staff_hear_of_what_has_no_end(
    database: Database, server: WalletServer, caplog: pytest.LogCaptureFixture
) -> None:
    assert database
    house = seamless_house(server)
    ann = join(house, server, "Ann", funds="0.00")
    owe(house, ann, server, 1)
    server.control(always={"*": "fail"})
    clock, gaps = Clock(), []
    with courier(clock) as driver:
        for _ in range(10):
            assert driver.step() == 1
            ((due,),) = fetch("SELECT due_at FROM wallet_remote_due")
            gaps.append((due - clock.now).total_seconds())
            assert driver.step() == 0
            clock.now = due
        assert all(0.75 * 2**n <= gap <= 1.25 * 2**n for n, gap in enumerate(gaps[:7]))
        assert max(gaps) <= 250
        assert "ALERT" not in caplog.text
        for wait, kinds in ((ALERT_AFTER, 0), (REPORT_AFTER, 1), (timedelta(minutes=5), 1)):
            clock.now += wait
            driver.step()
            assert "ALERT" in caplog.text or kinds
            assert SignificantEvent.objects.filter(kind="wallet_unsettled").count() == kinds
        server.control(always={})
        clock.now += timedelta(minutes=5)
        driver.step()
    assert (statuses("credit"), server.balance(ann)) == (["accepted"], 1)


def test_a_process_that_comes_too_late_reports_nothing_of_what_has_ended(
    database: Database, server: WalletServer, caplog: pytest.LogCaptureFixture
) -> None:
    assert database
    house = seamless_house(server)
    ann = join(house, server, "Ann", funds="0.00")
    owe(house, ann, server, 1)
    server.next("credits", "slow", seconds=2)
    clock = Clock()
    with courier(clock) as driver:
        driver.overtaken(clock, after=2 * REPORT_AFTER)
    assert (statuses("credit"), server.control()["credit"]) == (["accepted"], 1)
    assert not SignificantEvent.objects.filter(kind="wallet_unsettled").exists()
    assert "ALERT" not in caplog.text
