"""The row of each player's own limit: a projection of the streams limit-{player}, read with every wager."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.ledger.accounts import AccountName
from wallet.ledger.event_registry import CATALOGUE
from wallet.ledger.events import TableLimitSet
from wallet.responsible_gaming import eligibility
from wallet.responsible_gaming.eligibility import PlayerEligibility
from wallet.responsible_gaming.table_limit import PersonalTableLimit

TABLE: Final = "wallet_table_limit"
COLUMNS: Final = ("player_id", "operator_id", "currency", "amount", "set_at", "next_change_at", "version")
Row = tuple[Any, ...]

_SAVE: Final = """
    INSERT INTO wallet_table_limit (player_id, operator_id, currency, amount, set_at, next_change_at, version)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET operator_id = excluded.operator_id, currency = excluded.currency, amount = excluded.amount,
        set_at = excluded.set_at, next_change_at = excluded.next_change_at, version = excluded.version
"""
_PURSE: Final = f"""
    SELECT kept.amount, kept.currency, kept.set_at, kept.next_change_at, {eligibility.ELIGIBILITY_COLUMNS}
      FROM {eligibility.ELIGIBILITY_CALL_SQL}
      LEFT JOIN wallet_table_limit kept ON kept.player_id = %s AND kept.currency = %s
"""  # noqa: S608  (constants)
_LATEST: Final = """
    SELECT DISTINCT ON (stream) type, schema, data::text, version FROM events_event
     WHERE type = 'TableLimitSet' ORDER BY stream, version DESC
"""
_ROWS: Final = f"SELECT {', '.join(COLUMNS)} FROM {TABLE} ORDER BY player_id"  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class WagerEligibility:
    """What a game balance holds, what a wager from it is judged by, and the limit per spot that its player has set."""

    eligibility: PlayerEligibility
    table_limit: PersonalTableLimit | None

    @property
    def balance(self) -> int:
        """What it holds, in minor units."""
        return self.eligibility.balance


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """How many rows the projection has now; `changed` names those that came out otherwise, where compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def load_wager_eligibility(account: AccountName, *, now: datetime) -> WagerEligibility:
    """Read a player's game balance and what wagers are judged by, locking the player, in one statement."""
    ((amount, currency, set_at, next_change_at, *row),) = fetch(
        _PURSE, [*eligibility.eligibility_parameters(account, now), account.player, account.currency]
    )
    limit = None if currency is None else PersonalTableLimit(amount, currency, set_at, next_change_at)
    return WagerEligibility(eligibility.eligibility_from_row(account, now, row), limit)


def row(event: TableLimitSet, version: int) -> Row:
    """Turn an event at a version of its stream into the row that it leads to."""
    return (
        event.player,
        event.operator,
        event.currency,
        event.amount,
        event.at,
        event.next_change_at,
        version,
    )


def save(event: TableLimitSet, version: int) -> None:
    """Add a player's row or bring it up to date."""
    execute(_SAVE, row(event, version))


def rows() -> dict[UUID, Row]:
    return {found[0]: found for found in fetch(_ROWS)}


def rebuild_limits(*, compare: bool = False) -> RebuildResult:
    """Make the projection again from its events in one transaction, holding writers out."""
    with transaction.atomic():
        execute(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
        before = rows() if compare else {}
        execute(f"DELETE FROM {TABLE}")  # noqa: S608  (a constant)
        for kind, schema, data, version in fetch(_LATEST):
            save(CATALOGUE.decode(kind, schema, data), version)
        after = rows()
    changed = tuple(_changed(before, after)) if compare else ()
    return RebuildResult({TABLE: len(after)}, changed)


def _changed(before: Mapping[UUID, Row], after: Mapping[UUID, Row]) -> Iterator[str]:
    for player in sorted(before.keys() | after.keys()):
        if before.get(player) != after.get(player):
            yield f"{TABLE} {player}"
