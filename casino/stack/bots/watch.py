"""One look at a table for all who sit there: bots wait for a change instead of asking each for themselves."""

import asyncio
from typing import Any, Final

from casino.stack.bots.client import Client

EVERY: Final = 0.1
"""Seconds between two looks."""


class Watch:
    """The table as last seen with the operator's eyes; `changed()` waits for the next look."""

    def __init__(self, operator: Client, table: str) -> None:
        self.table = table
        self.picture: dict[str, Any] = {}
        self._operator = operator
        self._looked = asyncio.Event()

    async def run(self) -> None:
        """This will look again and again until it is cancelled."""
        while True:
            self.picture = await self._operator.get(f"/tables/{self.table}")
            self._looked.set()
            self._looked = asyncio.Event()
            await asyncio.sleep(EVERY)

    async def changed(self) -> dict[str, Any]:
        """This will wait for the next look and return it."""
        await self._looked.wait()
        return self.picture

    def settled(self) -> int:
        """This will return the number of the last settled round, 0 before the first."""
        last = self.picture.get("last_round")
        return 0 if last is None else int(last["number"])

    def shoes_ended(self) -> int:
        """This will return how many long shoes have been played to their end, as seen by the shoe in play."""
        shoe = self.picture.get("shoe")
        return 0 if shoe is None else int(shoe["number"]) - 1

    def turn_of(self, seat: int) -> bool:
        """This will tell whether the seat may act in the round in hand."""
        round_ = self.picture.get("round")
        if round_ is None or round_["phase"] != "betting":
            return False
        return any(part["seat"] == seat and part["standing"] == "deciding" for part in round_["seats"])

    def has_cards(self, seat: int) -> bool:
        """This will tell whether the Player's cards lie with the seat, in the Caller's ceremony."""
        ceremony = (self.picture.get("round") or {}).get("ceremony")
        return ceremony is not None and ceremony["seat"] == seat and ceremony["handed_back"] is None

    def round_number(self) -> int:
        """This will return the number of the round in hand, 0 when there is none."""
        round_ = self.picture.get("round")
        return 0 if round_ is None else int(round_["number"])
