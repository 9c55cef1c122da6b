"""Waiting for new items on the event loop: long polls and streams hold neither a thread nor a connection.

While anybody waits, one task of the process looks at the heads of the feeds, for all of them in one query.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import msgspec
from django.db import Error

from casino.api.error_catalogue import TOO_MANY_REQUESTS, RequestRejected
from casino.api.streaming import sse
from casino.api.streaming.hub import run_in_thread
from casino.events.sql import fetch
from casino.feed import queries
from casino.feed.queries import FeedPage
from casino.feed.refusals import FeedExpired

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.25
KEEP_ALIVE_SECONDS: Final = 14.0
STREAM_SECONDS: Final = 300.0
"""A stream ends after this time; the next one is authenticated again."""
MAX_WAITING: Final = 20
"""Open streams and long polls of one operator in one process."""
_HEADS: Final = "SELECT operator_id, number FROM feed_feedhead WHERE operator_id = ANY (%s::uuid[])"


@dataclass(frozen=True, slots=True)
class FeedRequest:
    """What is read: whose feed, after which number, which types, and how many items at a time."""

    operator: UUID
    slug: str
    after: int
    types: Sequence[str] | None
    limit: int

    def read(self, after: int | None = None) -> FeedPage:
        """Read the feed, from another number if one is given. Raises FeedExpired."""
        return queries.read_feed(
            operator=self.operator,
            slug=self.slug,
            after=self.after if after is None else after,
            types=self.types,
            limit=self.limit,
        )


class HeadWatcher:
    """Wakes those who wait for an operator's feed to grow. Use from the event loop only, but for `admit`."""

    def __init__(self) -> None:
        self._waiting: set[tuple[UUID, int, asyncio.Future[None]]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._open: Counter[UUID] = Counter()

    def admit(self, operator: UUID) -> None:
        """Refuse an operator that has too many open streams. Raises RequestRejected."""
        if self._open[operator] >= MAX_WAITING:
            raise RequestRejected(TOO_MANY_REQUESTS, f"There are {MAX_WAITING} open streams and waiting requests.")

    @contextmanager
    def counted(self, operator: UUID) -> Generator[None]:
        """Count an open stream or a waiting request."""
        self._open[operator] += 1
        try:
            yield
        finally:
            self._open[operator] -= 1
            if not self._open[operator]:
                del self._open[operator]

    async def wait(self, operator: UUID, *, beyond: int, timeout: float) -> bool:
        """Wait until the feed's head is beyond a number, and return whether it is."""
        waiter = operator, beyond, asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            async with asyncio.timeout(timeout):
                await waiter[2]
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(waiter)
        return True

    async def _watch(self) -> None:
        while self._waiting:
            try:
                operators = list({operator for operator, _, _ in self._waiting})
                heads = dict(await run_in_thread(fetch, sql=_HEADS, parameters=[operators]))
            except Error as error:
                logger.warning("The heads of the feeds could not be read: %s", error)
            else:
                for operator, beyond, future in tuple(self._waiting):
                    if heads.get(operator, 0) > beyond and not future.done():
                        future.set_result(None)
            await asyncio.sleep(POLL_SECONDS)


WATCHER: Final = HeadWatcher()


async def wait_for_page(request: FeedRequest, *, seconds: float) -> AsyncGenerator[bytes]:
    """Yield the JSON of a page as soon as there are items, an empty page after so many seconds."""
    loop, after = asyncio.get_running_loop(), request.after
    ends_at = loop.time() + seconds
    with WATCHER.counted(request.operator):
        while True:
            page: FeedPage = await run_in_thread(request.read, after=after)
            left = ends_at - loop.time()
            if page.items or left <= 0:
                break
            after = page.next  # what is between has other types
            await WATCHER.wait(request.operator, beyond=page.head, timeout=left)
    yield msgspec.json.encode(page)


async def stream_items(request: FeedRequest) -> AsyncGenerator[bytes]:
    """Yield items as server-sent events, whose ids are their numbers."""
    loop, after = asyncio.get_running_loop(), request.after
    ends_at = loop.time() + STREAM_SECONDS
    yield sse.RETRY
    with WATCHER.counted(request.operator):
        while loop.time() < ends_at:
            try:
                page: FeedPage = await run_in_thread(request.read, after=after)
            except FeedExpired as expired:
                yield sse.message("end", {"code": expired.code, **expired.facts})
                return
            except Error as error:
                logger.warning("A stream of a feed ends and will be resumed: %s", error)
                return
            after = page.next
            if page.items:
                yield b"".join(sse.message("item", item, id_=item.number) for item in page.items)
            if page.next < page.head:
                continue
            if not await WATCHER.wait(request.operator, beyond=page.head, timeout=KEEP_ALIVE_SECONDS):
                yield sse.keep_alive(after)
