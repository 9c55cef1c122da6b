"""Dealers are woken once for a burst of rounds, when the transaction commits."""

import contextlib
import time
from collections.abc import Callable, Generator

import pytest
import redis
from django.conf import settings
from django.db import transaction

from baccarat.storage import wakeups
from casino.events import wakeups as pending_wakeups

QUEUE = "celery"
PATIENCE = 10.0


@pytest.fixture
def broker() -> Generator["redis.Redis"]:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.delete(QUEUE)
        pending_wakeups.clear(wakeups.TOPIC)
        yield client
        client.delete(QUEUE)
        pending_wakeups.clear(wakeups.TOPIC)


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


@pytest.mark.usefixtures("database")
def test_a_burst_of_ready_rounds_sends_one_message_and_a_later_one_another(broker: "redis.Redis") -> None:
    for _ in range(5):
        with transaction.atomic():
            wakeups.wake_dealers_on_commit()
            wakeups.wake_dealers_on_commit()
    assert eventually(lambda: broker.llen(QUEUE) == 1)

    time.sleep(3 * wakeups.INTERVAL)  # until the last of the burst has been sent
    pending_wakeups.clear(wakeups.TOPIC)  # as a dealer does
    wakeups.wake_dealers_soon()
    assert eventually(lambda: broker.llen(QUEUE) == 2)


@pytest.mark.usefixtures("database")
def test_a_transaction_that_is_rolled_back_sends_nothing(broker: "redis.Redis") -> None:
    with contextlib.suppress(ZeroDivisionError), transaction.atomic():
        wakeups.wake_dealers_on_commit()
        raise ZeroDivisionError

    time.sleep(3 * wakeups.INTERVAL)
    assert broker.llen(QUEUE) == 0
