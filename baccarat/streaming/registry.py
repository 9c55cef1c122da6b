"""Keeps the open streams of this process: refreshes balances, and ends streams whose session ended."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Final

from django.db import Error

from baccarat.streaming import snapshot
from baccarat.streaming.follower import FAILURE_CODE, LiveFollower
from baccarat.streaming.notifications import LiveEvent, LiveEventBuilder
from casino.api.streaming import sse
from casino.api.streaming.hub import Hub, run_in_thread
from casino.operators import sessions

logger = logging.getLogger(__name__)

SESSION_CHECK_SECONDS: Final = 1.0
"""Seconds between checks of the sessions of all open streams."""

KEEP_ALIVE: Final = 14.0
"""Idle seconds after which the next check sends a keep-alive comment."""

MAX_STREAMS_PER_PLAYER: Final = 6
"""Maximum open streams of one player in this process; one more ends the oldest."""

TOO_MANY_STREAMS: Final = "too_many_streams"
_CODES_OF_SESSIONS: Final = {
    sessions.ENDED: "session_ended",
    sessions.EXPIRED: "token_expired",
    sessions.BANNED: "session_ended_by_ban",
    sessions.TAKEN_OVER: "session_taken_over",
    sessions.TIMED_OUT: "session_timed_out",
}
END_CODES: Final = sorted({*_CODES_OF_SESSIONS.values(), TOO_MANY_STREAMS, FAILURE_CODE})
"""The reasons that streams end with."""


class StreamRegistry:
    """Owns the hub, and the tasks that run while streams are open."""

    def __init__(self) -> None:
        self.hub: Hub[LiveEvent] = Hub(prepare=LiveEventBuilder().build, on_delivered=self._delivered)
        self._of_player: dict[str, list[LiveFollower]] = {}
        self._players_to_update: set[str] = set()
        self._updating: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None

    def add(self, follower: LiveFollower) -> None:
        """Add a stream; end the player's oldest one if there are too many."""
        own = self._of_player.setdefault(follower.name, [])
        own.append(follower)
        if len(own) > MAX_STREAMS_PER_PLAYER:
            own.pop(0).end(TOO_MANY_STREAMS)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    def remove(self, follower: LiveFollower) -> None:
        own = self._of_player.get(follower.name, [])
        if follower in own:
            own.remove(follower)
        if not own:
            self._of_player.pop(follower.name, None)

    def open_streams(self) -> list[LiveFollower]:
        return [each for own in self._of_player.values() for each in own]

    def _delivered(self, events: Sequence[LiveEvent]) -> None:
        self._players_to_update.update(player for each in events if each.moves_money for player in each.players)
        if self._players_to_update and (self._updating is None or self._updating.done()):
            self._updating = asyncio.create_task(self._send_balances())

    async def _send_balances(self) -> None:
        """Send balances to all players whose money moved since the last call."""
        while self._players_to_update:
            players, self._players_to_update = self._players_to_update, set()
            streams = [each for player in players for each in self._of_player.get(player, ())]
            if not streams:
                continue
            try:
                balances = await run_in_thread(snapshot.load_balances, players=[each.player for each in streams])
            except Error as error:
                logger.warning("Balances could not be read, so their streams restart: %s", error)
                for each in streams:
                    each.fail()
                return
            messages = {player: sse.message("balances", own) for player, own in balances.items()}
            for each in streams:
                each.send(messages[each.player.player])

    async def _watch(self) -> None:
        while streams := self.open_streams():
            self._keep_alive(streams)
            try:
                statuses = await run_in_thread(
                    sessions.touch_sessions, token_hashes=list({each.player.session for each in streams})
                )
            except Error as error:
                logger.warning("Sessions of open streams could not be checked: %s", error)
            else:
                _end_expired(streams, statuses)
            await asyncio.sleep(SESSION_CHECK_SECONDS)

    def _keep_alive(self, streams: Sequence[LiveFollower]) -> None:
        silent_since = asyncio.get_running_loop().time() - KEEP_ALIVE
        for each in streams:
            if each.topics and each.mailbox.taken_at < silent_since:
                each.keep_alive(max(self.hub.position, each.position))


def _end_expired(streams: Sequence[LiveFollower], statuses: Mapping[bytes, str]) -> None:
    for each in streams:
        ended = statuses.get(each.player.session, sessions.ENDED)
        if ended:
            each.end(_CODES_OF_SESSIONS[ended])


REGISTRY: Final = StreamRegistry()
