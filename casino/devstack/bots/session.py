"""A session of bots at tables of every preset, until each has had its rounds and the long shoe has ended."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Final

from casino.devstack.bots import house
from casino.devstack.bots.bot import Bot
from casino.devstack.bots.client import Client, TableWatch, run_watch
from casino.devstack.bots.house import BotGame
from casino.devstack.bots.payment_bot import PaymentBot, Tally
from casino.devstack.bots.report import PresetTotals
from casino.devstack.operator.running import OwnWallet
from casino.kernel.money import MoneyType
from wallet.funding.events import Funding

STALL_TIMEOUT: Final = 60


class DealingStalled(Exception):
    """The service answers, but does not deal its rounds."""


class BotSession:
    """The bots' session at one service, of one operator for each funding, whose keys `credentials` are.

    `progress(done, total)` is called with the number of settled rounds.

    Raises DealingStalled if no round is settled for a minute, and any error of a bot or of `progress`.
    """

    def __init__(
        self,
        *,
        base_url: str,
        credentials: Mapping[Funding, str],
        wallet: OwnWallet,
        games: Sequence[BotGame],
        payment_bots: int,
        seed: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.base_url = base_url
        self.credentials = credentials
        self.wallet = wallet
        self.games = games
        self.payment_bots = payment_bots
        self.tally = Tally()
        self.rng = Random(seed)  # noqa: S311  (the bots' choices; no card depends on it)
        self.progress = progress
        self.total = sum(game.tables * game.rounds for game in games)
        self.watches: list[TableWatch] = []

    async def run(self) -> list[PresetTotals]:
        """Play and return one line for each preset, currency and money type."""
        async with AsyncExitStack() as clients:
            operators = {
                funding: await clients.enter_async_context(Client(self.base_url, credential))
                for funding, credential in self.credentials.items()
            }
            await operators[Funding.TRANSFER].post("/operator/funding", {"funding": Funding.TRANSFER.value})
            games = [self._game(operators[game.funding], game) for game in self.games]
            games_task = asyncio.gather(*games, self._payments(operators[Funding.HOUSE]))
            progress_task = asyncio.create_task(self._watch_progress())
            try:
                await asyncio.wait((games_task, progress_task), return_when=asyncio.FIRST_COMPLETED)
                if progress_task.done():
                    progress_task.result()
                return [line for lines in await games_task for line in lines if line.rounds]
            finally:
                games_task.cancel()
                progress_task.cancel()

    async def _watch_progress(self) -> None:
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
        lines = [PresetTotals(game.preset, money_type, game.currency, game.funding) for money_type in MoneyType]
        played = await asyncio.gather(*(self._table(operator, game, number) for number in range(1, game.tables + 1)))
        seconds = time.monotonic() - started
        rounds = [round_ for table in played for round_ in await operator.pages(f"/tables/{table}/rounds")]
        for line in lines:
            line.seconds = seconds
            for round_ in rounds:
                line.add(round_)
        return lines

    async def _payments(self, operator: Client) -> list[PresetTotals]:
        """Run the payment bots at their own tables; `tally` counts what they do; the presets omit them."""
        if not self.payment_bots:
            return []
        method = await house.open_method(operator)
        tables = [
            await house.open_table(operator, house.PAYMENT_BOT_GAME, number)
            for number in range(1, self.payment_bots + 1)
        ]
        bots = [
            PaymentBot(operator, base_url=self.base_url, table=str(table["id"]), method=method, currency=house.CURRENCY)
            for table in tables
        ]
        for tally in await asyncio.gather(*(bot.run() for bot in bots)):
            self.tally.add(tally)
        return []

    async def _table(self, operator: Client, game: BotGame, number: int) -> str:
        table = str((await house.open_table(operator, game, number))["id"])
        async with AsyncExitStack() as clients:
            seats = range(1, game.players + 1)
            players = [
                await self._player(operator, clients, f"{game.preset}-{table[-8:]}-{seat}", seat, game)
                for seat in seats
            ]
            watch = TableWatch(players[0], table)
            self.watches.append(watch)
            async with run_watch(watch):
                bots = [self._bot(player, watch, seat) for seat, player in zip(seats, players, strict=True)]
                for bot in bots:
                    await bot.sit()
                _plan_timeouts(bots, game)
                await asyncio.gather(*(bot.play(lambda: _is_finished(watch, game)) for bot in bots))
        return table

    async def _player(
        self, operator: Client, clients: AsyncExitStack, reference: str, seat: int, game: BotGame
    ) -> Client:
        token = await house.new_player(operator, reference, _money_type(seat), game, self.wallet)
        return await clients.enter_async_context(Client(self.base_url, token))

    def _bot(self, client: Client, watch: TableWatch, seat: int) -> Bot:
        rng = Random(self.rng.random())  # noqa: S311
        return Bot(client, watch, seat=seat, money_type=_money_type(seat), rng=rng)


def _money_type(seat: int) -> str:
    return "play" if seat % 3 == 0 else "real"


def _is_finished(watch: TableWatch, game: BotGame) -> bool:
    if game.whole_shoe and not watch.shoes_ended():
        return False
    return watch.last_settled_round() >= game.rounds


def _plan_timeouts(bots: Sequence[Bot], game: BotGame) -> None:
    """Let one bot miss its turn in a few rounds."""
    if len(bots) > 1:
        bots[-1].timeout_rounds = {5 + 7 * index for index in range(game.timeouts)}
