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
from casino.api.streaming.sse import OutgoingMessage
from casino.operators.principals import PlayerPrincipal

logger = logging.getLogger(__name__)

MAX_MISSED_EVENTS: Final = 1000
"""Maximum events replayed on reconnect; a snapshot is shorter than more of them."""


@dataclass(frozen=True, slots=True)
class StreamOpening:
    """The player, the watched table, whether the lobby is followed, the position to resume from (None: the start), and
    a recent snapshot.
    """

    player: PlayerPrincipal
    watched: UUID | None
    lobby: bool
    after: int | None
    snapshot: Snapshot


async def stream_messages(opening: StreamOpening, *, registry: StreamRegistry = REGISTRY) -> AsyncGenerator[bytes]:
    """Yield the stream's bytes until its session ends or its reader disconnects."""
    follower = LiveFollower(
        player=opening.player, watched=opening.watched, lobby=opening.lobby, set_topics=registry.hub.set_topics
    )
    entered = False
    try:
        yield sse.RETRY
        await registry.hub.acquire()
        entered = True
        follower.attach_task()
        registry.add(follower)
        yield await _first_message(opening, follower, registry)
        sender = _Sender(follower, registry)
        while (chunk := await sender.next()) is not None:
            yield chunk
    except Error as error:
        logger.warning("A stream ends and will be resumed, because the database does not answer: %s", error)
    finally:
        registry.remove(follower)
        if entered:
            registry.hub.release(follower)


async def _first_message(opening: StreamOpening, follower: LiveFollower, registry: StreamRegistry) -> bytes:
    """Return a snapshot, or fresh balances on reconnect: the mailbox has the missed events."""
    if opening.after is None:
        return _begin_with_snapshot(opening.snapshot, follower, registry)
    if await _can_resume(opening, opening.after, follower, registry.hub):
        registry.hub.add_follower(follower, after=opening.after)
        return sse.message("balances", opening.snapshot.message.balances)
    fresh = await run_in_thread(snapshot.take_snapshot, player=opening.player, watched=opening.watched)
    return sse.message("reset", {"code": "gap_too_long"}) + _begin_with_snapshot(fresh, follower, registry)


async def _can_resume(opening: StreamOpening, after: int, follower: LiveFollower, hub: Hub[LiveEvent]) -> bool:
    """Return whether the follower can resume: all missed events are kept, and not too many."""
    current = opening.snapshot
    if not current.fully_sealed or not await hub.wait_for_position(current.position) or not hub.has_since(after):
        return False
    missed = hub.messages_since(after)
    seated = seated_before(missed, player=opening.player.player, seated=current.seated, until=current.position)
    follower.start_from(position=after, seated=seated)
    return sum(not follower.topics.isdisjoint(each.topics) for each in missed) <= MAX_MISSED_EVENTS


def _begin_with_snapshot(current: Snapshot, follower: LiveFollower, registry: StreamRegistry) -> bytes:
    follower.start_from_snapshot(current)
    registry.hub.add_follower(follower, after=current.position)
    return sse.message("snapshot", current.message, id_=current.message.position)


class _Sender:
    """Encodes messages in chunks of bytes; takes a new snapshot when a message requires it."""

    __slots__ = ("_follower", "_messages", "_registry")

    def __init__(self, follower: LiveFollower, registry: StreamRegistry) -> None:
        self._follower = follower
        self._registry = registry
        self._messages: list[OutgoingMessage] = []

    async def next(self) -> bytes | None:
        """Wait for the next chunk; None at the end."""
        if not self._messages:
            self._messages = await self._follower.mailbox.take()
        if not self._messages:
            return None
        if self._messages[0].text is None:
            return await self._new_snapshot()
        texts = [message.text for message in takewhile(lambda message: message.text is not None, self._messages)]
        self._messages = self._messages[len(texts) :]
        return b"".join(text for text in texts if text is not None)

    async def _new_snapshot(self) -> bytes:
        """Send a snapshot, then the waiting messages that it does not include."""
        fresh = await run_in_thread(
            snapshot.take_snapshot, player=self._follower.player, watched=self._follower.watched
        )
        self._messages = [message for message in self._messages if not message.position]
        self._follower.mailbox.forget_positions()
        return _begin_with_snapshot(fresh, self._follower, self._registry)
