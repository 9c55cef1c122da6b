"""The process that writes feeds and sends webhooks, and what apps above send. Any number may run.

One thread writes items as events are sealed. The event loop sends: each endpoint has a few deliveries under way, so
that one that does not answer holds up nobody else's.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Final

import httpcore
from django.db import Error, connection

from casino.api.streaming.hub import run_in_thread
from casino.events.sql import database_now
from casino.events.wakeups import Listener
from casino.feed import queue, signatures, writer
from casino.feed.queue import ClaimedDelivery, DeliveryOutcome
from casino.outbound.client import WebhookClient

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.25
MAX_PAUSE_SECONDS: Final = 1.0
MAX_SENDING: Final = 500
"""Deliveries that one process sends at a time."""
Clock = Callable[[], datetime]
Loop = Callable[[asyncio.Event], Coroutine[None, None, None]]
_contributed: Final[list[Loop]] = []


def register_loop(loop: Loop) -> None:
    """Let the process run what an app above sends, too, until it is stopped; call it in AppConfig.ready()."""
    _contributed.append(loop)


def write_until(stop: threading.Event) -> None:
    """Write feeds until stopped, through restarts of the database and of Redis."""
    listener, pause = Listener(), 0.0
    try:
        while not stop.is_set():
            try:
                read = writer.write_new_items()
                pause = 0.0
            except Exception as error:
                if not isinstance(error, Error):
                    logger.critical("ALERT feeds wait: %s", type(error).__name__, exc_info=error)
                elif not pause:
                    logger.warning("The database does not answer, feeds wait: %s", error)
                connection.close()
                pause = min(max(pause * 2, POLL_SECONDS), MAX_PAUSE_SECONDS)
                stop.wait(pause)
                continue
            if read < writer.BATCH and listener.wait(POLL_SECONDS) is None:
                stop.wait(POLL_SECONDS)
    finally:
        listener.close()
        connection.close()


async def send_until(stop: asyncio.Event, *, client: WebhookClient, clock: Clock = database_now) -> None:
    """Send webhooks until stopped, then finish what is being sent."""
    sending: set[asyncio.Task[None]] = set()
    async with client:
        while not stop.is_set():
            began = 0
            try:
                claimed = await run_in_thread(_claim, clock=clock, limit=MAX_SENDING - len(sending))
                began = len(claimed)
                for delivery in claimed:
                    task = asyncio.create_task(_send(delivery, client, clock))
                    sending.add(task)
                    task.add_done_callback(sending.discard)
            except Error as error:
                logger.warning("The database does not answer, webhooks wait: %s", error)
            if not began:
                await _wait(stop, sending)
        if sending:
            await asyncio.wait(sending)


async def send_due(*, client: WebhookClient, clock: Clock = database_now) -> int:
    """Send what is due now, until nothing more is, and return how many attempts were made."""
    total = 0
    while claimed := await run_in_thread(_claim, clock=clock, limit=MAX_SENDING):
        await asyncio.gather(*(_send(delivery, client, clock) for delivery in claimed))
        total += len(claimed)
    return total


def _claim(*, clock: Clock, limit: int) -> list[ClaimedDelivery]:
    now = clock()
    queue.queue_new(now)
    return queue.claim(now, limit=limit) if limit > 0 else []


async def _send(delivery: ClaimedDelivery, client: WebhookClient, clock: Clock) -> None:
    """Send one message and record what came of it; the lease covers a failure to record."""
    try:
        outcome = await _attempt(delivery, client, await run_in_thread(clock))
        await run_in_thread(_record, delivery=delivery, outcome=outcome, clock=clock)
    except Error as error:
        logger.warning("The outcome of a webhook could not be recorded, it will be sent again: %s", error)


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


def _record(*, delivery: ClaimedDelivery, outcome: DeliveryOutcome, clock: Clock) -> None:
    queue.record(delivery, outcome, clock())


async def _wait(stop: asyncio.Event, sending: set[asyncio.Task[None]]) -> None:
    """Wait for the next poll, or until a delivery has ended and its subject's next one may follow."""
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({stopped, *sending}, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()


async def run(stop: asyncio.Event) -> None:
    """Write and send until stopped."""
    stop_writing = threading.Event()
    writing = asyncio.create_task(asyncio.to_thread(write_until, stop_writing))
    try:
        async with asyncio.TaskGroup() as loops:
            loops.create_task(send_until(stop, client=WebhookClient()))
            for loop in _contributed:
                loops.create_task(loop(stop))
    finally:
        stop_writing.set()
        await writing
