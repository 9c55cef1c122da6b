"""One adjustment: what its events have made of it, and who may decide it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from casino.kernel.money import MoneyType
from wallet.adjustments.events import (
    AdjustmentApproved,
    AdjustmentEvent,
    AdjustmentRejected,
    AdjustmentRequested,
    Direction,
)
from wallet.adjustments.refusals import AdjustmentDecided, AdjustmentRequiresSecondPerson, NoDebtInPlayMoney
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds


class AdjustmentStatus(StrEnum):
    """How an adjustment stands; `requested` waits for another person."""

    REQUESTED = "requested"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class AdjustmentState:
    """An adjustment as it stands; of a debit, `taken` came from the account and `owed` became a debt."""

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
    """Let another person agree; `available` is what the account holds, in minor units.

    A debit of more than that is refused, or with `as_debt` the rest becomes a debt. Raises AdjustmentDecided,
    AdjustmentNeedsAnother, InsufficientFunds, NoDebtInPlay.
    """
    _require_another(state, by)
    asked = state.requested
    taken = owed = 0
    if asked.direction is Direction.DEBIT:
        taken = min(asked.amount, max(available, 0))
        owed = asked.amount - taken
    if owed and not as_debt:
        account = player_account(
            operator=asked.operator, player=asked.player, money_type=asked.money_type, currency=asked.currency
        )
        raise InsufficientFunds(account=account, balance=available, needed=asked.amount)
    if owed and asked.money_type is not MoneyType.REAL:
        raise NoDebtInPlayMoney
    return AdjustmentApproved(
        asked.adjustment,
        asked.operator,
        asked.player,
        asked.money_type,
        asked.currency,
        asked.direction,
        asked.amount,
        taken,
        owed,
        by,
        at,
    )


def reject(state: AdjustmentState, *, by: str, at: datetime) -> AdjustmentRejected:
    """Let another person refuse. Raises AdjustmentDecided, AdjustmentNeedsAnother."""
    _require_another(state, by)
    return AdjustmentRejected(state.requested.adjustment, state.requested.operator, by, at)


def _require_another(state: AdjustmentState, by: str) -> None:
    if state.status is not AdjustmentStatus.REQUESTED:
        raise AdjustmentDecided(f"The adjustment is {state.status}.", current_status=state.status.value)
    if by == state.requested.requested_by:
        raise AdjustmentRequiresSecondPerson
