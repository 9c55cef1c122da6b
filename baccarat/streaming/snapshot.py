"""All that a player needs to draw tables and wallet, as of one sealed position."""

import contextlib
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.queries import tables
from casino.events.sql import execute, fetch
from casino.operators.principals import PlayerPrincipal
from wallet.api.balances import Balances
from wallet.ledger import store
from wallet.ledger.accounts import AccountName
from wallet.responsible_gaming import queries as protection
from wallet.responsible_gaming.queries import Reminder

ATTEMPTS: Final = 40
PAUSE: Final = 0.005
"""Seconds between attempts to meet a moment in which all that shows is sealed."""

_MOMENT: Final = """
SELECT (SELECT coalesce(max(position), 0) FROM events_seal),
       EXISTS (SELECT FROM events_event AS event WHERE event.id = ANY(ARRAY(SELECT event_id FROM events_unsealed))
               AND (event.stream = ANY(%s::text[]) OR event.data->>'player' = %s)),
       clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`document` is what is sent; `seated` are the tables where the player sits, `told` is when a reality check is due,
    all as of `position`.

    Not `settled`: something that shows already has yet to be sealed, and will be told of again.
    """

    position: int
    seated: frozenset[UUID]
    balances: dict[AccountName, int]
    reminder: Reminder | None
    document: dict[str, Any]
    fully_sealed: bool


def take_snapshot(*, player: PlayerPrincipal, watched: UUID | None) -> Snapshot:
    """Draw everything in one consistent look at the database. Raises UnknownTable for a table not to watch.

    Tables and wallet stand in the database a moment before their events are sealed, so it looks again until what
    shows and the position agree; after a fifth of a second (no sealer runs) it takes what there is.
    """
    for _ in range(ATTEMPTS):
        snapshot = _look(player, watched)
        if snapshot.fully_sealed:
            break
        time.sleep(PAUSE)
    return snapshot


@contextlib.contextmanager
def repeatable_read() -> Generator[None]:
    """Everything that is read inside comes from one moment of the database."""
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _look(player: PlayerPrincipal, watched: UUID | None) -> Snapshot:
    with repeatable_read():
        return read_snapshot(player=player, watched=watched)


def read_snapshot(*, player: PlayerPrincipal, watched: UUID | None) -> Snapshot:
    """Draw tables and wallet once, as of the moment that the caller reads in. Raises UnknownTable."""
    balances = store.balances_of_player(operator=player.operator, player=player.player)
    seated = tables.tables_where_seated(operator=player.operator, player=player.player)
    shown = sorted(seated | ({watched} if watched is not None else set()))
    pictures = tables.present_tables(tables=shown, operator=player.operator, viewer=player.player, balances=balances)
    streams = [*_streams(pictures), f"wallet-{player.player}"]
    position, unsealed, now = fetch(_MOMENT, [streams, str(player.player)])[0]
    told = protection.reminder(operator=player.operator, player=player.player)
    document = {
        "position": position,
        "server_time": now,
        "tables": pictures,
        "wallet": Balances.of(balances, told),
    }
    return Snapshot(
        position=position,
        seated=frozenset(seated),
        balances=balances,
        reminder=told,
        document=document,
        fully_sealed=not unsealed,
    )


def load_wallets(*, players: Sequence[PlayerPrincipal]) -> dict[UUID, Balances]:
    """Read the balances of several players in two queries, as the balances' endpoint shows them."""
    named = [player.player for player in players]
    found, told = store.balances_of_players(players=named), protection.reminders(players=named)
    return {player: Balances.of(found[player], told.get(player)) for player in named}


def _streams(pictures: Sequence[dict[str, Any]]) -> list[str]:
    rounds = [picture[name]["id"] for picture in pictures for name in ("round", "last_round") if picture[name]]
    return [*(f"table-{picture['id']}" for picture in pictures), *(f"round-{round_}" for round_ in rounds)]
