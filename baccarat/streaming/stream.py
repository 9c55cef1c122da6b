"""What one stream sends, from its first byte to its last."""

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final
from uuid import UUID

from django.db import Error

from baccarat.streaming import snapshot
from baccarat.streaming.follower import LiveFollower, seated_before
from baccarat.streaming.notifications import Happening
from baccarat.streaming.registry import HOUSE, LiveHouse
from baccarat.streaming.snapshot import Snapshot
from casino.api.streaming import sse
from casino.api.streaming.hub import Hub, in_thread
from casino.api.streaming.mailbox import Letter
from casino.operators.principals import PlayerPrincipal

logger = logging.getLogger(__name__)

MOST_MISSED: Final = 1000
"""Events that one who comes back is told one by one; after more of them a snapshot is less to read."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Who opens a stream, where it resumes (None: at the beginning), and how everything stood a moment ago."""

    player: PlayerPrincipal
    watched: UUID | None
    after: int | None
    now: Snapshot


async def messages(opening: Opening, *, house: LiveHouse = HOUSE) -> AsyncGenerator[bytes]:
    """Yield the stream's bytes until its session ends or its reader goes."""
    follower = LiveFollower(player=opening.player, watched=opening.watched, refollow=house.hub.refollow)
    entered = False
    try:
        yield sse.RETRY
        await house.hub.enter()
        entered = True
        follower.begin()
        house.add(follower)
        yield await _first(opening, follower, house)
        sender = _Sender(follower, house)
        while (chunk := await sender.next()) is not None:
            yield chunk
    except Error as trouble:
        logger.warning("A stream ends and will be resumed, the database does not answer: %s", trouble)
    finally:
        house.remove(follower)
        if entered:
            house.hub.leave(follower)


async def _first(opening: Opening, follower: LiveFollower, house: LiveHouse) -> bytes:
    """A snapshot, or for one who comes back fresh balances: what was missed follows from the mailbox."""
    if opening.after is None:
        return _begin(opening.now, follower, house)
    if await _resumes(opening, opening.after, follower, house.hub):
        house.hub.join(follower, after=opening.after)
        return sse.message("wallet", opening.now.document["wallet"])
    fresh = await in_thread(snapshot.take, player=opening.player, watched=opening.watched)
    return sse.message("reset", {"code": "gap_too_long"}) + _begin(fresh, follower, house)


async def _resumes(opening: Opening, after: int, follower: LiveFollower, hub: Hub[Happening]) -> bool:
    """Whether the follower can go on where it was: all that it missed is kept, and not too much of it."""
    now = opening.now
    if not now.settled or not await hub.reach(now.position) or not hub.keeps(after):
        return False
    missed = hub.since(after)
    seated = seated_before(missed, player=opening.player.player, seated=now.seated, until=now.position)
    follower.settle(position=after, seated=seated)
    return sum(not follower.topics.isdisjoint(each.topics) for each in missed) <= MOST_MISSED


def _begin(now: Snapshot, follower: LiveFollower, house: LiveHouse) -> bytes:
    follower.settle_by(now)
    house.hub.join(follower, after=now.position)
    return sse.message("snapshot", now.document, position=now.position)


class _Sender:
    """Turns letters into chunks of bytes. Where a letter asks for it, everything is drawn anew in between."""

    __slots__ = ("_follower", "_house", "_letters")

    def __init__(self, follower: LiveFollower, house: LiveHouse) -> None:
        self._follower = follower
        self._house = house
        self._letters: list[Letter] = []

    async def next(self) -> bytes | None:
        """Wait for what comes next; None at the end."""
        if not self._letters:
            self._letters = await self._follower.mailbox.take()
        if not self._letters:
            return None
        if self._letters[0].text is None:
            return await self._draw()
        texts = [letter.text for letter in takewhile(lambda letter: letter.text is not None, self._letters)]
        self._letters = self._letters[len(texts) :]
        return b"".join(text for text in texts if text is not None)

    async def _draw(self) -> bytes:
        """A snapshot. What waited is told again from its position on, as far as it does not show it."""
        fresh = await in_thread(snapshot.take, player=self._follower.player, watched=self._follower.watched)
        self._letters = [letter for letter in self._letters if not letter.position]
        self._follower.mailbox.forget_positions()
        return _begin(fresh, self._follower, self._house)
