"""A game restored after a disconnect: all that is needed to draw it as it stands, and what happened while away."""

import time
from typing import Any, Final

from baccarat.streaming import absence, snapshot
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import present_money
from casino.operators.principals import PlayerPrincipal
from wallet import notices
from wallet.api.deposits import DepositResponse
from wallet.api.limits import ExclusionResponse
from wallet.api.notices import NoticeResponse
from wallet.api.reality_checks import RealityCheckReminder
from wallet.api.table_limit import TableLimit
from wallet.api.withdrawals import WithdrawalResponse
from wallet.ledger.accounts import AccountKind
from wallet.payments.queries import open_or_ended_since
from wallet.responsible_gaming.table_limit_services import table_limit

NOTICES: Final = 20
"""The newest that are not read; `GET /api/v1/notices` has them all."""


def recover_game(*, player: PlayerPrincipal, after: int | None) -> dict[str, Any]:
    """Read all of it in one moment of the database; `after` is the last position that the player has seen.

    As a stream's snapshot does, it looks again until what shows and the position agree. Raises Rejected
    (invalid_cursor) for a position that is not sealed yet.
    """
    for _ in range(snapshot.ATTEMPTS):
        with snapshot.repeatable_read():
            seen = snapshot.read_snapshot(player=player, watched=None)
            document = {**seen.document, **_affairs(player, seen, after)}
        if seen.fully_sealed:
            break
        time.sleep(snapshot.PAUSE)
    return document


def _affairs(player: PlayerPrincipal, seen: snapshot.Snapshot, after: int | None) -> dict[str, Any]:
    """What concerns the player beside tables and balances."""
    if after is not None and after > seen.position:
        raise RequestRejected(INVALID_CURSOR, f"The last position is {seen.position}.")
    moment = None if after is None else absence.recorded_at(after)
    deposits, withdrawals = open_or_ended_since(operator=player.operator, player=player.player, since=moment)
    limit = table_limit(operator=player.operator, player=player.player, currency=player.currency)
    unread = notices.list_notices(
        operator=player.operator, player=player.player, unread=True, before=None, limit=NOTICES
    )
    return {
        "deposits": [DepositResponse.of(each) for each in deposits],
        "withdrawals": [WithdrawalResponse.of(each) for each in withdrawals],
        "debts": _debts(seen),
        "table_limit": TableLimit.of(limit),
        "exclusion": None if seen.reminder is None else ExclusionResponse.of(seen.reminder.exclusion),
        "reality_check": RealityCheckReminder.of(seen.reminder),
        "notices": [NoticeResponse.of(each) for each in unread],
        "away": None
        if after is None
        else absence.load_absence_summary(after=after, since=moment, player=player.player),
    }


def _debts(seen: snapshot.Snapshot) -> list[dict[str, str]]:
    owing = {name: -balance for name, balance in seen.balances.items() if name.kind is AccountKind.DEBT and balance}
    return [present_money(owed, name.currency) for name, owed in owing.items()]
