"""Use case of the workers: keep an absent player's seat for a while, then free it and return the money.

The seat of a player whose account is frozen is left as soon as no round needs it.

A player is away after PLAYER_AWAY_SECONDS without a request or stream. The table keeps the seat for as many turns as
its rules say, or for SEAT_HOLD_SECONDS if no rounds are played. A confirmed wager is dealt and settled first.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from baccarat.domain.rounds.refusals import WagerInPlay
from baccarat.domain.tables import decisions
from baccarat.domain.tables.events import TableEvent
from baccarat.domain.tables.refusals import NotSeated, SeatIsHeld
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services.seats import leave_round_and_seat, require_seat
from baccarat.storage import repository
from casino.events.sql import fetch
from casino.events.store import Metadata
from wallet.ledger import store as ledger

logger = logging.getLogger(__name__)

PAGE_SIZE: Final = 200
ACTOR: Final = "system:absence"
FREEZE: Final = "system:freeze"

# A player without a session counts from the time of sitting down. Session use is recorded only at intervals.
_LAST_SEEN_AT: Final = """
    greatest(sitting.at, (SELECT session.last_used_at FROM operators_playersession session
                           WHERE session.player_id = sitting.player_id ORDER BY session.created_at DESC LIMIT 1))
"""
_SEAT_KEPT_ROUNDS: Final = """
    (coalesce(seat_table.state #> '{rules_lifecycle,in_force,values}', seat_table.state #> '{opened,rules,values}')
     ->> 'seat_kept_rounds')::int
"""
# The decision checks the same conditions again under the lock; this saves a transaction for seats that are still kept.
_SEATS_TO_FREE: Final = f"""
    SELECT sitting.id, sitting.table_id, sitting.operator_id, sitting.player_id
      FROM (SELECT sitting.*, clock_timestamp() - {_LAST_SEEN_AT} AS away_for FROM baccarat_sitting sitting) AS sitting
      JOIN baccarat_table seat_table ON seat_table.id = sitting.table_id
     WHERE sitting.seat IS NOT NULL AND sitting.id > %s AND away_for >= make_interval(secs => %s)
       AND (away_for >= make_interval(secs => %s) OR EXISTS (
            SELECT FROM json_array_elements(seat_table.state->'seats') AS taken
             WHERE (taken->>'seat')::int = sitting.seat AND (taken->>'missed_turns')::int >= {_SEAT_KEPT_ROUNDS}))
     ORDER BY sitting.id LIMIT %s
"""  # noqa: S608  (constants)
_SEATS_OF_FROZEN: Final = """
    SELECT sitting.table_id, sitting.operator_id, sitting.player_id
      FROM wallet_playerrestrictions AS restricted JOIN baccarat_sitting AS sitting USING (player_id)
     WHERE restricted.frozen AND sitting.seat IS NOT NULL ORDER BY sitting.id LIMIT %s
"""
_LAST_SEEN_OF_PLAYERS: Final = (
    f"SELECT sitting.player_id, {_LAST_SEEN_AT} FROM baccarat_sitting sitting "  # noqa: S608  (constants)
    "WHERE sitting.table_id = %s AND sitting.player_id = ANY (%s::uuid[])"
)


def release_absent_seats() -> int:
    """Free every seat that is no longer kept, each in its own transaction. Returns the number freed.

    What is set aside for commission is taken and unconfirmed chips are returned, as when the player leaves.
    """
    freed, last = sum(_leave_frozen(*seat) for seat in fetch(_SEATS_OF_FROZEN, [PAGE_SIZE])), ""
    while page := fetch(_SEATS_TO_FREE, [last, settings.PLAYER_AWAY_SECONDS, settings.SEAT_HOLD_SECONDS, PAGE_SIZE]):
        freed += sum(_free(table, operator, player) for _, table, operator, player in page)
        last = page[-1][0]
    return freed


def leave_if_free(uow: UnitOfWork, player: UUID, now: datetime) -> bool:
    """Leave a player's seat, and return False where a wager is in play or the seat was left."""
    seat = uow.table.seat_of(player)
    if seat is None:
        return False
    account = repository.accounts_of(uow).game(player, seat.money_type)
    try:
        balance = ledger.balances([account])[account]
        leave_round_and_seat(uow, decisions.leave_seat, player=player, game_balance=balance, at=now)
    except WagerInPlay:
        return False
    return True


def _leave_frozen(table: UUID, operator: UUID, player: UUID) -> bool:
    """Leave the seat of a player whose account is frozen: the game balance goes to the account."""
    metadata = Metadata(operator=str(operator), actor=FREEZE, causation="freeze", correlation=f"table-{table}")
    try:
        with transaction.atomic():
            uow, now = repository.lock_table(table=table, operator=operator)
            if not leave_if_free(uow, player, now):
                return False
            repository.save([(uow, metadata)])
    except repository.StateUnreadable as error:
        logger.critical("ALERT a seat can't be left: %s", error)
        return False
    return True


def _free(table: UUID, operator: UUID, player: UUID) -> bool:
    """Free one seat, unless its player has acted or left since, or has a wager in play."""
    metadata = Metadata(operator=str(operator), actor=ACTOR, causation="absence", correlation=f"table-{table}")
    try:
        with transaction.atomic():
            uow, now = repository.lock_table(table=table, operator=operator)
            decide = releases(uow, [player])[player]
            leave_round_and_seat(uow, decide, player=player, at=now)
            repository.save([(uow, metadata)])
    except (SeatIsHeld, NotSeated, WagerInPlay):
        return False
    except repository.StateUnreadable as error:
        logger.critical("ALERT a seat can't be freed: %s", error)
        return False
    return True


def releases(uow: UnitOfWork, players: Sequence[UUID]) -> dict[UUID, partial[Sequence[TableEvent]]]:
    """Return the decisions that free the players' seats, using two queries. Raises NotSeated."""
    table_accounts = repository.accounts_of(uow)
    accounts = {player: table_accounts.game(player, require_seat(uow, player).money_type) for player in players}
    balances = ledger.balances(list(accounts.values()))
    last_seen = dict(fetch(_LAST_SEEN_OF_PLAYERS, [uow.table.require_opened().table, list(players)]))
    return {
        player: partial(
            decisions.free_seat,
            game_balance=balances[account],
            last_seen_at=last_seen[player],
            away_after=timedelta(seconds=settings.PLAYER_AWAY_SECONDS),
            gone_after=timedelta(seconds=settings.SEAT_HOLD_SECONDS),
        )
        for player, account in accounts.items()
    }
