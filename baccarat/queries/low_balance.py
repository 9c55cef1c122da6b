"""The notice of a game balance under the table's minimum, which names every way out, and why one is closed. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds.state import RoundState, SeatStatus
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.tables.state import Seat
from casino.kernel.money import MoneyType, format_amount
from wallet.payments.funding_options import FundingOptions

CODE: Final = "under_minimum"


class FundingMethod(StrEnum):
    """How money comes to a game balance, or to the account that it comes from."""

    REBUY = "rebuy"
    QUICK_DEPOSIT = "quick_deposit"
    DEPOSIT = "deposit"
    TOP_UP = "top_up"


class FundingAvailability(StrEnum):
    """From when a way is open."""

    NOW = "now"
    AFTER_ROUND = "after_round"


class FundingRefusal(StrEnum):
    """Why a way is closed."""

    PLAYER_EXCLUDED = "player_excluded"
    DEBT_OUTSTANDING = "debt_outstanding"
    ACCOUNT_EMPTY = "account_empty"
    METHOD_CLOSED = "method_unavailable"


def present_low_balance(
    *, seat: Seat, rules: TableRules, round_: RoundState, balance: int, funding_options: FundingOptions
) -> dict[str, Any] | None:
    """Draw the notice, or None where `balance` (minor units) reaches the table's minimum."""
    if balance >= rules.minimum:
        return None
    ways = [_rebuy(seat, rules, round_, funding_options)]
    if seat.money_type is MoneyType.PLAY:
        ways.append(_way(FundingMethod.TOP_UP, closed=_away(funding_options)))
    else:
        ways += _deposits(rules, funding_options)
    return {
        "code": CODE,
        "minimum": _money(rules.minimum, rules),
        "missing": _money(rules.minimum - balance, rules),
        "ways": ways,
    }


def _rebuy(seat: Seat, rules: TableRules, round_: RoundState, means: FundingOptions) -> dict[str, Any]:
    """All of the account, between rounds: with a wager in play, when its round is settled."""
    part = round_.seat_of(seat.player)
    waits = round_.is_running() and part is not None and part.status is SeatStatus.CONFIRMED
    return _way(
        FundingMethod.REBUY,
        closed=_away(means) or _purse(means),
        when=FundingAvailability.AFTER_ROUND if waits else FundingAvailability.NOW,
        deadline_at=round_.require_opened().deadline_at if waits else None,
        amount=_money(means.balance, rules),
    )


def _deposits(rules: TableRules, means: FundingOptions) -> list[dict[str, Any]]:
    last, closed = means.last_deposit, _away(means)
    if last is None:
        return [_way(FundingMethod.DEPOSIT, closed=closed)]
    quick = _way(
        FundingMethod.QUICK_DEPOSIT,
        closed=closed or (None if last.method_available else _closed(FundingRefusal.METHOD_CLOSED)),
        amount=_money(last.amount, rules),
        method=last.method,
        name=last.name,
    )
    return [quick, _way(FundingMethod.DEPOSIT, closed=closed)]


def _away(means: FundingOptions) -> dict[str, Any] | None:
    return None if means.exclusion is None else _closed(FundingRefusal.PLAYER_EXCLUDED, until=means.exclusion.until)


def _purse(means: FundingOptions) -> dict[str, Any] | None:
    if means.owed:
        return _closed(FundingRefusal.DEBT_OUTSTANDING)
    return None if means.balance > 0 else _closed(FundingRefusal.ACCOUNT_EMPTY)


def _closed(why: FundingRefusal, *, until: datetime | None = None) -> dict[str, Any]:
    return {"code": why, "until": until}


def _way(
    way: FundingMethod,
    *,
    closed: dict[str, Any] | None,
    when: FundingAvailability = FundingAvailability.NOW,
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
    return {"amount": format_amount(minor, rules.currency), "currency": rules.currency}
