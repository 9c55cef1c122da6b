"""A bot that deposits and withdraws by payments, reaches a limit, disconnects during a round and comes back."""

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
"""Rounds before the connection is lost in the next one."""
ABSENCE: Final = 1.5
"""Seconds without connection."""


class StateLost(Exception):
    """The service lost or ignored part of a player's state."""


@dataclass(slots=True)
class Tally:
    """Counts of what payment bots did."""

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
    """A session with its live stream, whose messages cause conditions to be checked again."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.position = ""
        self._message = asyncio.Event()

    async def listen(self) -> None:
        """Listen until cancelled, or raise the ApiError that ends the stream."""
        async for message in self.client.stream():
            self.position = message.position
            self._message.set()
            self._message = asyncio.Event()

    async def wait_until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        """Check the condition now and after each message until it holds."""
        while True:
            message = self._message
            if await condition():
                return
            await message.wait()


class PaymentBot:
    """One player at one single-seat table. `method` is a deposit method that also pays out."""

    def __init__(self, operator: Client, *, base_url: str, table: str, method: str, currency: str) -> None:
        self.operator = operator
        self.base_url = base_url
        self.table = f"/tables/{table}"
        self.reference = f"payment-bot-{table[-12:]}"
        self.method = method
        self.currency = currency
        self.tally = Tally()

    async def run(self) -> Tally:
        """Play the whole scenario, and return the counts. Raises StateLost, ApiError."""
        player = await self.operator.post("/players", {"reference": self.reference, "nickname": self.reference})
        async with self._connected(player["id"]) as connection:
            await self._deposit(
                connection, "me/deposits", method=self.method, amount=DELAYED_AMOUNT, currency=self.currency
            )
            seat = {"seat": 1, "buy_in": "50.00", "currency": self.currency, "money_type": "real"}
            await connection.client.sit(self.table, seat)
            for _ in range(ROUNDS):
                await self._wait_until_settled(connection, await self._bet(connection))
            await self._deposit(connection, "me/deposits/quick")
            await connection.client.post(f"{self.table}/rebuy", {"amount": "100.00", "currency": self.currency})
            self.tally.rebuys += 1
            round_id, position = await self._bet(connection), connection.position
        await asyncio.sleep(ABSENCE)
        async with self._connected(player["id"]) as connection:
            await self._restore(connection, round_id=round_id, position=position)
            await self._play_to_the_limit(connection)
            await connection.client.post(f"{self.table}/leave")
            await self._withdraw(connection)
        return self.tally

    @contextlib.asynccontextmanager
    async def _connected(self, player: str) -> AsyncGenerator[Connection]:
        """Open a session; its connection is cut at the end of the block, without logging out."""
        token = (await self.operator.post(f"/players/{player}/sessions", {}))["token"]
        async with Client(self.base_url, str(token)) as client, asyncio.TaskGroup() as group:
            connection = Connection(client)
            listening = group.create_task(connection.listen())
            yield connection
            listening.cancel()

    async def _deposit(self, connection: Connection, path: str, **body: Any) -> None:
        payment = await connection.client.post(f"/{path}", body)
        await self._wait_for_status(connection, f"/me/deposits/{payment['id']}", "completed")
        self.tally.deposits += 1

    async def _withdraw(self, connection: Connection) -> None:
        body = {"method": self.method, "amount": "20.00", "currency": self.currency}
        payment = await connection.client.post("/me/withdrawals", body)
        await self._wait_for_status(connection, f"/me/withdrawals/{payment['id']}", "paid")
        self.tally.withdrawals += 1

    async def _wait_for_status(self, connection: Connection, path: str, status: str) -> None:
        async def condition() -> bool:
            return bool((await connection.client.get(path))["status"] == status)

        await connection.wait_until(condition)

    async def _bet(self, connection: Connection) -> str:
        body = {"stakes": [{"spot": "banker", "amount": STAKE}], "currency": self.currency}
        return str((await connection.client.post(f"{self.table}/deal", body))["round"]["id"])

    async def _wait_until_settled(self, connection: Connection, round_id: str) -> None:
        async def condition() -> bool:
            return bool((await connection.client.get(f"/rounds/{round_id}"))["phase"] == "settled")

        await connection.wait_until(condition)

    async def _restore(self, connection: Connection, *, round_id: str, position: str) -> None:
        """Check that the table, the seat and the result of the round dealt meanwhile are found again."""
        recovery = await connection.client.get("/recovery", after=position)
        if [f"/tables/{table['id']}" for table in recovery["tables"]] != [self.table]:
            raise StateLost(f"{self.reference} does not find the table again.")
        await self._wait_until_settled(connection, round_id)
        self.tally.recoveries += 1

    async def _play_to_the_limit(self, connection: Connection) -> None:
        """Set a limit that allows one more stake, and check that the second one is refused."""
        body = {"limit_type": "stake", "period": "day", "amount": f"{10 * (ROUNDS + 2)}.00", "currency": self.currency}
        await connection.client.post("/me/limits", body)
        await self._wait_until_settled(connection, await self._bet(connection))
        try:
            await self._bet(connection)
        except ApiError as error:
            if error.code != "play_limit_reached":
                raise
            self.tally.limits_hit += 1
        else:
            raise StateLost(f"{self.reference} staked more than the limit allows.")
