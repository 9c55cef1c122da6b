"""Fills the mailbox of one player's stream. Use from the event loop only."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final
from uuid import UUID

from baccarat.queries.offered import brand_of
from baccarat.streaming.notifications import (
    OWN,
    SEAT_TAKEN,
    SEAT_VACATED,
    LiveEvent,
    lobby_topic,
    player_topic,
    table_topic,
)
from baccarat.streaming.snapshot import Snapshot, encode_position
from casino.api.streaming import sse
from casino.api.streaming.sse import Mailbox, OutgoingMessage
from casino.operators.principals import PlayerPrincipal

FAILURE_CODE: Final = "internal_error"


class LiveFollower:
    """Follows the tables where its player sits, one watched table, the lobby, and the player's own topic."""

    def __init__(
        self,
        *,
        player: PlayerPrincipal,
        watched: UUID | None,
        lobby: bool = False,
        set_topics: Callable[["LiveFollower", frozenset[str]], None],
    ) -> None:
        self.player = player
        self.name = str(player.player)
        self.watched = watched
        owners = (player.operator, brand_of(player)) if lobby else ()
        self._lobbies = frozenset(lobby_topic(owner) for owner in owners if owner is not None)
        self.mailbox = Mailbox()
        self.position = 0
        self.topics: frozenset[str] = frozenset()
        self._seated: set[UUID] = set()
        self._set_topics = set_topics
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

    def receive(self, event: LiveEvent) -> None:
        """Deliver an event, redacted for the player, once."""
        if event.position <= self.position:
            return
        self.position = event.position
        is_followed = event.table is not None and (event.table in self._seated or event.table == self.watched)
        is_own = self.name in event.players
        seat_taken = is_own and event.type == SEAT_TAKEN
        if is_followed or seat_taken or (is_own and event.type in OWN):
            self._put(OutgoingMessage(event.position, event.payload_for(self.name)))
        if event.lobby_payload is not None and not self._lobbies.isdisjoint(event.lobbies):
            self.send(event.lobby_payload)
        if is_own and event.table is not None:
            self._follow_seat(event.table, event, needs_snapshot=seat_taken and not is_followed)

    def send(self, message: bytes) -> None:
        """Send a message without a position."""
        self._put(OutgoingMessage(0, message))

    def keep_alive(self, position: int) -> None:
        """Send a comment on an idle stream, with the last position read from the log."""
        self._put(OutgoingMessage(position, sse.keep_alive(encode_position(position))))

    def end(self, code: str) -> None:
        """Send a last message and end the stream."""
        if not self.mailbox.closed:
            self.send(sse.message("end", {"code": code}))
            self.mailbox.close()

    def fail(self) -> None:
        """End the stream after an error; the browser reconnects by itself."""
        self.end(FAILURE_CODE)

    def _follow_seat(self, table: UUID, event: LiveEvent, *, needs_snapshot: bool) -> None:
        """Follow a table after the player sat down, stop after the player left."""
        if event.type == SEAT_TAKEN:
            self._seated.add(table)
        elif event.type in SEAT_VACATED:
            self._seated.discard(table)
        else:
            return
        self._follow()
        if needs_snapshot:
            self._put(OutgoingMessage(event.position, None))

    def _follow(self) -> None:
        tables = self._seated | ({self.watched} if self.watched is not None else set())
        own = {player_topic(self.player.player)}
        self._set_topics(self, frozenset({*own, *self._lobbies, *map(table_topic, tables)}))

    def _put(self, message: OutgoingMessage) -> None:
        if self.mailbox.closed or self.mailbox.put(message):
            return
        self.mailbox.close()
        if self._task is not None:
            self._task.cancel()


def seated_before(events: Iterable[LiveEvent], *, player: UUID, seated: frozenset[UUID], until: int) -> frozenset[UUID]:
    """Return the tables where a player sat before these events, given the tables at position `until`."""
    tables, own = set(seated), str(player)
    for event in reversed([each for each in events if each.position <= until and own in each.players]):
        if event.table is None:
            continue
        if event.type == SEAT_TAKEN:
            tables.discard(event.table)
        elif event.type in SEAT_VACATED:
            tables.add(event.table)
    return frozenset(tables)
