"""What is done to protect players, by themselves and by their operator: each is one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.operators import pins
from casino.operators.refusals import PinNotSet
from wallet.ledger import store
from wallet.ledger.accounts import player_account
from wallet.responsible_gaming import decider, projection
from wallet.responsible_gaming.decider import WalletOwner
from wallet.responsible_gaming.events import (
    Initiator,
    LimitPeriod,
    LimitType,
    OperatorLimitEvent,
    PlayerRestrictionEvent,
    operator_limits_stream,
    responsible_gaming_stream,
)
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.state import PlayerRestrictionsState, evolve, evolve_operator_limits

Decide = Callable[[PlayerRestrictionsState, datetime], PlayerRestrictionEvent]


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """Whose protection, and what the events remember of the request."""

    operator: UUID
    player: UUID
    currency: str
    metadata: Metadata

    @property
    def owner(self) -> WalletOwner:
        """The player, as deciders know it."""
        return WalletOwner(self.operator, self.player, self.currency)


def set_limit(
    *, context: PlayerContext, by: Initiator, limit_type: LimitType, period: LimitPeriod, limit: int | None
) -> PlayerRestrictionsState:
    """Limit a player to `most` (minor units, minutes of time), or ask for a higher limit or none (None).

    Raises UnknownAccount, PlayLimitImpossible, PlayLimitUnchanged.
    """
    return _change(
        context,
        lambda state, now: decider.set_limit(
            state, owner=context.owner, by=by, limit_type=limit_type, period=period, limit=limit, now=now
        ),
    )


def confirm_increase(*, context: PlayerContext, limit_type: LimitType, period: LimitPeriod) -> PlayerRestrictionsState:
    """Let a higher limit hold that the player asked for a day ago. Raises NoRaisePending, RaiseNotRipe."""
    return _change(
        context,
        lambda state, now: decider.confirm_increase(
            state, owner=context.owner, limit_type=limit_type, period=period, now=now
        ),
    )


def cancel_increase(*, context: PlayerContext, limit_type: LimitType, period: LimitPeriod) -> PlayerRestrictionsState:
    """Forget that the player asked for a higher limit. Raises NoRaisePending."""
    return _change(
        context,
        lambda state, now: decider.cancel_increase(
            state, owner=context.owner, limit_type=limit_type, period=period, now=now
        ),
    )


def set_reality_check(*, context: PlayerContext, minutes: int) -> PlayerRestrictionsState:
    """Have a player reminded every so many minutes. Raises RealityCheckInvalid."""
    return _change(context, lambda _, now: decider.set_reality_check(owner=context.owner, minutes=minutes, now=now))


def cool_off(*, context: PlayerContext, by: Initiator, hours: int) -> PlayerRestrictionsState:
    """Keep a player from deposits and play for so many hours, from now on.

    Raises UnknownAccount, ExclusionLengthInvalid, ExclusionRunsLonger.
    """
    return _change(
        context, lambda state, now: decider.cool_off(state, owner=context.owner, by=by, hours=hours, now=now)
    )


def self_exclude(*, context: PlayerContext, by: Initiator, months: int) -> PlayerRestrictionsState:
    """Keep a player from deposits and play for so many months at least. Raises as `cool_off`."""
    return _change(
        context, lambda state, now: decider.self_exclude(state, owner=context.owner, by=by, months=months, now=now)
    )


def end_exclusion(*, context: PlayerContext) -> PlayerRestrictionsState:
    """Let a player play again whose self-exclusion is over. Raises NotSelfExcluded, ExclusionNotOver."""
    return _change(context, lambda state, now: decider.end_exclusion(state, owner=context.owner, now=now))


def block_player(*, context: PlayerContext, player_message: str) -> PlayerRestrictionsState:
    """Hold a player back from play, for those who run the house. Raises UnknownAccount, PlayerStoppedAlready.

    A confirmed wager is dealt and settled; deposits and withdrawals stay as they are.
    """
    return _change(
        context,
        lambda state, now: decider.block_player(state, owner=context.owner, player_message=player_message, now=now),
    )


def unblock_player(*, context: PlayerContext) -> PlayerRestrictionsState:
    """Let a player play again. Raises UnknownAccount, PlayerNotStopped."""
    return _change(context, lambda state, now: decider.unblock_player(state, owner=context.owner, now=now))


def check_pin(*, player: UUID, pin: str | None) -> Refusal | None:
    """Hold a PIN against a player's where there is one, and answer why it is refused, None if it is not.

    Commit the transaction before the refusal is raised: a wrong try is counted in it.
    """
    refusal = pins.try_pin(player=player, pin=pin or "")
    return None if isinstance(refusal, PinNotSet) else refusal


def set_operator_wide_limit(
    *, operator: UUID, currency: str, limit_type: LimitType, period: LimitPeriod, limit: int | None, metadata: Metadata
) -> None:
    """Hold every player of an operator to `most`, or no longer to any limit (None).

    Raises PlayLimitImpossible, PlayLimitUnchanged, VersionConflict.
    """
    with transaction.atomic():
        state, version = projection.load_operator_limits(operator=operator)
        event = decider.set_operator_wide_limit(
            state,
            operator=operator,
            currency=currency,
            limit_type=limit_type,
            period=period,
            limit=limit,
            now=store.database_now(),
        )
        _change_house(event, version, metadata)


def set_play_money_cap(*, operator: UUID, currency: str, cap: int, metadata: Metadata) -> None:
    """Say up to how many minor units play money is topped up. Raises PlayLimitImpossible, VersionConflict."""
    with transaction.atomic():
        _, version = projection.load_operator_limits(operator=operator)
        event = decider.set_play_money_cap(operator=operator, currency=currency, cap=cap, now=store.database_now())
        _change_house(event, version, metadata)


def _change(on: PlayerContext, decide: Decide) -> PlayerRestrictionsState:
    account = player_account(operator=on.operator, player=on.player, money_type=MoneyType.REAL, currency=on.currency)
    with transaction.atomic():
        store.require_open(account)
        # Wagers and deposits hold this lock too: what is decided here holds for every one that comes after it.
        store.lock((account,))
        now = store.database_now()
        state, version = projection.load_restrictions(operator=on.operator, player=on.player)
        event = decide(state, now)
        stream = responsible_gaming_stream(on.player)
        RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=on.metadata)
        state = evolve(state, event)
        projection.save_restrictions(operator=on.operator, player=on.player, state=state, version=version + 1)
    return state


def _change_house(event: OperatorLimitEvent, version: int, metadata: Metadata) -> None:
    stream = operator_limits_stream(event.operator)
    RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=metadata)
    state, _ = projection.load_operator_limits(operator=event.operator)
    projection.save_operator_limits(
        operator=event.operator,
        currency=event.currency,
        state=evolve_operator_limits(state, event),
        version=version + 1,
    )
