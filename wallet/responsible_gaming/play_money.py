"""Play money from nothing, on request: up to a cap that the operator sets, and once in an hour."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append
from casino.kernel import money
from casino.kernel.money import Book
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.event_registry import CATALOGUE
from wallet.ledger.events import PlayMoneyToppedUp, stream
from wallet.ledger.postings import entry_for
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import projection
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayMoneyEnough, PlayMoneyTooSoon

EVERY: Final = timedelta(hours=1)
WHOLE_UNITS: Final = 1000
"""The cap where an operator has set none: a thousand of the currency."""

_STANDS: Final = """
    SELECT clock_timestamp(),
           (SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s),
           (SELECT (data->>'at')::timestamptz FROM events_event
             WHERE stream = %s AND type = 'PlayMoneyToppedUp' ORDER BY version DESC LIMIT 1),
           (SELECT coalesce(sum(balance), 0)::bigint FROM wallet_account JOIN wallet_balance ON account_id = id
             WHERE player_id = %s AND operator_id = %s AND book = 'play')
"""
_OPEN: Final = "SELECT FROM wallet_account WHERE id = %s"


def cap_of(*, operator: UUID, currency: str) -> int:
    """Return up to how many minor units play money is topped up."""
    cap = projection.load_house(operator=operator)[0].play_cap
    return WHOLE_UNITS * 10 ** money.exponent(currency) if cap is None else cap


def top_up(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> tuple[int, int]:
    """Fill a player's play money up to the cap; returns what came and the account's balance, in minor units.

    What the player has at tables counts. Raises UnknownAccount, PlayerExcluded, PlayMoneyEnough, PlayMoneyTooSoon.
    """
    account = player_account(operator=operator, player=player, book=Book.PLAY, currency=currency)
    source = operator_account(kind=AccountKind.SANDBOX, operator=operator, book=Book.PLAY, currency=currency)
    with transaction.atomic():
        if not fetch(_OPEN, [account.id]):
            raise UnknownAccount
        # Who holds the balance alone may write the stream, as with credits: a twin waits here.
        store.lock((account, source))
        now, version, last, held = fetch(_STANDS, [stream(player), stream(player), player, operator])[0]
        _require_playing(operator, player, now)
        amount = _missing(held, cap_of(operator=operator, currency=currency), last=last, now=now, currency=currency)
        _record(PlayMoneyToppedUp(operator, player, currency, amount, now), version, metadata)
        return amount, store.balances((account,))[account]


def _require_playing(operator: UUID, player: UUID, now: datetime) -> None:
    exclusion = projection.load(operator=operator, player=player)[0].excluded(now)
    if exclusion is not None:
        raise PlayerExcluded(exclusion)


def _missing(held: int, cap: int, *, last: datetime | None, now: datetime, currency: str) -> int:
    if held >= cap:
        raise PlayMoneyEnough(held=money.text(held, currency), cap=money.text(cap, currency), currency=currency)
    if last is not None and now < last + EVERY:
        raise PlayMoneyTooSoon(next_at=last + EVERY)
    return cap - held


def _record(event: PlayMoneyToppedUp, version: int, metadata: Metadata) -> None:
    ((cause,),) = append([Append(stream(event.player), version, (CATALOGUE.encode(event),), metadata)])
    entry: Any = entry_for(event, cause)
    store.post([entry])
