"""The process that writes feeds and sends webhooks: killed at any moment, it loses nothing; stopped, it ends."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from casino.devstack.home import PROJECT
from casino.events import sealer
from casino.events.sql import execute
from tests.baccarat.api.people import Tenant, bet, company, deal_all, tenant
from tests.casino.feed.play import read_all
from tests.casino.feed.receiving import Message, receiver
from tests.conftest import Database
from tests.processes import begin

PATIENCE = 90.0


@contextmanager
def outbound(database: Database) -> Generator["subprocess.Popen[bytes]"]:
    """Run the process until the block ends."""
    environment = {**database.environment, "DJANGO_SETTINGS_MODULE": "casino.settings"}
    process = begin([sys.executable, "manage.py", "run_outbound"], cwd=PROJECT, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def settled(house: Tenant) -> int:
    return len(read_all(house, types="round.settled"))


def numbers(house: Tenant) -> list[int]:
    return [item["number"] for item in read_all(house)]


def test_a_killed_process_loses_nothing_and_a_stopped_one_ends(database: Database) -> None:
    house = tenant("killed")

    def slow(_: Message) -> tuple[int, bytes]:
        time.sleep(0.1)
        return 200, b""

    with receiver() as theirs:
        theirs.answer = slow
        house.webhook(theirs.url)
        table, (alice,) = company(house, "mini", "Alice")
        for _ in range(3):
            bet(alice, table, banker="25.00")
            deal_all()
        sealer.seal_all()
        with outbound(database) as process:
            until(lambda: len(theirs.messages) >= 4)
            process.send_signal(signal.SIGKILL)
            process.wait()
        bet(alice, table, banker="25.00")
        deal_all()
        sealer.seal_all()
        # What the killed process was sending is leased for a minute.
        execute("UPDATE feed_webhookdelivery SET due_at = now(), leased_until = NULL WHERE leased_until IS NOT NULL")
        with outbound(database) as process:
            until(
                lambda: settled(house) == 4 and set(theirs.accepted()) == {each["number"] for each in read_all(house)}
            )
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        items = {item["number"]: item for item in read_all(house)}
        assert set(theirs.accepted()) == set(items) == set(range(1, len(items) + 1))
        assert all(message.item == items[message.number] for message in theirs.messages)
