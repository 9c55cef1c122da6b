"""A whole session of bots: every preset at once, until each has had its rounds and the long shoe its end."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Final

from casino.devstack.bots import house
from casino.devstack.bots.bot import Bot
from casino.devstack.bots.client import Client
from casino.devstack.bots.house import BotGame
from casino.devstack.bots.report import PresetTotals
from casino.devstack.bots.saver import PaymentBot, Tally
from casino.devstack.bots.watch import TableWatch, run_watch
from casino.kernel.money import MoneyType

STALL_TIMEOUT: Final = 60


class DealingStalled(Exception):
    """The service answers, but its rounds are not dealt."""


class BotSession:
    """The bots' session at one service. `progress(done, total)` is told how many rounds are settled, and may raise.

    Raises Stuck when nothing was settled for a minute, and whatever a bot or `progress` raises first.
    """

    def __init__(
        self,
        *,
        base_url: str,
        credential: str,
        games: Sequence[BotGame],
        payment_bots: int,
        seed: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.base_url = base_url
        self.credential = credential
        self.games = games
        self.payment_bots = payment_bots
        self.tally = Tally()
        self.rng = Random(seed)  # noqa: S311  (bots' tastes, no card depends on it)
        self.progress = progress
        self.total = sum(game.tables * game.rounds for game in games)
        self.watches: list[TableWatch] = []

    async def run(self) -> list[PresetTotals]:
        """Play and return one line per preset."""
        async with Client(self.base_url, self.credential) as operator:
            games = [self._game(operator, game) for game in self.games]
            playing = asyncio.gather(*games, self._payments(operator))
            ticking = asyncio.create_task(self._tick())
            try:
                await asyncio.wait((playing, ticking), return_when=asyncio.FIRST_COMPLETED)
                if ticking.done():
                    ticking.result()
                return [line for lines in await playing for line in lines if line.rounds]
            finally:
                playing.cancel()
                ticking.cancel()

    async def _tick(self) -> None:
        best, since = -1, time.monotonic()
        while True:
            settled = sum(watch.last_settled_round() for watch in self.watches)
            self.progress(min(self.total, settled), self.total)
            if settled > best:
                best, since = settled, time.monotonic()
            if time.monotonic() - since > STALL_TIMEOUT:
                raise DealingStalled(f"No round was settled for {STALL_TIMEOUT} seconds; {settled} were before.")
            await asyncio.sleep(0.2)

    async def _game(self, operator: Client, game: BotGame) -> list[PresetTotals]:
        started = time.monotonic()
        lines = [
            PresetTotals(preset=game.preset, money_type=money_type, currency=house.CURRENCY) for money_type in MoneyType
        ]
        played = await asyncio.gather(*(self._table(operator, game, number) for number in range(1, game.tables + 1)))
        seconds = time.monotonic() - started
        rounds = [round_ for table in played for round_ in await operator.pages(f"/tables/{table}/rounds")]
        for line in lines:
            line.seconds = seconds
            for round_ in rounds:
                line.add(round_)
        return lines

    async def _payments(self, operator: Client) -> list[PresetTotals]:
        """Savers' rounds are on their own tables, and their lines nobody's: what they did is in `tally`."""
        if not self.payment_bots:
            return []
        method = await house.open_method(operator)
        tables = [
            await house.open_table(operator, house.PAYMENT_BOT_GAME, number)
            for number in range(1, self.payment_bots + 1)
        ]
        savers = [
            PaymentBot(operator, base_url=self.base_url, table=str(table["id"]), method=method, currency=house.CURRENCY)
            for table in tables
        ]
        for done in await asyncio.gather(*(saver.run() for saver in savers)):
            self.tally.add(done)
        return []

    async def _table(self, operator: Client, game: BotGame, number: int) -> str:
        table = str((await house.open_table(operator, game, number))["id"])
        async with AsyncExitStack() as clients:
            seats = range(1, game.players + 1)
            players = [
                await self._player(operator, clients, f"{game.preset}-{table[-8:]}-{seat}", seat) for seat in seats
            ]
            watch = TableWatch(players[0], table)
            self.watches.append(watch)
            async with run_watch(watch):
                bots = [self._bot(player, watch, seat) for seat, player in zip(seats, players, strict=True)]
                for bot in bots:
                    await bot.sit()
                _let_sleep(bots, game)
                await asyncio.gather(*(bot.play(lambda: _enough(watch, game)) for bot in bots))
        return table

    async def _player(self, operator: Client, clients: AsyncExitStack, reference: str, seat: int) -> Client:
        token = await house.new_player(operator, reference, _book(seat))
        return await clients.enter_async_context(Client(self.base_url, token))

    def _bot(self, client: Client, watch: TableWatch, seat: int) -> Bot:
        chance = Random(self.rng.random())  # noqa: S311
        return Bot(client, watch, seat=seat, money_type=_book(seat), rng=chance)


def _book(seat: int) -> str:
    return "play" if seat % 3 == 0 else "real"


def _enough(watch: TableWatch, game: BotGame) -> bool:
    if game.whole_shoe and not watch.shoes_ended():
        return False
    return watch.last_settled_round() >= game.rounds


def _let_sleep(bots: Sequence[Bot], game: BotGame) -> None:
    """One bot says nothing in a few rounds, so that its turn runs out."""
    if len(bots) > 1:
        bots[-1].timeout_rounds = {5 + 7 * nap for nap in range(game.timeouts)}
