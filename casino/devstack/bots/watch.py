"""A table as one of its players sees it: the stream tells that something happened, and one look then is for all."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from casino.devstack.bots.client import Client


class TableWatch:
    """The table as last seen; `until(holds)` waits for a look at which something holds. Nobody asks without cause."""

    def __init__(self, client: Client, table: str) -> None:
        self.table = table
        self.state: dict[str, Any] = {}
        self._client = client
        self._looked = asyncio.Event()
        self._stale = asyncio.Event()

    async def run(self) -> None:
        """Listen until it is cancelled, or raise the Problem that ends the stream."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._look())

    async def _listen(self) -> None:
        async for message in self._client.stream(table=self.table):
            if message.event == "snapshot":
                self._show(next(table for table in message.data["tables"] if table["id"] == self.table))
            elif message.event == "event" and message.data["table"] == self.table:
                self._stale.set()

    async def _look(self) -> None:
        """What happens while one looks is seen by the next look."""
        while True:
            await self._stale.wait()
            self._stale.clear()
            self._show(await self._client.get(f"/tables/{self.table}"))

    def _show(self, picture: dict[str, Any]) -> None:
        self.state = picture
        self._looked.set()
        self._looked = asyncio.Event()

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._looked.wait()

    def last_settled_round(self) -> int:
        """Return the number of the last settled round, 0 before the first."""
        last = self.state.get("last_round")
        return 0 if last is None else int(last["number"])

    def shoes_ended(self) -> int:
        """Return how many long shoes have been played to their end, as seen by the shoe in play."""
        shoe = self.state.get("shoe")
        return 0 if shoe is None else int(shoe["number"]) - 1

    def is_turn_of(self, seat: int) -> bool:
        """Tell whether the seat may act in the round in hand."""
        round_ = self.state.get("round")
        if round_ is None or round_["phase"] != "betting":
            return False
        return any(part["seat"] == seat and part["status"] == "deciding" for part in round_["seats"])

    def round_number(self) -> int:
        """Return the number of the round in hand, 0 when there is none."""
        round_ = self.state.get("round")
        return 0 if round_ is None else int(round_["number"])

    def has_cards(self, seat: int) -> bool:
        """Tell whether the Player's cards lie with the seat, in the Caller's ceremony."""
        ceremony = (self.state.get("round") or {}).get("ceremony")
        return ceremony is not None and ceremony["seat"] == seat and ceremony["handed_back"] is None

    def has_wager(self, seat: int) -> bool:
        """Tell whether the seat has a confirmed wager in the round in hand."""
        parts = (self.state.get("round") or {}).get("seats", [])
        return any(part["seat"] == seat and part["status"] == "confirmed" for part in parts)


@contextlib.asynccontextmanager
async def run_watch(watch: TableWatch) -> AsyncGenerator[None]:
    """Keep the watch running until the block ends; what ends the watch before ends the block."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        await watch.wait_until(lambda: bool(watch.state))
        yield
        running.cancel()
