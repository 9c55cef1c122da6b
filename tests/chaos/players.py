"""Players that lose no answer: they send again with the same key until they hear, and remember what they heard."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, Final

from casino.devstack.bots.client import ApiError, Client
from casino.devstack.bots.house import CREDIT, CURRENCY, new_player
from tests.chaos.system import System

TOO_LATE: Final = {"betting_is_closed", "not_your_turn", "already_confirmed", "no_open_round", "nothing_to_rebet"}
"""What a player hears who was not there in time, because the service was not."""

BUY_IN: Final = Decimal(5000)
LOOK_EVERY: Final = 0.2
"""Seconds between two looks of a player at the table."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A table: its preset, how many play there, and the operator's own rules."""

    preset: str
    players: int = 1
    rules: dict[str, Any] = field(default_factory=dict)


SETTINGS: Final = (
    Setting("mini"),
    Setting("classic"),
    Setting("atlantic_city", players=3, rules={"turn_seconds": 1}),
    Setting("big_table", players=1, rules={"turn_seconds": 1, "look_seconds": 1, "hand_back_seconds": 1}),
)


class Player:
    """One at a seat. `wagers` is what the service has confirmed to this player: {round's number: amount staked}."""

    def __init__(self, client: Client, *, table: str, seat: int, money_type: str, chance: Random) -> None:
        self.client = client
        self.table = table
        self.seat = seat
        self.money_type = money_type
        self.chance = chance
        self.wagers: dict[int, Decimal] = {}
        self.rules: dict[str, Any] = {}

    async def sit(self) -> None:
        """Sit down with money."""
        body = {"seat": self.seat, "buy_in": f"{BUY_IN}.00", "currency": CURRENCY, "money_type": self.money_type}
        await self.client.post(f"{self.table}/seat", body)
        self.rules = (await self.look())["rules"]

    async def look(self) -> dict[str, Any]:
        """Look at the table."""
        return await self.client.get(self.table)

    async def play(self, enough: Callable[[], bool]) -> None:
        """Bet on round after round until `enough()`, see the last one settled, and leave."""
        while not enough():
            picture = await self.look()
            if self._may_bet(picture):
                await self.bet()
            else:
                await asyncio.sleep(LOOK_EVERY)
        await self._leave()

    def _may_bet(self, picture: dict[str, Any]) -> bool:
        round_ = picture["round"]
        if round_ is None:
            return True
        seats = [seat for seat in round_["seats"] if seat["you"]]
        return round_["phase"] == "betting" and [seat["status"] for seat in seats] == ["deciding"]

    async def bet(self) -> None:
        """Confirm a wager and note it, or be too late."""
        try:
            if self.wagers and self.chance.random() < 0.3:
                answer = await self.client.post(f"{self.table}/rebet-and-deal", {})
            else:
                answer = await self.client.post(f"{self.table}/deal", {"stakes": self._stakes(), "currency": CURRENCY})
        except ApiError as problem:
            if problem.code not in TOO_LATE:
                raise
            return
        (mine,) = [seat for seat in answer["round"]["seats"] if seat["you"]]
        number = answer["round"]["number"]
        assert number not in self.wagers
        self.wagers[number] = sum((Decimal(stake["amount"]) for stake in mine["wager"]), Decimal(0))

    def _stakes(self) -> list[dict[str, str]]:
        minimum = Decimal(self.rules["minimum"])
        spots = ["player", "banker", "tie"]
        self.chance.shuffle(spots)
        count = 1 if self.rules["spots_per_round"] == "one" else self.chance.choice((1, 2))
        return [{"spot": spot, "amount": str(minimum * self.chance.choice((1, 2, 3)))} for spot in spots[:count]]

    async def settled(self) -> None:
        """Wait until the last wager is settled."""
        while not self._is_settled(await self.look()):
            await asyncio.sleep(LOOK_EVERY)

    def _is_settled(self, picture: dict[str, Any]) -> bool:
        last = picture["last_round"]
        return last is not None and last["number"] >= max(self.wagers)

    async def _leave(self) -> None:
        """With a wager in play one leaves when it is settled."""
        while True:
            try:
                await self.client.post(f"{self.table}/leave", {})
            except ApiError as problem:
                if problem.code != "wager_in_play":
                    raise
                await asyncio.sleep(LOOK_EVERY)
            else:
                return


@dataclass(slots=True)
class Party:
    """All players of one test, at tables of their own."""

    players: list[Player]

    async def play(self, enough: Callable[[], bool]) -> None:
        """Let all play until `enough()`; it ends when every wager is settled and everybody has left."""
        async with asyncio.TaskGroup() as group:
            for player in self.players:
                group.create_task(player.play(enough))

    async def bet(self) -> None:
        """Everybody confirms a wager."""
        await asyncio.gather(*(player.bet() for player in self.players))

    async def settled(self) -> None:
        """Everybody's last wager is settled."""
        await asyncio.gather(*(player.settled() for player in self.players))

    async def leave(self) -> None:
        """Everybody leaves with the money."""
        await self.play(lambda: True)

    def wagers(self) -> int:
        """How many wagers were confirmed so far."""
        return sum(len(player.wagers) for player in self.players)

    def tables(self) -> set[str]:
        """The tables' ids."""
        return {player.table.rpartition("/")[2] for player in self.players}


@asynccontextmanager
async def party(system: System, settings: Sequence[Setting] = SETTINGS) -> AsyncGenerator[Party]:
    """Open tables and seat players with money, one in three with play money."""
    chance = Random()
    async with AsyncExitStack() as clients:
        operator = await clients.enter_async_context(Client(system.stack.base_url, system.credential))
        players = []
        for setting in settings:
            table = await open_table(operator, setting)
            for seat in range(1, setting.players + 1):
                money_type = "play" if seat % 3 == 0 else "real"
                token = await new_player(operator, f"{setting.preset}-{table[-12:]}-{seat}", money_type)
                system.credited[money_type] = system.credited.get(money_type, 0) + int(Decimal(CREDIT) * 100)
                client = await clients.enter_async_context(Client(system.stack.base_url, token))
                players.append(
                    Player(client, table=table, seat=seat, money_type=money_type, chance=Random(chance.random()))
                )
                await players[-1].sit()
        yield Party(players)


async def open_table(operator: Client, setting: Setting) -> str:
    """Open a table and return its path."""
    body = {
        "name": setting.preset,
        "preset": setting.preset,
        "currency": CURRENCY,
        "money_types": ["real", "play"],
        "accept_player_edge": True,
        "rules": setting.rules,
    }
    return f"/tables/{(await operator.post('/tables', body))['id']}"
