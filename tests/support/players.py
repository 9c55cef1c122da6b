"""Players that resend with the same key until they get an answer, and record every answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, Final

from casino.devstack.bots.client import ApiError, Client
from casino.devstack.bots.house import CREDIT, CURRENCY, PAYMENT_BOT_GAME, new_player
from tests.support.instant import INSTANT
from tests.support.whole_system import System

TOO_LATE: Final = {"betting_is_closed", "not_your_turn", "already_confirmed", "no_open_round", "nothing_to_rebet"}
"""Refusals of a bet that came too late because the service was down."""
TOO_EARLY: Final = {"witness_unavailable"}
"""Refusals of a bet while a part is away that has to be asked before the cards."""

BUY_IN: Final = Decimal(19_000)
"""Enough for two hours of the quickest play: only a wager in twenty is on the tie, which costs a seventh of itself."""
ATTEMPTS: Final = 600
"""Half a second apart: tests limit the time themselves."""
LOOK_EVERY: Final = 0.2
"""Seconds between two reads of the table."""


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
    """A seated player. `wagers` are those the service has confirmed: {round number: amount staked}."""

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
        """Read the table's state."""
        return await self.client.get(self.table)

    async def play(self, enough: Callable[[], bool]) -> None:
        """Bet in each round until `enough()`, wait for the last one to settle, and leave."""
        while not enough():
            state = await self.look()
            if self._may_bet(state):
                await self.bet()
            else:
                await asyncio.sleep(LOOK_EVERY)
        await self._leave()

    def _may_bet(self, state: dict[str, Any]) -> bool:
        round_ = state["round"]
        if round_ is None:
            return True
        seats = [seat for seat in round_["seats"] if seat["you"]]
        return round_["phase"] == "betting" and [seat["status"] for seat in seats] == ["deciding"]

    async def bet(self) -> None:
        """Confirm a wager and record it, unless it is refused as too late."""
        try:
            if self.wagers and self.chance.random() < 0.3:
                answer = await self.client.post(f"{self.table}/rebet-and-deal", {})
            else:
                answer = await self.client.post(f"{self.table}/deal", {"stakes": self._stakes(), "currency": CURRENCY})
        except ApiError as error:
            if error.code in TOO_EARLY:
                await asyncio.sleep(LOOK_EVERY)
            elif error.code not in TOO_LATE:
                raise
            return
        (own_seat,) = [seat for seat in answer["round"]["seats"] if seat["you"]]
        number = answer["round"]["number"]
        assert number not in self.wagers
        self.wagers[number] = sum((Decimal(stake["amount"]) for stake in own_seat["stakes"]), Decimal(0))

    def _stakes(self) -> list[dict[str, str]]:
        minimum = Decimal(self.rules["minimum"])
        spots = ["player", "banker"]
        self.chance.shuffle(spots)
        if self.chance.random() < 0.05:
            spots.insert(0, "tie")
        count = 1 if self.rules["spots_per_round"] == "one" else self.chance.choice((1, 2))
        return [{"spot": spot, "amount": str(minimum * self.chance.choice((1, 2, 3)))} for spot in spots[:count]]

    async def settled(self) -> None:
        """Wait until the last wager is settled."""
        while not self._is_settled(await self.look()):
            await asyncio.sleep(LOOK_EVERY)

    def _is_settled(self, state: dict[str, Any]) -> bool:
        last = state["last_round"]
        return last is not None and last["number"] >= max(self.wagers)

    async def _leave(self) -> None:
        """Leave the table, once the wager in play is settled."""
        while True:
            try:
                await self.client.post(f"{self.table}/leave", {})
            except ApiError as error:
                if error.code != "wager_in_play":
                    raise
                await asyncio.sleep(LOOK_EVERY)
            else:
                return


@dataclass(slots=True)
class Party:
    """All players of one test."""

    players: list[Player]

    async def play(self, enough: Callable[[], bool]) -> None:
        """Let all play until `enough()`, then wait until every wager is settled and everybody has left."""
        async with asyncio.TaskGroup() as group:
            for player in self.players:
                group.create_task(player.play(enough))

    async def play_during(self, happening: Coroutine[Any, Any, None]) -> None:
        """Let all play until that which happens is over."""
        over = asyncio.Event()

        async def happen() -> None:
            await happening
            over.set()

        async with asyncio.TaskGroup() as group:
            group.create_task(happen())
            group.create_task(self.play(over.is_set))

    async def bet(self) -> None:
        """Confirm a wager of every player."""
        await asyncio.gather(*(player.bet() for player in self.players))

    async def settled(self) -> None:
        """Wait until every player's last wager is settled."""
        await asyncio.gather(*(player.settled() for player in self.players))

    async def leave(self) -> None:
        """Let everybody leave."""
        await self.play(lambda: True)

    def wagers(self) -> int:
        """Return the number of wagers confirmed so far."""
        return sum(len(player.wagers) for player in self.players)

    def tables(self) -> set[str]:
        """Return the ids of the tables."""
        return {player.table.rpartition("/")[2] for player in self.players}


@asynccontextmanager
async def party(system: System, settings: Sequence[Setting] = SETTINGS) -> AsyncGenerator[Party]:
    """Open tables and seat players, one in three with play money."""
    chance = Random()
    async with AsyncExitStack() as clients:
        operator = await clients.enter_async_context(Client(system.stack.base_url, system.credential))
        players = []
        for setting in settings:
            table = await open_table(operator, setting)
            for seat in range(1, setting.players + 1):
                money_type = "play" if seat % 3 == 0 else "real"
                token = await new_player(
                    operator, f"{setting.preset}-{table[-12:]}-{seat}", money_type, PAYMENT_BOT_GAME
                )
                system.credited[money_type] = system.credited.get(money_type, 0) + int(Decimal(CREDIT) * 100)
                client = await clients.enter_async_context(Client(system.stack.base_url, token, attempts=ATTEMPTS))
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
        "rules": {**INSTANT, **setting.rules},
    }
    return f"/tables/{(await operator.post('/tables', body))['id']}"
