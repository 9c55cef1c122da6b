"""One player's stream: what it follows, and what is put into its mailbox. Belongs to the event loop."""

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
    """Follows the tables where its player sits, one that is watched, and the player's own affairs."""

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
        """Note the task that sends, which a reader that is too slow never lets come to an end."""
        self._task = asyncio.current_task()

    def start_from(self, *, position: int, seated: Iterable[UUID]) -> None:
        """Go on from a position at which the player sat at these tables."""
        self.position = position
        self._seated = set(seated)
        self._follow()

    def start_from_snapshot(self, snapshot: Snapshot) -> None:
        self.start_from(position=snapshot.position, seated=snapshot.seated)

    def receive(self, happening: LiveEvent) -> None:
        """Note what its player may know of something that happened, once."""
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
        """Send a message that belongs to no position."""
        self._put(OutgoingMessage(0, message))

    def keep_alive(self, position: int) -> None:
        """Tell a silent stream how far the log was looked at."""
        self._put(OutgoingMessage(position, sse.keep_alive(position)))

    def end(self, code: str) -> None:
        """Say goodbye and end the stream."""
        if not self.mailbox.closed:
            self.send(sse.message("end", {"code": code}))
            self.mailbox.close()

    def fail(self) -> None:
        """End the stream because something could not be shown: its browser comes back by itself."""
        self.end(FAILURE_CODE)

    def _follow_seat(self, table: UUID, happening: LiveEvent, *, anew: bool) -> None:
        """A seat was taken or left: another table comes with a snapshot of all that is to be drawn."""
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
    """Tell at which tables a player sat before these happenings, given where it sits at position `until`."""
    found, named = set(seated), str(player)
    for happening in reversed([each for each in happenings if each.position <= until and named in each.players]):
        if happening.table is None:
            continue
        if happening.type == SEAT_TAKEN:
            found.discard(happening.table)
        elif happening.type in SEAT_VACATED:
            found.add(happening.table)
    return frozenset(found)
