"""The notice of a game balance under the table's minimum, which names every way out, and why one is closed. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds.state import RoundState, Standing
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.tables.state import Seat
from casino.kernel.money import Book, text
from wallet.payments.funding_options import Means

CODE: Final = "under_minimum"


class Way(StrEnum):
    """How money comes to a game balance, or to the account that it comes from."""

    REBUY = "rebuy"
    QUICK_DEPOSIT = "quick_deposit"
    DEPOSIT = "deposit"
    TOP_UP = "top_up"


class When(StrEnum):
    """From when a way is open."""

    NOW = "now"
    AFTER_ROUND = "after_round"


class Closed(StrEnum):
    """Why a way is closed."""

    PLAYER_EXCLUDED = "player_excluded"
    DEBT_OUTSTANDING = "debt_outstanding"
    ACCOUNT_EMPTY = "account_empty"
    METHOD_CLOSED = "method_closed"


def notice_picture(
    *, seat: Seat, rules: TableRules, round_: RoundState, balance: int, means: Means
) -> dict[str, Any] | None:
    """Draw the notice, or None where `balance` (minor units) reaches the table's minimum."""
    if balance >= rules.minimum:
        return None
    ways = [_rebuy(seat, rules, round_, means)]
    if seat.book is Book.PLAY:
        ways.append(_way(Way.TOP_UP, closed=_away(means)))
    else:
        ways += _deposits(rules, means)
    return {
        "code": CODE,
        "minimum": _money(rules.minimum, rules),
        "missing": _money(rules.minimum - balance, rules),
        "ways": ways,
    }


def _rebuy(seat: Seat, rules: TableRules, round_: RoundState, means: Means) -> dict[str, Any]:
    """All of the account, between rounds: with a wager in play, when its round is settled."""
    part = round_.seat_of(seat.player)
    waits = round_.is_running() and part is not None and part.standing is Standing.CONFIRMED
    return _way(
        Way.REBUY,
        closed=_away(means) or _purse(means),
        when=When.AFTER_ROUND if waits else When.NOW,
        deadline_at=round_.facts().deadline_at if waits else None,
        amount=_money(means.account, rules),
    )


def _deposits(rules: TableRules, means: Means) -> list[dict[str, Any]]:
    last, closed = means.last, _away(means)
    if last is None:
        return [_way(Way.DEPOSIT, closed=closed)]
    quick = _way(
        Way.QUICK_DEPOSIT,
        closed=closed or (None if last.open else _closed(Closed.METHOD_CLOSED)),
        amount=_money(last.amount, rules),
        method=last.method,
        name=last.name,
    )
    return [quick, _way(Way.DEPOSIT, closed=closed)]


def _away(means: Means) -> dict[str, Any] | None:
    return None if means.away is None else _closed(Closed.PLAYER_EXCLUDED, until=means.away.until)


def _purse(means: Means) -> dict[str, Any] | None:
    if means.owed:
        return _closed(Closed.DEBT_OUTSTANDING)
    return None if means.account > 0 else _closed(Closed.ACCOUNT_EMPTY)


def _closed(why: Closed, *, until: datetime | None = None) -> dict[str, Any]:
    return {"code": why, "until": until}


def _way(
    way: Way,
    *,
    closed: dict[str, Any] | None,
    when: When = When.NOW,
    deadline_at: datetime | None = None,
    amount: dict[str, str] | None = None,
    method: UUID | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    return {
        "way": way,
        "possible": closed is None,
        "closed": closed,
        "when": when,
        "deadline_at": deadline_at,
        "amount": amount,
        "method": None if method is None else str(method),
        "name": name,
    }


def _money(minor: int, rules: TableRules) -> dict[str, str]:
    return {"amount": text(minor, rules.currency), "currency": rules.currency}
