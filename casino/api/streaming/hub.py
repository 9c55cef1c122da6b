"""The open streams of one process: buffers sealed events and delivers them to the streams that follow them.

Runs on the event loop, except where a docstring names the reader's thread.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, Final, Generic, Protocol, TypeVar

from django.db import connections

from casino.api.streaming.reader import ConsumerGone, Reader
from casino.events import subscriptions
from casino.events.records import SealedEvent

logger = logging.getLogger(__name__)

BUFFERED_POSITIONS: Final = 10_000
"""Positions that a process buffers: a client that reconnects within them gets all missed events."""

PRELOADED_POSITIONS: Final = 2_000
"""Positions read at startup, so that streams resume across a restart of the process."""

DELIVERY_TIMEOUT: Final = 5.0
"""Timeout in seconds: of the reader for the event loop, and of a stream for the reader."""

DATABASE_THREADS: Final = ThreadPoolExecutor(max_workers=4, thread_name_prefix="streams")
"""All queries of streams run in these few threads, each with a connection while it needs one."""

Result = TypeVar("Result")


async def run_in_thread(function: Callable[..., Result], /, **given: Any) -> Result:
    """Run a function that queries the database, and close its connection afterwards."""
    return await asyncio.get_running_loop().run_in_executor(DATABASE_THREADS, partial(_closing, function, given))


def _closing(function: Callable[..., Result], given: dict[str, Any]) -> Result:
    try:
        return function(**given)
    finally:
        connections.close_all()


class HubMessage(Protocol):
    """A sealed event in the form that streams send."""

    @property
    def position(self) -> int: ...
    @property
    def topics(self) -> Sequence[str]: ...


MessageT = TypeVar("MessageT", bound=HubMessage)
MessageT_contra = TypeVar("MessageT_contra", bound=HubMessage, contravariant=True)


class Follower(Protocol[MessageT_contra]):
    """One stream, and the topics that it follows."""

    topics: frozenset[str]

    def receive(self, happening: MessageT_contra, /) -> None:
        """Receive an event, once for each of its topics that is followed, in order of position."""

    def fail(self) -> None:
        """Handle an event that could not be delivered."""


class Hub(Generic[MessageT]):
    """Starts a reader with the first stream and ends it with the last.

    `prepare` turns sealed events into messages, one each, in the reader's thread, where it may query the database;
    `delivered` is called on the event loop with each batch, after all streams received it.
    """

    def __init__(
        self,
        *,
        prepare: Callable[[Sequence[SealedEvent]], list[MessageT]],
        on_delivered: Callable[[Sequence[MessageT]], object],
    ) -> None:
        self.position = 0
        self.followers: set[Follower[MessageT]] = set()
        self._prepare = prepare
        self._delivered = on_delivered
        self._kept: deque[MessageT] = deque(maxlen=BUFFERED_POSITIONS)
        self._by_topic: dict[str, set[Follower[MessageT]]] = {}
        self._guests = 0
        self._started: asyncio.Task[None] | None = None
        self._reader: Reader | None = None
        self._moved: asyncio.Future[None] | None = None

    async def acquire(self) -> None:
        """Start reading the log if nobody does; call `release` afterwards."""
        self._guests += 1
        if self._started is None:
            self._started = asyncio.create_task(self._start())
        started = self._started
        try:
            await asyncio.shield(started)
        except BaseException:
            if started.done() and self._started is started:  # it failed: the next one tries again
                self._started = None
            self.release(None)
            raise

    def release(self, follower: Follower[MessageT] | None) -> None:
        """Remove a stream, and end the reader with the last one."""
        if follower is not None:
            self.set_topics(follower, frozenset())
            self.followers.discard(follower)
        self._guests -= 1
        if self._guests == 0:
            self._stop()

    def add_follower(self, follower: Follower[MessageT], *, after: int) -> None:
        """Deliver to a stream the buffered messages after this position, and all later ones."""
        self.followers.add(follower)
        self.set_topics(follower, follower.topics)
        for happening in self.messages_since(after):
            if not follower.topics.isdisjoint(happening.topics):
                self._show(follower, happening)

    def set_topics(self, follower: Follower[MessageT], topics: frozenset[str]) -> None:
        """Replace the topics that a stream follows."""
        if follower not in self.followers:
            follower.topics = topics
            return
        for topic in follower.topics | topics:
            known = self._by_topic.setdefault(topic, set())
            (known.add if topic in topics else known.discard)(follower)
            if not known:
                del self._by_topic[topic]
        follower.topics = topics

    def has_since(self, after: int) -> bool:
        """Return whether the buffer has everything after this position."""
        first = self._kept[0].position - 1 if self._kept else self.position
        return first <= after <= self.position

    def messages_since(self, after: int) -> Sequence[MessageT]:
        """Return the buffered messages after this position, in order; positions have no gaps."""
        skipped = max(0, after - self._kept[0].position + 1) if self._kept else 0
        return list(islice(self._kept, skipped, None))

    async def wait_for_position(self, position: int) -> bool:
        """Wait until the reader has reached this position, and return whether it has."""
        try:
            async with asyncio.timeout(DELIVERY_TIMEOUT):
                while self.position < position:
                    if self._moved is None or self._moved.done():
                        self._moved = asyncio.get_running_loop().create_future()
                    await asyncio.shield(self._moved)
        except TimeoutError:
            return False
        return True

    async def _start(self) -> None:
        self._kept.clear()
        self.position, happenings = await run_in_thread(self._load)
        self._kept.extend(happenings)
        loop = asyncio.get_running_loop()
        self._reader = Reader(after=self.position, on_batch=partial(self._hand_on, loop))
        self._reader.start()

    def _load(self) -> tuple[int, list[MessageT]]:
        head = subscriptions.head()
        batch = subscriptions.read_sealed(max(0, head - PRELOADED_POSITIONS), PRELOADED_POSITIONS)
        return (batch[-1].position if batch else head), self._prepare(batch)

    def _stop(self) -> None:
        if self._reader is not None:
            self._reader.stop()
        if self._started is not None:
            self._started.cancel()
        self._started = self._reader = None
        self._kept.clear()

    def _hand_on(self, loop: asyncio.AbstractEventLoop, batch: Sequence[SealedEvent]) -> None:
        """Prepare a batch and wait until the event loop takes it. Runs in the reader's thread. Raises ConsumerGone."""
        happenings, taken = self._prepare(batch), threading.Event()
        try:
            loop.call_soon_threadsafe(self._deliver, threading.current_thread(), happenings, taken)
        except RuntimeError as trouble:  # the loop is closed: the process ends
            raise ConsumerGone from trouble
        taken.wait(DELIVERY_TIMEOUT)

    def _deliver(self, reader: threading.Thread, happenings: Sequence[MessageT], taken: threading.Event) -> None:
        if reader is self._reader:
            for happening in happenings:
                self._offer(happening)
            if self._moved is not None and not self._moved.done():
                self._moved.set_result(None)
            self._delivered(happenings)
        taken.set()

    def _offer(self, happening: MessageT) -> None:
        self._kept.append(happening)
        self.position = happening.position
        for topic in happening.topics:
            for follower in tuple(self._by_topic.get(topic, ())):
                self._show(follower, happening)

    def _show(self, follower: Follower[MessageT], happening: MessageT) -> None:
        try:
            follower.receive(happening)
        except Exception:  # an error of one stream must not end the others
            logger.exception("Position %s could not be shown to a stream, which ends.", happening.position)
            follower.fail()
