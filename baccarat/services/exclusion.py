"""Use cases of exclusion: it stops deposits, seating, rebuys and wagers at once, and returns unconfirmed chips.

Confirmed wagers are dealt and settled. Leaving, withdrawals and payments to the player continue to work.
"""

from uuid import UUID

from django.db import transaction

from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services.seats import leave_round_only
from baccarat.storage import repository
from baccarat.storage.models import Sitting
from casino.operators.pins import ComparedPin
from wallet.payments import holds
from wallet.responsible_gaming import exclusions, services
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.refusals import ExclusionLengthInvalid
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerRestrictionsState


def exclude(
    *,
    subject: PlayerContext,
    by: Initiator,
    kind: ExclusionKind,
    length: int | None,
    pin: ComparedPin | None = None,
    note: str = "",
) -> PlayerRestrictionsState:
    """Exclude a player for `length` hours (cooling-off) or at least `length` months (self-exclusion).

    A self-exclusion without a length is permanent. A player with a PIN confirms with it; without `pin`, staff record
    the player's wish. One by the operator holds the player's payments. `note` is the operator's reason and is not part
    of any event. Raises UnknownAccount, ExclusionLengthInvalid, LongerExclusionActive,
    PinLocked, PinWrong (after counting the attempt).
    """
    with transaction.atomic():
        refusal = None if pin is None else services.check_pin(pin)
        if refusal is None:
            state = _exclude(subject, by, kind, length)
            _save_note(subject, state.exclusion_by(by), note)
            if by is Initiator.OPERATOR:
                holds.review_player(operator=subject.operator, player=subject.player)
            return state
    raise refusal


def _exclude(context: PlayerContext, by: Initiator, kind: ExclusionKind, length: int | None) -> PlayerRestrictionsState:
    # Lock tables first and in a fixed order: a wager locks its table before it waits for the player.
    seated = Sitting.objects.filter(player_id=context.player, operator_id=context.operator, seat__isnull=False)
    tables = seated.order_by("table_id").values_list("table_id", flat=True)
    locked = [repository.lock_table(table=table, operator=context.operator) for table in tables]
    if kind is ExclusionKind.COOLING_OFF:
        if length is None:
            raise ExclusionLengthInvalid
        state = services.cool_off(context=context, by=by, hours=length)
    else:
        state = services.self_exclude(context=context, by=by, months=length)
    units = [
        uow for uow, now in locked if _has_chips(uow, context.player) and leave_round_only(uow, context.player, now)
    ]
    repository.save([(uow, context.metadata) for uow in units])
    return state


def _save_note(context: PlayerContext, exclusion: Exclusion | None, note: str) -> None:
    if note and exclusion is not None:
        exclusions.save_note(
            operator=context.operator,
            player=context.player,
            since=exclusion.since,
            by=context.metadata.actor,
            note=note,
        )


def _has_chips(uow: UnitOfWork, player: UUID) -> bool:
    seat = uow.round.seat_of(player)
    return seat is not None and seat.status is SeatStatus.DECIDING and bool(seat.placements)
