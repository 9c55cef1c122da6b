"""The row of each player's table limit: written with its events, read with every wager, and rebuilt."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from casino.events.projections import ProjectionTable, RebuildResult, Row, rebuild, stream_histories
from casino.events.sql import fetch
from wallet.ledger.accounts import AccountName
from wallet.models import PlayerTableLimit
from wallet.responsible_gaming import eligibility
from wallet.responsible_gaming.eligibility import PlayerEligibility
from wallet.responsible_gaming.events import TableLimitSet
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.table_limit import PersonalTableLimit

TABLE_LIMITS: Final = ProjectionTable.of(PlayerTableLimit)
_ELIGIBILITY: Final = f"""
    SELECT table_limit.amount, table_limit.currency, table_limit.set_at, table_limit.next_change_at,
           {eligibility.ELIGIBILITY_COLUMNS}
      FROM {eligibility.ELIGIBILITY_CALL_SQL}
      LEFT JOIN wallet_table_limit table_limit ON table_limit.player_id = %s AND table_limit.currency = %s
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class WagerEligibility:
    """A player's eligibility to wager from a game balance, and the limit per spot that the player has set."""

    eligibility: PlayerEligibility
    table_limit: PersonalTableLimit | None

    @property
    def balance(self) -> int:
        """The game balance, in minor units."""
        return self.eligibility.balance


def load_wager_eligibility(account: AccountName, *, now: datetime) -> WagerEligibility:
    """Read a game balance and everything that its wagers are checked against, locking the player, in one statement."""
    ((amount, currency, set_at, next_change_at, *row),) = fetch(
        _ELIGIBILITY, [*eligibility.eligibility_parameters(account, now), account.player, account.currency]
    )
    limit = None if currency is None else PersonalTableLimit(amount, currency, set_at, next_change_at)
    return WagerEligibility(eligibility.eligibility_from_row(account, now, row), limit)


def table_limit_row(event: TableLimitSet, version: int) -> Row:
    """Return the row that an event at a version of its stream leads to."""
    return TABLE_LIMITS.row(
        player_id=event.player,
        operator_id=event.operator,
        currency=event.currency,
        amount=event.amount,
        set_at=event.at,
        next_change_at=event.next_change_at,
        version=version,
    )


def rebuild_limits(*, compare: bool = False) -> RebuildResult:
    """Rebuild the projection in one transaction, holding writers out."""
    return rebuild({TABLE_LIMITS.table: "player_id"}, _fill, compare=compare)


def _fill() -> None:
    for chunk in stream_histories(RESPONSIBLE_GAMING_EVENTS.registry, TableLimitSet.__name__):
        TABLE_LIMITS.upsert([table_limit_row(events[-1], len(events)) for events in chunk])
