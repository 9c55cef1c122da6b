"""The process that writes feeds and sends webhooks, and what apps above send. Any number may run.

One thread writes items as events are sealed. The event loop sends: each endpoint has a few deliveries under way, so
that one that does not answer holds up nobody else's.
"""

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Final, Generic, TypeVar

import httpcore
from django.db import Error

from casino.api.streaming.hub import run_in_thread
from casino.events.sql import database_now
from casino.events.wakeups import Listener
from casino.feed import queue, signatures, writer
from casino.feed.queue import ClaimedDelivery, DeliveryOutcome
from casino.observability import loop
from casino.outbound.client import WebhookClient

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.25
MAX_SENDING: Final = 500
"""Claims of a kind that one process sends at a time."""
Claimed = TypeVar("Claimed")
Clock = Callable[[], datetime]
Loop = Callable[[asyncio.Event], Coroutine[None, None, None]]
_contributed: Final[list[Loop]] = []


def register_loop(loop: Loop) -> None:
    """Let the process run what an app above sends, too, until it is stopped; call it in AppConfig.ready()."""
    _contributed.append(loop)


def write_until(stop: threading.Event) -> None:
    """Write feeds until stopped, through restarts of the database and of Redis."""
    listener = Listener()

    def step() -> float:
        full = writer.write_new_items() >= writer.BATCH
        return POLL_SECONDS if not full and listener.wait(POLL_SECONDS) is None else 0.0

    try:
        loop.run(step, stop, work="writing of feeds")
    finally:
        listener.close()


class Sender(ABC, Generic[Claimed]):
    """Sends what is due, each in a task of its own."""

    def __init__(self, client: WebhookClient, clock: Clock = database_now) -> None:
        self.client, self.clock = client, clock
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    def claim(self, limit: int) -> Sequence[Claimed]:
        """Lease up to so many of what is due. Runs in a thread."""

    @abstractmethod
    async def send(self, claimed: Claimed) -> None:
        """Send one and record what came of it; the lease covers a failure to record."""

    async def begin(self) -> int:
        """Begin to send what is due now, and return how much that is."""
        claimed = await run_in_thread(self.claim, limit=MAX_SENDING - len(self._tasks))
        for each in claimed:
            task = asyncio.create_task(self.send(each))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(claimed)

    async def finish(self) -> None:
        """Wait until what was begun has ended."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def run(self, stop: asyncio.Event, *, work: str) -> None:
        """Send until stopped, then finish what is being sent."""

        async def step() -> float:
            if not await self.begin():
                await self._wait(stop)
            return 0.0

        await loop.run_async(step, stop, work=work)
        await self.finish()

    async def _wait(self, stop: asyncio.Event) -> None:
        """Wait for the next poll, or until something has ended and what comes after it may follow."""
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({stopped, *self._tasks}, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()


class Webhooks(Sender[ClaimedDelivery]):
    """Sends webhooks."""

    def claim(self, limit: int) -> list[ClaimedDelivery]:
        now = self.clock()
        queue.queue_new(now)
        return queue.claim(now, limit=limit) if limit > 0 else []

    async def send(self, claimed: ClaimedDelivery) -> None:
        try:
            outcome = await _attempt(claimed, self.client, await run_in_thread(self.clock))
            await run_in_thread(self._record, delivery=claimed, outcome=outcome)
        except Error as error:
            logger.warning("The outcome of a webhook could not be recorded, it will be sent again: %s", error)

    def _record(self, delivery: ClaimedDelivery, outcome: DeliveryOutcome) -> None:
        queue.record(delivery, outcome, self.clock())


async def _attempt(delivery: ClaimedDelivery, client: WebhookClient, now: datetime) -> DeliveryOutcome:
    if delivery.body is None:
        return DeliveryOutcome(None, error="The item has expired.")
    if not delivery.secrets:
        return DeliveryOutcome(None, error="No secret of this webhook can be read; replace it.")
    headers = signatures.headers(delivery.secrets, message=delivery.message, now=now, body=delivery.body)
    headers |= {"content-type": "application/cloudevents+json", "user-agent": "casino-webhooks/1"}
    try:
        answer = await client.post(delivery.url, headers=headers, body=delivery.body)
    except (TimeoutError, httpcore.TimeoutException):
        return DeliveryOutcome(None, error="There was no answer in time.")
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        return DeliveryOutcome(None, error=f"There was no answer: {error}")
    return DeliveryOutcome(answer.status, answer.body)


async def _send_webhooks(stop: asyncio.Event) -> None:
    async with WebhookClient() as client:
        await Webhooks(client).run(stop, work="sending of webhooks")


async def run(stop: asyncio.Event) -> None:
    """Write and send until stopped."""
    stop_writing = threading.Event()
    writing = asyncio.create_task(asyncio.to_thread(write_until, stop_writing))
    try:
        async with asyncio.TaskGroup() as loops:
            for each in (_send_webhooks, *_contributed):
                loops.create_task(each(stop))
    finally:
        stop_writing.set()
        await writing
