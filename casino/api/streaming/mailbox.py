"""What waits to be sent on one stream. Belongs to the event loop; not for other threads."""

import asyncio
from typing import Final, NamedTuple

MAX_MESSAGES: Final = 2000
"""Messages that may wait for one reader; one who lets more pile up is dropped, and resumes by Last-Event-ID."""


class OutgoingMessage(NamedTuple):
    """One message; a `position` of 0 belongs to no position. No `text` means: draw everything anew."""

    position: int
    text: bytes | None


class Mailbox:
    """A bounded queue that is emptied at once, so that what waited together leaves in one write.

    It waits without a timer of its own: with thousands of streams, a timer for each message of each is what costs.
    """

    __slots__ = ("_bell", "_waiting", "closed", "max_messages", "taken_at")

    def __init__(self, *, max_messages: int = MAX_MESSAGES) -> None:
        self.max_messages = max_messages
        self.closed = False
        self.taken_at = asyncio.get_running_loop().time()
        self._waiting: list[OutgoingMessage] = []
        self._bell: asyncio.Future[None] | None = None

    def put(self, letter: OutgoingMessage) -> bool:
        """Add a letter, and say whether there was room for it."""
        if len(self._waiting) >= self.max_messages:
            return False
        self._waiting.append(letter)
        self._ring()
        return True

    def forget_positions(self) -> None:
        """Drop the letters that belong to a position: their reader begins anew at another."""
        self._waiting = [letter for letter in self._waiting if not letter.position]

    def close(self) -> None:
        """Wake the reader for the last time."""
        self.closed = True
        self._ring()

    async def take(self) -> list[OutgoingMessage]:
        """Wait for letters and return all there are; none when the box is closed and empty."""
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
