"""Set limits, exclusions, blocks and reality checks, each in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators import pins
from casino.operators.refusals import PinNotSet
from wallet import notices
from wallet.ledger.player_accounts import lock_real_accounts
from wallet.notices import Notice, NoticeKind
from wallet.responsible_gaming import decider, projection
from wallet.responsible_gaming.decider import WalletOwner
from wallet.responsible_gaming.events import (
    CoolingOffStarted,
    Initiator,
    LimitPeriod,
    LimitType,
    OperatorLimitEvent,
    PlayerBlocked,
    PlayerRestrictionEvent,
    PlayLimitSet,
    SelfExcluded,
    operator_limits_stream,
    responsible_gaming_stream,
)
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.responsible_gaming.state import PlayerRestrictionsState, evolve, evolve_operator_limits

Decide = Callable[[PlayerRestrictionsState, datetime], PlayerRestrictionEvent]


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """The player whose restrictions change, and the metadata of the request."""

    operator: UUID
    player: UUID
    currency: str
    metadata: Metadata

    @property
    def owner(self) -> WalletOwner:
        """The player, as a parameter of decisions."""
        return WalletOwner(self.operator, self.player, self.currency)


def set_limit(
    *, context: PlayerContext, by: Initiator, limit_type: LimitType, period: LimitPeriod, limit: int | None
) -> PlayerRestrictionsState:
    """Set a player's limit (minor units, or minutes of time), or request a higher limit or none (None).

    Raises UnknownAccount, InvalidPlayLimit, PlayLimitUnchanged.
    """
    return _change(
        context,
        lambda state, now: decider.set_limit(
            state, owner=context.owner, by=by, limit_type=limit_type, period=period, limit=limit, now=now
        ),
    )


def confirm_increase(*, context: PlayerContext, limit_type: LimitType, period: LimitPeriod) -> PlayerRestrictionsState:
    """Confirm an increase that the player requested a day ago.

    Raises NoLimitIncreasePending, LimitIncreaseTooEarly.
    """
    return _change(
        context,
        lambda state, now: decider.confirm_increase(
            state, owner=context.owner, limit_type=limit_type, period=period, now=now
        ),
    )


def cancel_increase(*, context: PlayerContext, limit_type: LimitType, period: LimitPeriod) -> PlayerRestrictionsState:
    """Cancel a requested increase. Raises NoLimitIncreasePending."""
    return _change(
        context,
        lambda state, now: decider.cancel_increase(
            state, owner=context.owner, limit_type=limit_type, period=period, now=now
        ),
    )


def set_reality_check(*, context: PlayerContext, minutes: int) -> PlayerRestrictionsState:
    """Set the interval of a player's reality checks. Raises RealityCheckInvalid."""
    return _change(context, lambda _, now: decider.set_reality_check(owner=context.owner, minutes=minutes, now=now))


def cool_off(*, context: PlayerContext, by: Initiator, hours: int) -> PlayerRestrictionsState:
    """Exclude a player from deposits and play for so many hours.

    Raises UnknownAccount, ExclusionLengthInvalid, LongerExclusionActive.
    """
    return _change(
        context, lambda state, now: decider.cool_off(state, owner=context.owner, by=by, hours=hours, now=now)
    )


def self_exclude(*, context: PlayerContext, by: Initiator, months: int | None) -> PlayerRestrictionsState:
    """Exclude a player from deposits and play for at least so many months, or for ever. Raises as `cool_off`."""
    return _change(
        context, lambda state, now: decider.self_exclude(state, owner=context.owner, by=by, months=months, now=now)
    )


def end_exclusion(*, context: PlayerContext) -> PlayerRestrictionsState:
    """End a player's self-exclusion that is over.

    Raises NotSelfExcluded, ExclusionPermanent, ExclusionStillRunning.
    """
    return _change(context, lambda state, now: decider.end_exclusion(state, owner=context.owner, now=now))


def block_player(*, context: PlayerContext, player_message: str) -> PlayerRestrictionsState:
    """Block a player from play. Raises UnknownAccount, PlayerAlreadyBlocked.

    Confirmed wagers are dealt and settled; deposits and withdrawals stay possible.
    """
    return _change(
        context,
        lambda state, now: decider.block_player(state, owner=context.owner, player_message=player_message, now=now),
    )


def unblock_player(*, context: PlayerContext) -> PlayerRestrictionsState:
    """Remove a player's block. Raises UnknownAccount, PlayerNotBlocked."""
    return _change(context, lambda state, now: decider.unblock_player(state, owner=context.owner, now=now))


def freeze_player(*, context: PlayerContext, reason: str) -> PlayerRestrictionsState:
    """Freeze a player's account, for an encrypted reason. Raises UnknownAccount, PlayerAlreadyFrozen.

    Confirmed wagers are dealt and settled; the money stays where it is.
    """
    by = context.metadata.actor
    return _change(
        context,
        lambda state, now: decider.freeze_player(state, owner=context.owner, reason=reason, by=by, now=now),
    )


def unfreeze_player(*, context: PlayerContext, by: tuple[str, ...]) -> PlayerRestrictionsState:
    """Lift a player's freeze as these persons. Raises UnknownAccount, PlayerNotFrozen."""
    return _change(context, lambda state, now: decider.unfreeze_player(state, owner=context.owner, by=by, now=now))


def check_pin(pin: pins.ComparedPin) -> Refusal | None:
    """Check a PIN where the player has one; returns the refusal, or None.

    Commit the transaction before raising the refusal: it counts the failed attempt.
    """
    refusal = pins.try_pin(pin)
    return None if isinstance(refusal, PinNotSet) else refusal


def set_operator_wide_limit(
    *, operator: UUID, currency: str, limit_type: LimitType, period: LimitPeriod, limit: int | None, metadata: Metadata
) -> None:
    """Set a limit for every player of an operator, or remove it (None).

    Raises InvalidPlayLimit, PlayLimitUnchanged, VersionConflict.
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
            now=database_now(),
        )
        _change_operator_limits(event, version, metadata)


def set_play_money_cap(*, operator: UUID, currency: str, cap: int, metadata: Metadata) -> None:
    """Set the cap on play money in minor units. Raises InvalidPlayLimit, VersionConflict."""
    with transaction.atomic():
        _, version = projection.load_operator_limits(operator=operator)
        event = decider.set_play_money_cap(operator=operator, currency=currency, cap=cap, now=database_now())
        _change_operator_limits(event, version, metadata)


def _change(context: PlayerContext, decide: Decide) -> PlayerRestrictionsState:
    with transaction.atomic():
        # Wagers and deposits take one of these locks, too, so the change applies to every later one.
        lock_real_accounts(operator=context.operator, player=context.player)
        now = database_now()
        state, version = projection.load_restrictions(operator=context.operator, player=context.player)
        event = decide(state, now)
        stream = responsible_gaming_stream(context.player)
        RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=context.metadata)
        state = evolve(state, event)
        projection.save_restrictions(operator=context.operator, player=context.player, state=state, version=version + 1)
        notice = _notice(event)
        if notice is not None:
            notices.notify_player(notice)
    return state


def _notice(event: PlayerRestrictionEvent) -> Notice | None:
    """Return what the player is told of an event, None where the house took nothing."""
    to = partial(Notice, event.operator, event.player)
    match event:
        case PlayLimitSet(by=Initiator.OPERATOR, limit=int(limit)):
            what = {"limit_type": event.limit_type.value, "period": event.period.value, "currency": event.currency}
            return to(NoticeKind.LIMIT_SET, details={**what, "limit": limit})
        case CoolingOffStarted(by=Initiator.OPERATOR, until=until):
            return to(NoticeKind.COOLING_OFF, details={"until": until.isoformat()})
        case SelfExcluded(by=Initiator.OPERATOR, until=None):
            return to(NoticeKind.EXCLUDED_PERMANENTLY)
        case SelfExcluded(by=Initiator.OPERATOR, until=datetime() as until):
            return to(NoticeKind.EXCLUDED, details={"until": until.isoformat()})
        case PlayerBlocked(player_message=message):
            is_written = crypto_shredding.is_encrypted(message)  # else the sentence for any stop, in English
            return to(NoticeKind.BLOCKED, message=message if is_written else "")
    return None


def _change_operator_limits(event: OperatorLimitEvent, version: int, metadata: Metadata) -> None:
    stream = operator_limits_stream(event.operator)
    RESPONSIBLE_GAMING_EVENTS.record(stream, version=version, events=[event], metadata=metadata)
    state, _ = projection.load_operator_limits(operator=event.operator)
    projection.save_operator_limits(
        operator=event.operator,
        state=evolve_operator_limits(state, event),
        version=version + 1,
    )
