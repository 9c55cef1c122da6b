"""What one stream sends, from its first byte to its last."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
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

KEEP_ALIVE: Final = 15.0
"""Seconds of silence after which a comment says that the stream is alive."""

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
        async with aclosing(_rest(follower, house)) as rest:
            async for chunk in rest:
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


async def _rest(follower: LiveFollower, house: LiveHouse) -> AsyncGenerator[bytes]:
    drawn = 0
    while True:
        letters = await follower.mailbox.take(KEEP_ALIVE)
        if not letters:
            if follower.mailbox.closed:
                return
            yield sse.keep_alive(max(house.hub.position, drawn))
        while letters:
            texts, letters = _up_to_snapshot(letters, drawn)
            if texts:
                yield b"".join(texts)
            if letters:
                fresh = await in_thread(snapshot.take, player=follower.player, watched=follower.watched)
                follower.settle_by(fresh)
                drawn, letters = fresh.position, letters[1:]
                yield sse.message("snapshot", fresh.document, position=drawn)


def _up_to_snapshot(letters: list[Letter], drawn: int) -> tuple[list[bytes], list[Letter]]:
    """The texts that come before the next snapshot, without those that the last one shows, and what is left."""
    texts: list[bytes] = []
    for place, letter in enumerate(letters):
        if letter.text is None and letter.position > drawn:
            return texts, letters[place:]
        if letter.text is not None and (letter.position > drawn or not letter.position):
            texts.append(letter.text)
    return texts, []
