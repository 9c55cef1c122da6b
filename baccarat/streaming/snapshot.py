"""Snapshots of a player's tables and balances as of one sealed position."""

import contextlib
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from django.db import transaction
from msgspec import Meta

from baccarat.queries import tables as queries
from baccarat.queries.offered import require_offered
from baccarat.queries.table_view import TableResponse
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.shapes import Shape, Timestamp
from casino.crypto import opaque_number
from casino.events.sql import execute, fetch
from casino.operators.principals import PlayerPrincipal
from wallet.api.accounts import Balances
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountName
from wallet.responsible_gaming import queries as responsible_gaming
from wallet.responsible_gaming.queries import Reminder

ATTEMPTS: Final = 40
PAUSE: Final = 0.005
"""Seconds between attempts to read a state that is fully sealed."""

_MOMENT: Final = """
SELECT (SELECT coalesce(max(position), 0) FROM events_seal),
       EXISTS (SELECT FROM events_event AS event WHERE event.id = ANY(ARRAY(SELECT event_id FROM events_unsealed))
               AND (event.stream = ANY(%s::text[]) OR event.data->>'player' = %s)),
       clock_timestamp()
"""


PURPOSE: Final = "stream"
PositionText = Annotated[
    str,
    Meta(
        pattern=opaque_number.PATTERN,
        description="Where the stream continues: an opaque text to send back as `after`.",
        examples=["m3Zk0c1QyZ5rV7t2nB8xL4hJ6gF9dS0a"],
    ),
]


def encode_position(position: int) -> str:
    """Return the text of a position in the log for players, who must not see how much happens at other operators."""
    return opaque_number.encode(position, purpose=PURPOSE)


def decode_position(text: str) -> int:
    """Return the position of a text. Raises RequestRejected (invalid_cursor)."""
    try:
        return opaque_number.decode(text, purpose=PURPOSE)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR, "This is no position of the stream or of a snapshot.") from None


class SnapshotMessage(Shape, kw_only=True):
    """Tables and balances of a player, as of one moment."""

    position: PositionText
    server_time: Annotated[Timestamp, Meta(description="The time to compare deadlines with.")]
    tables: Annotated[tuple[TableResponse, ...], Meta(description="Where the player sits.")]
    balances: Balances


@dataclass(frozen=True, slots=True)
class Snapshot:
    """First message of a stream, and what to follow from there, all as of one position in the log.

    `seated` are the tables where the player sits, `reminder` is when a reality check is due. If not `fully_sealed`, an
    event already included is not sealed yet and will be sent again.
    """

    message: SnapshotMessage
    position: int
    seated: frozenset[UUID]
    balances: dict[AccountName, int]
    reminder: Reminder | None
    fully_sealed: bool


def take_snapshot(*, player: PlayerPrincipal, watched: UUID | None) -> Snapshot:
    """Read everything in one snapshot of the database. Raises UnknownTable for a table that may not be watched.

    Tables and balances are committed shortly before their events are sealed, so it retries until they and the position
    agree; after a fifth of a second (no sealer runs) it uses the current state.
    """
    for _ in range(ATTEMPTS):
        with repeatable_read():
            snapshot = read_snapshot(player=player, watched=watched)
        if snapshot.fully_sealed:
            break
        time.sleep(PAUSE)
    return snapshot


@contextlib.contextmanager
def repeatable_read() -> Generator[None]:
    """Read within one snapshot of the database."""
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def read_snapshot(*, player: PlayerPrincipal, watched: UUID | None) -> Snapshot:
    """Read tables and balances once, in the caller's transaction. Raises UnknownTable."""
    require_offered(player, table=watched)
    balances = ledger.balances_of_player(operator=player.operator, player=player.player)
    seated = queries.tables_where_seated(operator=player.operator, player=player.player)
    followed = sorted(seated | ({watched} if watched is not None else set()))
    tables = queries.load_tables(tables=followed, operator=player.operator, viewer=player.player, balances=balances)
    position, unsealed, now = fetch(_MOMENT, [_streams(tables), str(player.player)])[0]
    reminder = responsible_gaming.reminder(operator=player.operator, player=player.player)
    return Snapshot(
        message=SnapshotMessage(
            position=encode_position(position),
            server_time=now,
            tables=tables,
            balances=Balances.of(balances, reminder),
        ),
        position=position,
        seated=frozenset(seated),
        balances=balances,
        reminder=reminder,
        fully_sealed=not unsealed,
    )


def load_balances(*, players: Sequence[PlayerPrincipal]) -> dict[UUID, Balances]:
    """Read the balances of several players in two queries, in the format of the balances endpoint."""
    ids = [player.player for player in players]
    balances, reminders = ledger.balances_of_players(players=ids), responsible_gaming.reminders(players=ids)
    return {player: Balances.of(balances[player], reminders.get(player)) for player in ids}


def _streams(tables: Sequence[TableResponse]) -> list[str]:
    rounds = [round_.id for table in tables for round_ in (table.round, table.last_round) if round_ is not None]
    return [*(f"table-{table.id}" for table in tables), *(f"round-{round_}" for round_ in rounds)]
