"""What two persons agree on about players: the end of a self-exclusion, the cap on play money, the end of a freeze.

The first two wait: a player who comes back has a day to think it over. A sandbox's key alone does them at once.
"""

from typing import Final
from uuid import UUID

from casino.kernel.money import format_amount
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from casino.operators.services import require_player
from wallet import acts
from wallet.responsible_gaming import services
from wallet.responsible_gaming.services import PlayerContext

END_EXCLUSION: Final = ChangeName.END_EXCLUSION
PLAY_MONEY_CAP: Final = ChangeName.PLAY_MONEY_CAP
UNFREEZE: Final = ChangeName.UNFREEZE


def request_end_of_exclusion(*, operator: UUID, player: UUID, by: str) -> Change:
    """Request the end of a player's self-exclusion whose minimum is over.

    Raises UnknownPlayer, UnknownAccount, NotSelfExcluded, ExclusionPermanent, ExclusionStillRunning,
    ChangeNeedsSecondPerson.
    """
    require_player(operator=operator, player=player)
    return changes.request(
        operator=operator,
        kind=END_EXCLUSION,
        subject=f"player:{player}",
        summary="End a player's self-exclusion",
        details={"player": str(player)},
        by=by,
    )


def request_play_money_cap(*, operator: UUID, currency: str, cap: int, by: str) -> Change:
    """Request a cap on play money, in minor units. Raises InvalidPlayLimit, ChangeNeedsSecondPerson."""
    return changes.request(
        operator=operator,
        kind=PLAY_MONEY_CAP,
        subject=f"operator:{operator}",
        summary=f"Top up play money to {format_amount(cap, currency)} {currency}",
        details={"currency": currency, "cap": cap},
        by=by,
    )


def request_unfreeze(*, operator: UUID, player: UUID, by: str) -> Change:
    """Request that the freeze of a player's account is lifted.

    Raises UnknownPlayer, UnknownAccount, PlayerNotFrozen, ChangeAlreadyRequested, ChangeNeedsSecondPerson.
    """
    require_player(operator=operator, player=player)
    return changes.request(
        operator=operator,
        kind=UNFREEZE,
        subject=f"player:{player}",
        summary="Lift the freeze of a player's account",
        details={"player": str(player)},
        by=by,
    )


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(END_EXCLUSION, acts.APPROVE_TERMS, _end_exclusion))
    changes.register(ChangeKind(PLAY_MONEY_CAP, acts.APPROVE_TERMS, _set_cap))
    changes.register(ChangeKind(UNFREEZE, acts.UNFREEZE, _unfreeze, alone=True))


def _end_exclusion(change: Change) -> None:
    player = UUID(change.details["player"])
    operator = changes.operator_of(change)
    services.end_exclusion(context=PlayerContext(operator, player, "", changes.metadata(change)))


def _unfreeze(change: Change) -> None:
    player, operator = UUID(change.details["player"]), changes.operator_of(change)
    by = tuple(filter(None, (change.requested_by, change.decided_by)))
    services.unfreeze_player(context=PlayerContext(operator, player, "", changes.metadata(change)), by=by)


def _set_cap(change: Change) -> None:
    services.set_play_money_cap(
        operator=changes.operator_of(change),
        currency=change.details["currency"],
        cap=change.details["cap"],
        metadata=changes.metadata(change),
    )
