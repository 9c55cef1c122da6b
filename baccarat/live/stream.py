"""What one stream sends, from its first byte to its last."""

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import Error

from baccarat.live import snapshot
from baccarat.live.follower import LiveFollower, seated_before
from baccarat.live.happenings import Happening
from baccarat.live.house import HOUSE, LiveHouse
from baccarat.live.snapshot import Snapshot
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
    """This will yield the stream's bytes until its session ends or its reader goes."""
    follower = LiveFollower(player=opening.player, watched=opening.watched, refollow=house.hub.refollow)
    entered = False
    try:
        yield sse.RETRY
        await house.hub.enter()
        entered = True
        follower.begin()
        house.add(follower)
        yield await _first(opening, follower, house)
        sender = _Sender(follower)
        while (chunk := await sender.next()) is not None:
            if chunk:
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

    __slots__ = ("_drawn", "_follower", "_letters")

    def __init__(self, follower: LiveFollower) -> None:
        self._follower = follower
        self._letters: list[Letter] = []
        self._drawn = 0

    async def next(self) -> bytes | None:
        """This will wait for what comes next; None at the end. May be empty, where a snapshot shows it already."""
        if self._letters:
            return await self._draw()
        letters = await self._follower.mailbox.take()
        if not letters:
            return None
        texts, self._letters = _up_to_snapshot(letters, self._drawn)
        return b"".join(texts)

    async def _draw(self) -> bytes:
        """A snapshot, and what came after it."""
        fresh = await in_thread(snapshot.take, player=self._follower.player, watched=self._follower.watched)
        self._follower.settle_by(fresh)
        self._drawn = fresh.position
        texts, self._letters = _up_to_snapshot(self._letters[1:], self._drawn)
        return sse.message("snapshot", fresh.document, position=fresh.position) + b"".join(texts)


def _up_to_snapshot(letters: list[Letter], drawn: int) -> tuple[list[bytes], list[Letter]]:
    """The texts that come before the next snapshot, without those that the last one shows, and what is left."""
    texts: list[bytes] = []
    for place, letter in enumerate(letters):
        if letter.text is None and letter.position > drawn:
            return texts, letters[place:]
        if letter.text is not None and (letter.position > drawn or not letter.position):
            texts.append(letter.text)
    return texts, []
