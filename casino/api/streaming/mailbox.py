"""What waits to be sent on one stream. Belongs to the event loop; not for other threads."""

import asyncio
from typing import Final, NamedTuple

MOST: Final = 2000
"""Messages that may wait for one reader; one who lets more pile up is dropped, and resumes by Last-Event-ID."""


class Letter(NamedTuple):
    """One message; a `position` of 0 belongs to no position. No `text` means: draw everything anew."""

    position: int
    text: bytes | None


class Mailbox:
    """A bounded queue that is emptied at once, so that what waited together leaves in one write."""

    __slots__ = ("_bell", "_waiting", "closed", "most")

    def __init__(self, *, most: int = MOST) -> None:
        self.most = most
        self.closed = False
        self._waiting: list[Letter] = []
        self._bell = asyncio.Event()

    def put(self, letter: Letter) -> bool:
        """This will add a letter, and say whether there was room for it."""
        if len(self._waiting) >= self.most:
            return False
        self._waiting.append(letter)
        self._bell.set()
        return True

    def close(self) -> None:
        """This will wake the reader for the last time."""
        self.closed = True
        self._bell.set()

    async def take(self, seconds: float) -> list[Letter]:
        """This will return all that waits, at once or when something comes; nothing after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._bell.wait()
        except TimeoutError:
            return []
        if not self.closed:
            self._bell.clear()
        taken, self._waiting = self._waiting, []
        return taken
