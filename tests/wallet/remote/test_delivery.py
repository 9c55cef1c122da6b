"""Credits reach an operator's wallet once each, however long it was down, and others do not wait for it."""

import asyncio
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from baccarat.services import wagering
from casino.api.streaming import hub
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch
from casino.events.store import Metadata
from casino.feed.destinations import WebhookClient
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all
from tests.casino.feed.receiving import own_threads
from tests.conftest import Database
from tests.wallet.remote.operators import (
    WalletServer,
    audited,
    code,
    join,
    ledger,
    post_bet,
    running_wallet,
    seamless_house,
    seated,
    statuses,
)
from wallet.remote import credits as remote
from wallet.remote import debits, protection, records
from wallet.remote.delivery import ALERT_AFTER, PER_SECOND, REPORT_AFTER, Courier
from wallet.remote.events import Party, TransactionAccepted, TransactionKind, TransactionRequested
from wallet.remote.protection import MOST_LOST
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
            key = new_id(now)
            asked = TransactionRequested(
                key, TransactionKind.DEBIT, party, uuid4(), uuid4(), 100, None, None, now + timedelta(seconds=4), now
            )
            made = TransactionAccepted(key, TransactionKind.DEBIT, party, 100, "T", now)
            decided.append(Decided(None, 0, [asked, made], metadata))
            owed[key] = (100, metadata)
        records.write(decided, now=now)
        remote.owe(owed, now=now)
    server.allow(fetch("SELECT id::text FROM wallet_remote WHERE kind = 'debit'"), player)


@contextmanager
def courier(clock: "Clock") -> Iterator["Driver"]:
    with pytest.MonkeyPatch.context() as patch, own_threads() as threads, asyncio.Runner() as runner:
        patch.setattr(hub, "DATABASE_THREADS", threads)
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


@pytest.mark.slow
def test_an_operator_down_for_an_hour_takes_no_wager_and_gets_ten_thousand_credits_in_five_minutes_each_once(
    database: Database,
    server: WalletServer,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert database
    clock, played = Clock(), 0
    guarded = protection.Protection(8, clock.seconds)
    for module in (protection, debits, wagering):
        monkeypatch.setattr(module, "PROTECTION", guarded)
    with running_wallet(tmp_path_factory.mktemp("other")) as other_server, courier(clock) as driver:
        down, up = seamless_house(server), seamless_house(other_server, "other")
        (ann, table), (bob, others) = seated(down, server), seated(up, other_server, "Bob")
        bet(ann, table, banker="10.00")
        owe(down, ann, server, 10_000)
        server.control(always={"*": "fail"})
        deal_all()  # what is confirmed is settled, whoever can be paid
        lost, refused = [(503, "wallet_did_not_answer")], [(503, "wallet_unavailable")]
        assert [code(post_bet(ann, table)) for _ in range(MOST_LOST + 1)] == lost * MOST_LOST + refused
        clock.now, returns = database_now(), clock.now + timedelta(hours=1)
        while clock.now < returns:
            for _ in range(10):
                clock.now += timedelta(minutes=1)
                driver.step()
            assert [code(post_bet(ann, table))] == refused
            bet(bob, others, banker="10.00")
            deal_all()
            driver.step()
            played += 1
            assert other_server.made("credit") == played  # it does not wait for the other
        assert (statuses("credit").count("requested"), server.made("credit"), played) == (10_001, 0, 6)
        # The longest gaps that tries may have.
        execute(
            "UPDATE wallet_remote_due SET attempts = 20, next_try_at = %s + random() * interval '250 seconds'",
            [clock.now],
        )
        server.control(always={})
        returns = clock.now
        while fetch("SELECT EXISTS (SELECT FROM wallet_remote_due)") == [(True,)]:
            clock.now += timedelta(seconds=2)
            assert driver.step() <= 2 * PER_SECOND
    assert clock.now - returns <= timedelta(minutes=5)
    ((returned,),) = fetch("SELECT returned FROM baccarat_wager WHERE player_id = %s", [ann.id])
    assert (server.made("credit"), server.balance(ann) * 100) == (10_001, 50_000 - 1000 + returned + 1_000_000)
    assert (set(statuses("credit")), ledger("returning")) == ({"accepted"}, 0)
    assert post_bet(ann, table).status_code == 200
    # Nobody played the ten thousand rounds.
    findings = Counter(each.partition(" wallet ")[0] for each in audited())
    assert findings == {"debit without its wager": 10_000, "payment without its round": 10_000}


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
            ((due,),) = fetch("SELECT next_try_at FROM wallet_remote_due")
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
