"""The notice of a game balance under the table's minimum: funding options, and why one is unavailable. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta

from baccarat.domain.rounds.state import RoundState, SeatStatus
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.state import Seat
from casino.api.shapes import Money, Shape, Timestamp
from casino.kernel.money import MoneyType
from wallet.payments.funding_options import FundingOptions

CODE: Final = "under_minimum"


class FundingOptionType(StrEnum):
    """Kinds of transfers to a game balance, or to the account behind it."""

    REBUY = "rebuy"
    QUICK_DEPOSIT = "quick_deposit"
    DEPOSIT = "deposit"
    TOP_UP = "top_up"


class FundingOptionTiming(StrEnum):
    """When an option can be used."""

    NOW = "now"
    AFTER_ROUND = "after_round"


class FundingOptionUnavailableCode(StrEnum):
    """Why an option is not available. Values may be added."""

    PLAYER_EXCLUDED = "player_excluded"
    DEBT_OUTSTANDING = "debt_outstanding"
    ACCOUNT_EMPTY = "account_empty"
    METHOD_UNAVAILABLE = "method_unavailable"


class FundingOptionUnavailable(Shape):
    """Why an option is not available, and until when if known (a self-exclusion lasts until it is ended)."""

    code: FundingOptionUnavailableCode
    until: Timestamp | None


class FundingOption(Shape):
    """One way to add chips; fields that do not apply are null."""

    type: FundingOptionType
    available: Annotated[bool, Meta(description="If false, `unavailable` contains the reason.")]
    unavailable: FundingOptionUnavailable | None
    when: Annotated[FundingOptionTiming, Meta(description="`after_round`: a wager in play must be settled first.")]
    deadline_at: Annotated[Timestamp | None, Meta(description="When betting on that round closes.")]
    amount: Annotated[Money | None, Meta(description="The maximum of a rebuy; the last amount for a quick deposit.")]
    method: UUID | None
    name: Annotated[str | None, Meta(description="Name of the method.")]

    @classmethod
    def of(
        cls,
        type_: FundingOptionType,
        unavailable: FundingOptionUnavailable | None,
        *,
        when: FundingOptionTiming = FundingOptionTiming.NOW,
        deadline_at: datetime | None = None,
        amount: Money | None = None,
        method: UUID | None = None,
        name: str | None = None,
    ) -> "FundingOption":
        """Present an option that is available unless a reason is given."""
        return cls(
            type=type_,
            available=unavailable is None,
            unavailable=unavailable,
            when=when,
            deadline_at=deadline_at,
            amount=amount,
            method=method,
            name=name,
        )


class LowBalance(Shape):
    """The game balance is under the table's minimum."""

    code: Annotated[str, Meta(extra_json_schema={"enum": [CODE]})]
    minimum: Money
    shortfall: Money
    funding_options: tuple[FundingOption, ...]


def present_low_balance(
    *, seat: Seat, rules: TableRules, round_: RoundState, balance: int, funding_options: FundingOptions
) -> LowBalance | None:
    """Present the notice, None if `balance` (minor units) reaches the table's minimum."""
    if balance >= rules.minimum:
        return None
    options = [_rebuy(seat, rules, round_, funding_options)]
    if seat.money_type is MoneyType.PLAY:
        options.append(FundingOption.of(FundingOptionType.TOP_UP, _exclusion_reason(funding_options)))
    elif funding_options.deposits:
        options += _deposits(rules, funding_options)
    return LowBalance(
        code=CODE,
        minimum=Money.of(rules.minimum, rules.currency),
        shortfall=Money.of(rules.minimum - balance, rules.currency),
        funding_options=tuple(options),
    )


def _rebuy(seat: Seat, rules: TableRules, round_: RoundState, funding: FundingOptions) -> FundingOption:
    """Return the rebuy option: the whole account, between rounds; with a wager in play, after the round is settled."""
    round_seat = round_.seat_of(seat.player)
    wager_in_play = round_.is_running() and round_seat is not None and round_seat.status is SeatStatus.CONFIRMED
    return FundingOption.of(
        FundingOptionType.REBUY,
        _exclusion_reason(funding) or _account_reason(funding),
        when=FundingOptionTiming.AFTER_ROUND if wager_in_play else FundingOptionTiming.NOW,
        deadline_at=round_.require_opened().deadline_at if wager_in_play else None,
        amount=Money.of(funding.balance, rules.currency),
    )


def _deposits(rules: TableRules, funding: FundingOptions) -> list[FundingOption]:
    last, excluded = funding.last_deposit, _exclusion_reason(funding)
    deposit = FundingOption.of(FundingOptionType.DEPOSIT, excluded)
    if last is None:
        return [deposit]
    method_unavailable = (
        None if last.method_available else _unavailable(FundingOptionUnavailableCode.METHOD_UNAVAILABLE)
    )
    quick = FundingOption.of(
        FundingOptionType.QUICK_DEPOSIT,
        excluded or method_unavailable,
        amount=Money.of(last.amount, rules.currency),
        method=last.method,
        name=last.name,
    )
    return [quick, deposit]


def _exclusion_reason(funding: FundingOptions) -> FundingOptionUnavailable | None:
    """Return why no option is available to an excluded player, None without an exclusion."""
    if funding.exclusion is None:
        return None
    return _unavailable(FundingOptionUnavailableCode.PLAYER_EXCLUDED, until=funding.exclusion.until)


def _account_reason(funding: FundingOptions) -> FundingOptionUnavailable | None:
    """Return why the account allows no rebuy, None if it does."""
    if funding.owed:
        return _unavailable(FundingOptionUnavailableCode.DEBT_OUTSTANDING)
    return None if funding.balance > 0 else _unavailable(FundingOptionUnavailableCode.ACCOUNT_EMPTY)


def _unavailable(code: FundingOptionUnavailableCode, *, until: datetime | None = None) -> FundingOptionUnavailable:
    return FundingOptionUnavailable(code=code, until=until)
