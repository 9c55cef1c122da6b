"""Fills the mailbox of one player's stream. Use from the event loop only."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final
from uuid import UUID

from baccarat.streaming.notifications import SEAT_TAKEN, SEAT_VACATED, LiveEvent, player_topic, table_topic
from baccarat.streaming.snapshot import Snapshot
from casino.api.streaming import sse
from casino.api.streaming.mailbox import Mailbox, OutgoingMessage
from casino.operators.principals import PlayerPrincipal

FAILURE_CODE: Final = "internal_error"


class LiveFollower:
    """Follows the tables where its player sits, one watched table, and the player's own topic."""

    def __init__(
        self,
        *,
        player: PlayerPrincipal,
        watched: UUID | None,
        refollow: Callable[["LiveFollower", frozenset[str]], None],
    ) -> None:
        self.player = player
        self.name = str(player.player)
        self.watched = watched
        self.mailbox = Mailbox()
        self.position = 0
        self.topics: frozenset[str] = frozenset()
        self._seated: set[UUID] = set()
        self._refollow = refollow
        self._task: asyncio.Task[object] | None = None

    def attach_task(self) -> None:
        """Set the sending task, which is cancelled when its reader is too slow."""
        self._task = asyncio.current_task()

    def start_from(self, *, position: int, seated: Iterable[UUID]) -> None:
        """Continue from a position at which the player sat at these tables."""
        self.position = position
        self._seated = set(seated)
        self._follow()

    def start_from_snapshot(self, snapshot: Snapshot) -> None:
        self.start_from(position=snapshot.position, seated=snapshot.seated)

    def receive(self, happening: LiveEvent) -> None:
        """Deliver an event, redacted for the player, once."""
        if happening.position <= self.position:
            return
        self.position = happening.position
        follows = happening.table is not None and (happening.table in self._seated or happening.table == self.watched)
        named = self.name in happening.players
        taken = named and happening.type == SEAT_TAKEN
        if follows or taken:
            self._put(OutgoingMessage(happening.position, happening.payload_for(self.name)))
        if named and happening.table is not None:
            self._follow_seat(happening.table, happening, anew=taken and not follows)

    def send(self, message: bytes) -> None:
        """Send a message without a position."""
        self._put(OutgoingMessage(0, message))

    def keep_alive(self, position: int) -> None:
        """Send a comment on an idle stream, with the last position read from the log."""
        self._put(OutgoingMessage(position, sse.keep_alive(position)))

    def end(self, code: str) -> None:
        """Send a last message and end the stream."""
        if not self.mailbox.closed:
            self.send(sse.message("end", {"code": code}))
            self.mailbox.close()

    def fail(self) -> None:
        """End the stream after an error; the browser reconnects by itself."""
        self.end(FAILURE_CODE)

    def _follow_seat(self, table: UUID, happening: LiveEvent, *, anew: bool) -> None:
        """Follow a table after a seat was taken, or stop after it was left; both need a new snapshot."""
        if happening.type == SEAT_TAKEN:
            self._seated.add(table)
        elif happening.type in SEAT_VACATED:
            self._seated.discard(table)
        else:
            return
        self._follow()
        if anew:
            self._put(OutgoingMessage(happening.position, None))

    def _follow(self) -> None:
        tables = self._seated | ({self.watched} if self.watched is not None else set())
        self._refollow(self, frozenset({player_topic(self.player.player), *map(table_topic, tables)}))

    def _put(self, letter: OutgoingMessage) -> None:
        if self.mailbox.closed or self.mailbox.put(letter):
            return
        self.mailbox.close()
        if self._task is not None:
            self._task.cancel()


def seated_before(
    happenings: Iterable[LiveEvent], *, player: UUID, seated: frozenset[UUID], until: int
) -> frozenset[UUID]:
    """Return the tables where a player sat before these events, given the tables at position `until`."""
    found, named = set(seated), str(player)
    for happening in reversed([each for each in happenings if each.position <= until and named in each.players]):
        if happening.table is None:
            continue
        if happening.type == SEAT_TAKEN:
            found.discard(happening.table)
        elif happening.type in SEAT_VACATED:
            found.add(happening.table)
    return frozenset(found)
