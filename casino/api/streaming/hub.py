"""The open streams of one process: one thread reads the sealed log, and a hub delivers it to the streams.

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

from django.db import close_old_connections

from casino.events import subscriptions
from casino.events.records import SealedEvent
from casino.events.wakeups import Listener
from casino.observability import loop

logger = logging.getLogger(__name__)

BUFFERED_POSITIONS: Final = 10_000
"""Positions that a process buffers: a client that reconnects within them gets all missed events."""

PRELOADED_POSITIONS: Final = 2_000
"""Positions read at startup, so that streams resume across a restart of the process."""

DELIVERY_TIMEOUT: Final = 5.0
"""Timeout in seconds: of the reader for the event loop, and of a stream for the reader."""

DATABASE_THREADS: Final = ThreadPoolExecutor(max_workers=4, thread_name_prefix="streams")
"""All queries of streams run in these few threads, each with a connection that it keeps."""

BATCH_LIMIT: Final = 500
"""Maximum events read and delivered together."""

FALLBACK_POLL_SECONDS: Final = 0.5
"""Polling interval in seconds while Redis is up: a notification can be lost."""

POLL_SECONDS: Final = 0.05
"""Polling interval in seconds while Redis is down."""

Result = TypeVar("Result")


async def run_in_thread(function: Callable[..., Result], /, **arguments: Any) -> Result:
    """Run a function that queries the database, in a thread that keeps its connection."""
    return await asyncio.get_running_loop().run_in_executor(DATABASE_THREADS, partial(_call, function, arguments))


def _call(function: Callable[..., Result], arguments: dict[str, Any]) -> Result:
    close_old_connections()  # broken ones
    return function(**arguments)


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

    def receive(self, message: MessageT_contra, /) -> None:
        """Receive an event, once for each of its topics that is followed, in order of position."""

    def fail(self) -> None:
        """Handle an event that could not be delivered."""


class ConsumerGone(Exception):
    """The event loop that consumes the batches is closed."""


class Reader(threading.Thread):
    """Reads the sealed log for a whole process, woken by notifications, with polling as a fallback.

    Reads from a position and passes every batch to `on_batch`, in its own thread, until it is stopped.

    Uses one database connection for all streams of the process, and reconnects after a restart of the database.
    """

    def __init__(self, *, after: int, on_batch: Callable[[Sequence[SealedEvent]], None]) -> None:
        super().__init__(name="stream-reader", daemon=True)
        self.position = after
        self._on_batch = on_batch
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._stopping.set()

    def run(self) -> None:
        """Read until stopped."""
        listener = Listener()

        def step() -> float:
            try:
                full = self._read()
            except ConsumerGone:
                self._stopping.set()
                return 0.0
            return POLL_SECONDS if not full and listener.wait(FALLBACK_POLL_SECONDS) is None else 0.0

        try:
            loop.run(step, self._stopping, work="streaming")
        finally:
            listener.close()

    def _read(self) -> bool:
        """Deliver new events; return whether there may be more."""
        batch = subscriptions.read_sealed(self.position, BATCH_LIMIT)
        if batch:
            self._on_batch(batch)
            self.position = batch[-1].position
        return len(batch) == BATCH_LIMIT


class Hub(Generic[MessageT]):
    """Starts a reader with the first stream and ends it with the last.

    `prepare` turns sealed events into messages, one each, in the reader's thread, where it may query the database;
    `on_delivered` is called on the event loop with each batch, after all streams received it.
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
        self._on_delivered = on_delivered
        self._buffer: deque[MessageT] = deque(maxlen=BUFFERED_POSITIONS)
        self._by_topic: dict[str, set[Follower[MessageT]]] = {}
        self._streams = 0
        self._started: asyncio.Task[None] | None = None
        self._reader: Reader | None = None
        self._advanced: asyncio.Future[None] | None = None

    async def acquire(self) -> None:
        """Start the reader if this is the first stream; call `release` afterwards."""
        self._streams += 1
        if self._started is None:
            self._started = asyncio.create_task(self._start())
        started = self._started
        try:
            await asyncio.shield(started)
        except BaseException:
            if started.done() and self._started is started:  # it failed: the next stream tries again
                self._started = None
            self.release(None)
            raise

    def release(self, follower: Follower[MessageT] | None) -> None:
        """Remove a stream, and end the reader with the last one."""
        if follower is not None:
            self.set_topics(follower, frozenset())
            self.followers.discard(follower)
        self._streams -= 1
        if self._streams == 0:
            self._stop()

    def add_follower(self, follower: Follower[MessageT], *, after: int) -> None:
        """Deliver to a stream the buffered messages after this position, and all later ones."""
        self.followers.add(follower)
        self.set_topics(follower, follower.topics)
        for message in self.messages_since(after):
            if not follower.topics.isdisjoint(message.topics):
                self._send(follower, message)

    def set_topics(self, follower: Follower[MessageT], topics: frozenset[str]) -> None:
        """Replace the topics that a stream follows."""
        if follower not in self.followers:
            follower.topics = topics
            return
        for topic in follower.topics | topics:
            followers = self._by_topic.setdefault(topic, set())
            (followers.add if topic in topics else followers.discard)(follower)
            if not followers:
                del self._by_topic[topic]
        follower.topics = topics

    def has_since(self, after: int) -> bool:
        """Return whether the buffer has everything after this position."""
        first = self._buffer[0].position - 1 if self._buffer else self.position
        return first <= after <= self.position

    def messages_since(self, after: int) -> Sequence[MessageT]:
        """Return the buffered messages after this position, in order; positions have no gaps."""
        skipped = max(0, after - self._buffer[0].position + 1) if self._buffer else 0
        return list(islice(self._buffer, skipped, None))

    async def wait_for_position(self, position: int) -> bool:
        """Wait until the reader has reached this position, and return whether it has."""
        try:
            async with asyncio.timeout(DELIVERY_TIMEOUT):
                while self.position < position:
                    if self._advanced is None or self._advanced.done():
                        self._advanced = asyncio.get_running_loop().create_future()
                    await asyncio.shield(self._advanced)
        except TimeoutError:
            return False
        return True

    async def _start(self) -> None:
        self._buffer.clear()
        self.position, messages = await run_in_thread(self._load)
        self._buffer.extend(messages)
        loop = asyncio.get_running_loop()
        self._reader = Reader(after=self.position, on_batch=partial(self._pass_on, loop))
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
        self._buffer.clear()

    def _pass_on(self, loop: asyncio.AbstractEventLoop, batch: Sequence[SealedEvent]) -> None:
        """Prepare a batch and wait until the event loop takes it. Runs in the reader's thread. Raises ConsumerGone."""
        messages, taken = self._prepare(batch), threading.Event()
        try:
            loop.call_soon_threadsafe(self._deliver, threading.current_thread(), messages, taken)
        except RuntimeError as error:  # the loop is closed: the process ends
            raise ConsumerGone from error
        taken.wait(DELIVERY_TIMEOUT)

    def _deliver(self, reader: threading.Thread, messages: Sequence[MessageT], taken: threading.Event) -> None:
        if reader is self._reader:
            for message in messages:
                self._offer(message)
            if self._advanced is not None and not self._advanced.done():
                self._advanced.set_result(None)
            self._on_delivered(messages)
        taken.set()

    def _offer(self, message: MessageT) -> None:
        self._buffer.append(message)
        self.position = message.position
        for topic in message.topics:
            for follower in tuple(self._by_topic.get(topic, ())):
                self._send(follower, message)

    def _send(self, follower: Follower[MessageT], message: MessageT) -> None:
        try:
            follower.receive(message)
        except Exception:  # an error of one stream must not end the others
            logger.exception("Position %s could not be sent to a stream, which ends.", message.position)
            follower.fail()
