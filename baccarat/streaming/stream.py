"""Generates the content of one stream."""

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final
from uuid import UUID

from django.db import Error

from baccarat.streaming import snapshot
from baccarat.streaming.follower import LiveFollower, seated_before
from baccarat.streaming.notifications import LiveEvent
from baccarat.streaming.registry import REGISTRY, StreamRegistry
from baccarat.streaming.snapshot import Snapshot
from casino.api.streaming import sse
from casino.api.streaming.hub import Hub, run_in_thread
from casino.api.streaming.mailbox import OutgoingMessage
from casino.operators.principals import PlayerPrincipal

logger = logging.getLogger(__name__)

MAX_MISSED_EVENTS: Final = 1000
"""Maximum events replayed on reconnect; a snapshot is shorter than more of them."""


@dataclass(frozen=True, slots=True)
class StreamOpening:
    """Who opens a stream, where it resumes (None: from the start), and the state a moment ago."""

    player: PlayerPrincipal
    watched: UUID | None
    after: int | None
    snapshot: Snapshot


async def stream_messages(opening: StreamOpening, *, registry: StreamRegistry = REGISTRY) -> AsyncGenerator[bytes]:
    """Yield the stream's bytes until its session ends or its reader disconnects."""
    follower = LiveFollower(player=opening.player, watched=opening.watched, refollow=registry.hub.set_topics)
    entered = False
    try:
        yield sse.RETRY
        await registry.hub.acquire()
        entered = True
        follower.attach_task()
        registry.add(follower)
        yield await _first(opening, follower, registry)
        sender = _Sender(follower, registry)
        while (chunk := await sender.next()) is not None:
            yield chunk
    except Error as error:
        logger.warning("A stream ends and will be resumed, the database does not answer: %s", error)
    finally:
        registry.remove(follower)
        if entered:
            registry.hub.release(follower)


async def _first(opening: StreamOpening, follower: LiveFollower, house: StreamRegistry) -> bytes:
    """Return a snapshot, or fresh balances on reconnect: the mailbox has the missed events."""
    if opening.after is None:
        return _begin(opening.snapshot, follower, house)
    if await _resumes(opening, opening.after, follower, house.hub):
        house.hub.add_follower(follower, after=opening.after)
        return sse.message("balances", opening.snapshot.message.balances)
    fresh = await run_in_thread(snapshot.take_snapshot, player=opening.player, watched=opening.watched)
    return sse.message("reset", {"code": "gap_too_long"}) + _begin(fresh, follower, house)


async def _resumes(opening: StreamOpening, after: int, follower: LiveFollower, hub: Hub[LiveEvent]) -> bool:
    """Return whether the follower can resume: all missed events are kept, and not too many."""
    now = opening.snapshot
    if not now.fully_sealed or not await hub.wait_for_position(now.position) or not hub.has_since(after):
        return False
    missed = hub.messages_since(after)
    seated = seated_before(missed, player=opening.player.player, seated=now.seated, until=now.position)
    follower.start_from(position=after, seated=seated)
    return sum(not follower.topics.isdisjoint(each.topics) for each in missed) <= MAX_MISSED_EVENTS


def _begin(now: Snapshot, follower: LiveFollower, house: StreamRegistry) -> bytes:
    follower.start_from_snapshot(now)
    house.hub.add_follower(follower, after=now.position)
    return sse.message("snapshot", now.message, position=now.position)


class _Sender:
    """Encodes messages in chunks of bytes; takes a new snapshot when a message requires it."""

    __slots__ = ("_follower", "_house", "_letters")

    def __init__(self, follower: LiveFollower, house: StreamRegistry) -> None:
        self._follower = follower
        self._house = house
        self._letters: list[OutgoingMessage] = []

    async def next(self) -> bytes | None:
        """Wait for the next chunk; None at the end."""
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
        """Send a snapshot, then the waiting messages that it does not include."""
        fresh = await run_in_thread(
            snapshot.take_snapshot, player=self._follower.player, watched=self._follower.watched
        )
        self._letters = [letter for letter in self._letters if not letter.position]
        self._follower.mailbox.forget_positions()
        return _begin(fresh, self._follower, self._house)
