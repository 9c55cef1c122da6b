"""Read and change the limit per spot that a player sets, check wagers against it, and rebuild its rows."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MAX_AMOUNT, MoneyType
from casino.operators import pins
from wallet.ledger.accounts import AccountName, player_account
from wallet.ledger.refusals import UnknownAccount
from wallet.models import PlayerTableLimit
from wallet.responsible_gaming import eligibility
from wallet.responsible_gaming.allowance import Allowance
from wallet.responsible_gaming.events import TableLimitSet, table_limit_stream
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.table_limit import PersonalTableLimit, limit_from_event, set_limit

TABLE_LIMITS: Final = ProjectionTable.of(PlayerTableLimit)
_CURRENT: Final = """
    SELECT clock_timestamp(), EXISTS (SELECT FROM wallet_account WHERE player_id = %s AND operator_id = %s),
           stored.version, stored.amount, stored.currency, stored.set_at, stored.next_change_at
      FROM (SELECT) AS always LEFT JOIN wallet_table_limit stored ON stored.account_id = %s
"""
_COLUMNS: Final = ", ".join(f"may.{name}" for name in eligibility.ELIGIBILITY_COLUMNS.split(", "))
_ELIGIBILITY: Final = f"""
    SELECT table_limit.amount, table_limit.currency, table_limit.set_at, table_limit.next_change_at,
           funding.operator_id IS NOT NULL, told.balance, told.told_at,
           %s AND operators_wins_capped(%s, %s, 'stop_bets'), {_COLUMNS}
      FROM {eligibility.ELIGIBILITY_CALL_SQL} AS may
      LEFT JOIN wallet_table_limit table_limit ON table_limit.account_id = %s
      LEFT JOIN wallet_funding funding ON funding.operator_id = %s AND funding.funding = 'seamless' AND %s
      LEFT JOIN wallet_told_balance told ON told.account_id = %s
"""  # noqa: S608  (constants)


def table_limit(*, operator: UUID, player: UUID, currency: str) -> PersonalTableLimit | None:
    """Return a player's limit, None if none was ever set. Raises UnknownAccount."""
    return _current(operator, player, currency)[2]


def set_table_limit(
    *, operator: UUID, currency: str, amount: int | None, pin: pins.ComparedPin, metadata: Metadata
) -> PersonalTableLimit:
    """Set the limit of the PIN's player to `amount` minor units, or remove it with None, for wagers from now on.

    Raises PinNotSet, PinLocked, PinWrong (already counted), UnknownAccount, TableLimitChangedThisWeek,
    TableLimitUnchanged, and PinReplacementWaits for a higher limit while a request waits to replace the PIN.
    """
    with transaction.atomic():
        # The attempt locks the PIN until the transaction ends: a concurrent call waits here and then sees the change.
        refusal = pins.try_pin(pin)
        if refusal is None:
            return _change(operator, pin.player, currency, amount, metadata)
    raise refusal


@dataclass(frozen=True, slots=True)
class WagerAllowance:
    """What a player may stake from a game balance, in minor units.

    If `remote`, the money is in the operator's own wallet, which decides about it, and the balance what that told last.
    """

    allowance: Allowance
    balance: int
    remote: bool = False
    told_at: datetime | None = None


def load_wager_allowance(account: AccountName, *, now: datetime) -> WagerAllowance:
    """Read a game balance and everything that its wagers are checked against, locking the player, in one statement."""
    key = _key(account.operator, eligibility.player_of(account), account.currency)
    real = account.money_type is MoneyType.REAL
    capped = [real, account.operator, account.currency]
    ((amount, currency, set_at, next_change_at, remote, told, told_at, bets_stopped, *row),) = fetch(
        _ELIGIBILITY, [*capped, *eligibility.eligibility_parameters(account, now), key, account.operator, real, key]
    )
    own = None if currency is None else PersonalTableLimit(amount, currency, set_at, next_change_at)
    allowance = replace(eligibility.allowance_from_row(account, now, row), own=own, bets_stopped=bets_stopped)
    if not remote:
        return WagerAllowance(allowance, allowance.available)
    return WagerAllowance(replace(allowance, available=MAX_AMOUNT), told or 0, remote, told_at)


def table_limit_row(event: TableLimitSet, version: int) -> Row:
    """Return the row that an event at a version of its stream leads to."""
    return TABLE_LIMITS.row(
        account_id=_key(event.operator, event.player, event.currency),
        player_id=event.player,
        operator_id=event.operator,
        currency=event.currency,
        amount=event.amount,
        set_at=event.at,
        next_change_at=event.next_change_at,
        version=version,
    )


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
    before = None if current is None else current.amount
    if before is not None and (amount is None or amount > before):
        pins.require_no_replacement(player)
    stream = table_limit_stream(player, currency)
    RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=metadata)
    TABLE_LIMITS.upsert([table_limit_row(event, version + 1)])
    return limit_from_event(event)


def _current(operator: UUID, player: UUID, currency: str) -> tuple[Any, int, PersonalTableLimit | None]:
    """Return the time, the version of the stream of the player and currency, and the current limit."""
    ((now, is_open, version, *limit),) = fetch(_CURRENT, [player, operator, _key(operator, player, currency)])
    if not is_open:
        raise UnknownAccount
    return now, version or 0, None if version is None else PersonalTableLimit(*limit)


def _key(operator: UUID, player: UUID, currency: str) -> UUID:
    """Return the id of the player's real account in a currency, whether it was opened or not."""
    return player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency).id


def _project(events: Events) -> None:
    histories = stream_histories(RESPONSIBLE_GAMING_EVENTS.registry, events, TableLimitSet.__name__)
    TABLE_LIMITS.upsert([table_limit_row(history[-1], len(history)) for history in histories])


PROJECTOR: Final = Projector({TABLE_LIMITS.table: "player_id || ' ' || currency"}, _project)
"""Derives the projection from the events."""
