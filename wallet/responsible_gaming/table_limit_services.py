"""Read the limit per spot that a player sets, and change it with the PIN."""

from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators import pins
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming.events import table_limit_stream
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.table_limit import PersonalTableLimit, limit_from_event, set_limit
from wallet.responsible_gaming.table_limit_projection import TABLE_LIMITS, table_limit_row

_CURRENT: Final = """
    SELECT clock_timestamp(), EXISTS (SELECT FROM wallet_account WHERE id = %s),
           kept.version, kept.amount, kept.currency, kept.set_at, kept.next_change_at
      FROM (SELECT) AS always LEFT JOIN wallet_table_limit kept ON kept.player_id = %s
"""


def table_limit(*, operator: UUID, player: UUID, currency: str) -> PersonalTableLimit | None:
    """Return a player's limit, None if none was ever set. Raises UnknownAccount."""
    return _current(operator, player, currency)[2]


def set_table_limit(
    *, operator: UUID, player: UUID, currency: str, amount: int | None, pin: str, metadata: Metadata
) -> PersonalTableLimit:
    """Set a player's limit to `amount` minor units, or remove it with None, for wagers from now on.

    Raises PinNotSet, PinLocked, PinWrong (already counted), UnknownAccount, TableLimitChangedThisWeek,
    TableLimitUnchanged.
    """
    with transaction.atomic():
        # The attempt locks the PIN until the transaction ends: a concurrent call waits here and then sees the change.
        refusal = pins.try_pin(player=player, pin=pin)
        if refusal is None:
            return _change(operator, player, currency, amount, metadata)
    raise refusal


def _change(operator: UUID, player: UUID, currency: str, amount: int | None, metadata: Metadata) -> PersonalTableLimit:
    now, version, current = _current(operator, player, currency)
    event = set_limit(
        current,
        operator=operator,
        player=player,
        currency=currency,
        amount=amount,
        now=now,
        week=settings.BETTING_WEEK,
    )
    stream = table_limit_stream(player)
    RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=metadata)
    TABLE_LIMITS.upsert([table_limit_row(event, version + 1)])
    return limit_from_event(event)


def _current(operator: UUID, player: UUID, currency: str) -> tuple[Any, int, PersonalTableLimit | None]:
    """Return the time, the version of the player's stream, and the current limit."""
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    ((now, is_open, version, *limit),) = fetch(_CURRENT, [account.id, player])
    if not is_open:
        raise UnknownAccount
    return now, version or 0, None if version is None else PersonalTableLimit(*limit)
