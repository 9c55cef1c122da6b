"""The messages waiting to be sent on one stream. Use from the event loop only; not thread-safe."""

import asyncio
from typing import Final, NamedTuple

MAX_MESSAGES: Final = 2000
"""Maximum waiting messages; a slower reader is disconnected, and resumes by Last-Event-ID."""


class OutgoingMessage(NamedTuple):
    """One message; `position` 0 means none. Without `text`, the stream sends a new snapshot."""

    position: int
    text: bytes | None


class Mailbox:
    """A bounded queue that is emptied at once, so that waiting messages leave in one write.

    It has no timer: with thousands of streams, timers for each message would be the main cost.
    """

    __slots__ = ("_bell", "_waiting", "closed", "max_messages", "taken_at")

    def __init__(self, *, max_messages: int = MAX_MESSAGES) -> None:
        self.max_messages = max_messages
        self.closed = False
        self.taken_at = asyncio.get_running_loop().time()
        self._waiting: list[OutgoingMessage] = []
        self._bell: asyncio.Future[None] | None = None

    def put(self, letter: OutgoingMessage) -> bool:
        """Add a message, and return whether there was room for it."""
        if len(self._waiting) >= self.max_messages:
            return False
        self._waiting.append(letter)
        self._ring()
        return True

    def forget_positions(self) -> None:
        """Drop the messages with a position: the reader starts again at another one."""
        self._waiting = [letter for letter in self._waiting if not letter.position]

    def close(self) -> None:
        """Wake the reader for the last time."""
        self.closed = True
        self._ring()

    async def take(self) -> list[OutgoingMessage]:
        """Wait for messages and return all of them; none if the mailbox is closed and empty."""
        loop = asyncio.get_running_loop()
        if not self._waiting and not self.closed:
            self._bell = loop.create_future()
            await self._bell
        taken, self._waiting = self._waiting, []
        self.taken_at = loop.time()
        return taken

    def _ring(self) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)
