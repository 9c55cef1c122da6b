"""Top up play money on request: up to the operator's cap, once an hour."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.events import wallet_stream
from wallet.ledger.player_accounts import open_on_first_use
from wallet.responsible_gaming import projection
from wallet.responsible_gaming.events import PlayMoneyToppedUp
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayMoneyCapReached, PlayMoneyTooSoon

TOP_UP_INTERVAL: Final = timedelta(hours=1)
DEFAULT_CAP_UNITS: Final = 1000
"""The cap of operators that set none, in units of the currency."""

_CURRENT: Final = """
    SELECT clock_timestamp(),
           (SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s),
           (SELECT (data->>'at')::timestamptz FROM events_event
             WHERE stream = %s AND type = 'PlayMoneyToppedUp' ORDER BY version DESC LIMIT 1),
           (SELECT coalesce(sum(balance), 0)::bigint FROM wallet_account JOIN wallet_balance ON account_id = id
             WHERE player_id = %s AND operator_id = %s AND money_type = 'play' AND currency = %s)
"""


def play_money_cap(*, operator: UUID, currency: str) -> int:
    """Return the cap on play money in minor units."""
    cap = projection.load_operator_limits(operator=operator)[0].play_money_caps.get(currency)
    return DEFAULT_CAP_UNITS * money.unit(currency) if cap is None else cap


def top_up(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> tuple[int, int]:
    """Fill a player's play money in a currency up to the cap; returns the credit and the new balance, in minor units.

    Game balances count. Raises UnknownAccount, PlayerExcluded, PlayMoneyCapReached, PlayMoneyTooSoon.
    """
    account = player_account(operator=operator, player=player, money_type=MoneyType.PLAY, currency=currency)
    source = operator_account(kind=AccountKind.SANDBOX, operator=operator, money_type=MoneyType.PLAY, currency=currency)
    with transaction.atomic():
        open_on_first_use(operator=operator, player=player, currency=currency, metadata=metadata)
        # The lock of the balance serializes writers of the stream, as for credits.
        store.lock((account, source))
        stream = wallet_stream(player, currency)
        ((now, version, last, balance),) = fetch(_CURRENT, [stream, stream, player, operator, currency])
        _require_not_excluded(operator, player, now)
        amount = _top_up_amount(
            balance, play_money_cap(operator=operator, currency=currency), last=last, now=now, currency=currency
        )
        event = PlayMoneyToppedUp(operator, player, currency, amount, now)
        RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=metadata)
        return amount, store.balances((account,))[account]


def _require_not_excluded(operator: UUID, player: UUID, now: datetime) -> None:
    exclusion = projection.load_restrictions(operator=operator, player=player)[0].active_exclusion(now)
    if exclusion is not None:
        raise PlayerExcluded(exclusion)


def _top_up_amount(balance: int, cap: int, *, last: datetime | None, now: datetime, currency: str) -> int:
    if balance >= cap:
        raise PlayMoneyCapReached(
            balance=money.format_amount(balance, currency), cap=money.format_amount(cap, currency), currency=currency
        )
    if last is not None and now < last + TOP_UP_INTERVAL:
        raise PlayMoneyTooSoon(next_at=last + TOP_UP_INTERVAL)
    return cap - balance
