"""Server-sent events (WHATWG HTML, section 9.2): the encoding of messages, and a stream's queue of them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final, NamedTuple

import msgspec
from django.http import StreamingHttpResponse

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
"""Keeps proxies from compressing, buffering or caching the stream."""

RETRY: Final = b"retry: 1000\n\n"
"""Milliseconds before a browser reconnects."""

_encode: Final = msgspec.json.Encoder().encode


def message(event: str, data: Any, *, id_: int | str = "") -> bytes:
    """Encode one message; `data` is anything that msgspec encodes as JSON, `id_` is where a client resumes."""
    id_line = b"" if id_ == "" else f"id: {id_}\n".encode()
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, event.encode(), _encode(data))


def keep_alive(id_: int | str) -> bytes:
    """Encode a comment with an id, where a client resumes.

    Browsers dispatch no event for a block without data, but keep its id.
    """
    return f": still here\nid: {id_}\n\n".encode()


class LiveResponse(StreamingHttpResponse):
    """Sends what a generator yields, and closes it when the response ends in any way.

    Django leaves that to garbage collection, which never closes a generator that its own stream's registry refers to.
    """

    def __init__(self, chunks: AsyncGenerator[bytes], *, content_type: str, headers: dict[str, str]) -> None:
        super().__init__(chunks, content_type=content_type, headers=headers)
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield each chunk."""
        async with aclosing(self._chunks) as chunks:
            async for chunk in chunks:
                yield chunk


MAX_MESSAGES: Final = 2000
"""Maximum waiting messages; a slower reader is disconnected, and resumes by Last-Event-ID."""


class OutgoingMessage(NamedTuple):
    """One message; `position` 0 means none. Without `text`, the stream sends a new snapshot."""

    position: int
    text: bytes | None


class Mailbox:
    """A bounded queue of messages waiting to be sent on one stream, taken all at once to leave in one write.

    Use it from the event loop only. It has no timer: with thousands of streams, a timer for each message would be the
    main cost.
    """

    __slots__ = ("_waiting", "_wakeup", "closed", "max_messages", "taken_at")

    def __init__(self, *, max_messages: int = MAX_MESSAGES) -> None:
        self.max_messages = max_messages
        self.closed = False
        self.taken_at = asyncio.get_running_loop().time()
        self._waiting: list[OutgoingMessage] = []
        self._wakeup: asyncio.Future[None] | None = None

    def put(self, message: OutgoingMessage) -> bool:
        """Add a message, and return whether there was room for it."""
        if len(self._waiting) >= self.max_messages:
            return False
        self._waiting.append(message)
        self._wake()
        return True

    def forget_positions(self) -> None:
        """Drop the messages with a position, because the stream continues at another one."""
        self._waiting = [message for message in self._waiting if not message.position]

    def close(self) -> None:
        """Close the mailbox and wake the stream for the last time."""
        self.closed = True
        self._wake()

    async def take(self) -> list[OutgoingMessage]:
        """Wait for messages and return all of them; none if the mailbox is closed and empty."""
        loop = asyncio.get_running_loop()
        if not self._waiting and not self.closed:
            self._wakeup = loop.create_future()
            await self._wakeup
        messages, self._waiting = self._waiting, []
        self.taken_at = loop.time()
        return messages

    def _wake(self) -> None:
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)
