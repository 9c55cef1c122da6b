"""A process killed in the middle of a round: wagers are confirmed, and the cards are not out."""

import asyncio
from collections.abc import Callable
from typing import Final

from tests.support.books import WAITING, agree
from tests.support.players import Player, Setting, party
from tests.support.whole_system import System, until

TABLE: Final = Setting("atlantic_city", players=2, rules={"turn_seconds": 600})
LIMIT: Final = 180
"""Seconds, on a very slow machine."""


async def kill_in_a_round(system: System, kill: Callable[[System], None]) -> float:
    """Kill when one of two players has confirmed a wager; return the seconds until both are settled and sealed."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(LIMIT), system.watched(), party(system, [TABLE]) as company:
        ann, ben = company.players
        await _in_one_round([ann, ben])
        await ann.bet()
        struck = loop.time()
        kill(system)
        await ben.bet()
        await company.settled()
        await until(lambda: system.query(WAITING) == [(0,)])
        took = loop.time() - struck
        assert max(ann.wagers) == max(ben.wagers), "they were not in one round"
        await company.leave()
        await agree(system, company)
    return took


async def _in_one_round(players: list[Player]) -> None:
    """Play the round that opened for the first player alone, and wait for the one that opens for all."""
    await players[0].bet()
    await players[0].settled()
    while len(((await players[0].look())["round"] or {"seats": ()})["seats"]) < len(players):
        await asyncio.sleep(0.1)
