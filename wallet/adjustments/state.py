"""The state of an adjustment and the decisions about it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from casino.kernel.money import MoneyType
from casino.kernel.persons import is_another_person
from wallet.adjustments.events import (
    AdjustmentApproved,
    AdjustmentDirection,
    AdjustmentEvent,
    AdjustmentRejected,
    AdjustmentRequested,
)
from wallet.adjustments.refusals import AdjustmentDecided, AdjustmentRequiresSecondPerson, NoDebtInPlayMoney
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds


class AdjustmentStatus(StrEnum):
    """Status of an adjustment; `requested` waits for another person."""

    REQUESTED = "requested"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class AdjustmentState:
    """An adjustment; of a debit, `taken` left the account and `owed` became a debt."""

    requested: AdjustmentRequested
    status: AdjustmentStatus = AdjustmentStatus.REQUESTED
    taken: int = 0
    owed: int = 0
    decided_by: str | None = None
    decided_at: datetime | None = None


def fold(events: Iterable[AdjustmentEvent], before: AdjustmentState | None = None) -> AdjustmentState:
    """Rebuild an adjustment from its events, or from those after `before`. Raises TypeError without its request."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("An adjustment begins with its request.")
    return state


def _begin(event: AdjustmentEvent) -> AdjustmentState:
    if not isinstance(event, AdjustmentRequested):
        raise TypeError(f"An adjustment begins with its request, not with {type(event).__name__}.")
    return AdjustmentState(event)


def evolve(state: AdjustmentState, event: AdjustmentEvent) -> AdjustmentState:
    """Apply one event. Raises ValueError for a second request."""
    match event:
        case AdjustmentApproved():
            decided = replace(state, status=AdjustmentStatus.APPROVED, taken=event.taken, owed=event.owed)
            return replace(decided, decided_by=event.approved_by, decided_at=event.at)
        case AdjustmentRejected():
            rejected = replace(state, status=AdjustmentStatus.REJECTED)
            return replace(rejected, decided_by=event.rejected_by, decided_at=event.at)
        case AdjustmentRequested():
            raise ValueError("An adjustment is requested once.")


def approve(state: AdjustmentState, *, by: str, available: int, as_debt: bool, at: datetime) -> AdjustmentApproved:
    """Approve as another person; `available` is the account's balance in minor units.

    A larger debit is refused, or with `as_debt` the rest becomes a debt. Raises AdjustmentDecided,
    AdjustmentRequiresSecondPerson, InsufficientFunds, NoDebtInPlayMoney.
    """
    _require_another(state, by)
    requested = state.requested
    taken = owed = 0
    if requested.direction is AdjustmentDirection.DEBIT:
        taken = min(requested.amount, max(available, 0))
        owed = requested.amount - taken
    if owed and not as_debt:
        account = player_account(
            operator=requested.operator,
            player=requested.player,
            money_type=requested.money_type,
            currency=requested.currency,
        )
        raise InsufficientFunds(account=account, balance=available, needed=requested.amount)
    if owed and requested.money_type is not MoneyType.REAL:
        raise NoDebtInPlayMoney
    return AdjustmentApproved(
        requested.adjustment,
        requested.operator,
        requested.player,
        requested.money_type,
        requested.currency,
        requested.direction,
        requested.amount,
        taken,
        owed,
        by,
        at,
    )


def reject(state: AdjustmentState, *, by: str, at: datetime) -> AdjustmentRejected:
    """Reject as another person. Raises AdjustmentDecided, AdjustmentRequiresSecondPerson."""
    _require_another(state, by)
    return AdjustmentRejected(state.requested.adjustment, state.requested.operator, by, at)


def _require_another(state: AdjustmentState, by: str) -> None:
    if state.status is not AdjustmentStatus.REQUESTED:
        raise AdjustmentDecided(f"The adjustment is {state.status}.", current_status=state.status.value)
    if not is_another_person(by, state.requested.requested_by):
        raise AdjustmentRequiresSecondPerson
