"""A player whose money comes and goes by payments, who keeps limits, drops out in mid-round and comes back."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from casino.devstack.bots.client import ApiError, Client

DELAYED_AMOUNT: Final = "150.12"
"""The sandbox provider completes amounts that end in .12 after three seconds."""
STAKE: Final = "10.00"
ROUNDS: Final = 3
"""Before the connection is lost in the next one."""
ABSENCE: Final = 1.5
"""Seconds for which the connection is gone."""


class StateLost(Exception):
    """The service forgot something of a player's."""


@dataclass(slots=True)
class Tally:
    """What savers did, added up."""

    deposits: int = 0
    rebuys: int = 0
    limits_hit: int = 0
    recoveries: int = 0
    withdrawals: int = 0

    def add(self, other: "Tally") -> None:
        self.deposits += other.deposits
        self.rebuys += other.rebuys
        self.limits_hit += other.limits_hit
        self.recoveries += other.recoveries
        self.withdrawals += other.withdrawals


class Connection:
    """A session with its live stream: `until(look)` looks again whenever the stream says something."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.position = ""
        self._news = asyncio.Event()

    async def listen(self) -> None:
        """Listen until it is cancelled, or raise the Problem that ends the stream."""
        async for message in self.client.stream():
            self.position = message.position
            self._news.set()
            self._news = asyncio.Event()

    async def wait_until(self, look: Callable[[], Awaitable[bool]]) -> None:
        """Look, and again after each message, until it holds."""
        while True:
            news = self._news
            if await look():
                return
            await news.wait()


class PaymentBot:
    """One player at one single-seat table. `method` is a deposit method that also pays out."""

    def __init__(self, operator: Client, *, base_url: str, table: str, method: str, currency: str) -> None:
        self.operator = operator
        self.base_url = base_url
        self.table = f"/tables/{table}"
        self.reference = f"saver-{table[-12:]}"
        self.method = method
        self.currency = currency
        self.tally = Tally()

    async def run(self) -> Tally:
        """Go through it all, and return what was done. Raises Lost, Problem."""
        player = await self.operator.post("/players", {"reference": self.reference, "nickname": self.reference})
        async with self._connected(player["id"]) as here:
            await self._deposit(here, "me/deposits", method=self.method, amount=DELAYED_AMOUNT, currency=self.currency)
            seat = {"seat": 1, "buy_in": "50.00", "currency": self.currency, "money_type": "real"}
            await here.client.post(f"{self.table}/seat", seat)
            for _ in range(ROUNDS):
                await self._settled(here, await self._bet(here))
            await self._deposit(here, "me/deposits/quick")
            await here.client.post(f"{self.table}/rebuy", {"amount": "100.00", "currency": self.currency})
            self.tally.rebuys += 1
            left_in, seen = await self._bet(here), here.position
        await asyncio.sleep(ABSENCE)
        async with self._connected(player["id"]) as here:
            await self._restore(here, round_=left_in, seen=seen)
            await self._play_to_the_limit(here)
            await here.client.post(f"{self.table}/leave")
            await self._withdraw(here)
        return self.tally

    @contextlib.asynccontextmanager
    async def _connected(self, player: str) -> AsyncGenerator[Connection]:
        """A new session; at the end of the block the line is cut, without a word."""
        token = (await self.operator.post(f"/players/{player}/sessions", {}))["token"]
        async with Client(self.base_url, str(token)) as client, asyncio.TaskGroup() as group:
            here = Connection(client)
            listening = group.create_task(here.listen())
            yield here
            listening.cancel()

    async def _deposit(self, here: Connection, path: str, **body: Any) -> None:
        made = await here.client.post(f"/{path}", body)
        await self._paid(here, f"/me/deposits/{made['id']}", "completed")
        self.tally.deposits += 1

    async def _withdraw(self, here: Connection) -> None:
        body = {"method": self.method, "amount": "20.00", "currency": self.currency}
        made = await here.client.post("/me/withdrawals", body)
        await self._paid(here, f"/me/withdrawals/{made['id']}", "paid")
        self.tally.withdrawals += 1

    async def _paid(self, here: Connection, path: str, wanted: str) -> None:
        async def look() -> bool:
            return bool((await here.client.get(path))["status"] == wanted)

        await here.wait_until(look)

    async def _bet(self, here: Connection) -> str:
        body = {"stakes": [{"spot": "banker", "amount": STAKE}], "currency": self.currency}
        return str((await here.client.post(f"{self.table}/deal", body))["round"]["id"])

    async def _settled(self, here: Connection, round_: str) -> None:
        async def look() -> bool:
            return bool((await here.client.get(f"/rounds/{round_}"))["phase"] == "settled")

        await here.wait_until(look)

    async def _restore(self, here: Connection, *, round_: str, seen: str) -> None:
        """The wager was dealt without its player, who finds the table, the seat and the result again."""
        found = await here.client.get("/recovery", after=seen)
        if [f"/tables/{table['id']}" for table in found["tables"]] != [self.table]:
            raise StateLost(f"{self.reference} does not find the table again.")
        await self._settled(here, round_)
        self.tally.recoveries += 1

    async def _play_to_the_limit(self, here: Connection) -> None:
        """One more stake is allowed by the limit, and no second one."""
        body = {"limit_type": "stake", "period": "day", "amount": f"{10 * (ROUNDS + 2)}.00", "currency": self.currency}
        await here.client.post("/me/limits", body)
        await self._settled(here, await self._bet(here))
        try:
            await self._bet(here)
        except ApiError as problem:
            if problem.code != "play_limit_reached":
                raise
            self.tally.limits_hit += 1
        else:
            raise StateLost(f"{self.reference} staked more than the limit allows.")
