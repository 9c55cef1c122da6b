"""Use cases of exclusion: it stops deposits, seating, rebuys and wagers at once, and returns unconfirmed chips.

Confirmed wagers are dealt and settled. Leaving, withdrawals and payments to the player continue to work.
"""

from typing import Final

from django.db import transaction

from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services.seats import leave_round_only
from baccarat.storage import repository
from casino.events.sql import fetch
from wallet.responsible_gaming import exclusions, services
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind, PlayerRestrictionsState

_TABLES: Final = """
    SELECT table_id FROM baccarat_sitting
     WHERE player_id = %s AND operator_id = %s AND seat IS NOT NULL ORDER BY table_id
"""


def exclude(
    *, subject: PlayerContext, by: Initiator, kind: ExclusionKind, length: int, pin: str | None = None, note: str = ""
) -> PlayerRestrictionsState:
    """Exclude a player for `length` hours (cooling-off) or at least `length` months (self-exclusion).

    A player with a PIN confirms with it. `note` is the operator's reason and is not part of any event. Raises
    UnknownAccount, ExclusionLengthInvalid, LongerExclusionActive, PinLocked, PinWrong (after counting the attempt).
    """
    with transaction.atomic():
        refusal = services.check_pin(player=subject.player, pin=pin) if by is Initiator.PLAYER else None
        if refusal is None:
            state = _exclude(subject, by, kind, length)
            _say(subject, state, note)
            return state
    raise refusal


def _exclude(on: PlayerContext, by: Initiator, kind: ExclusionKind, length: int) -> PlayerRestrictionsState:
    # Lock tables first and in a fixed order: a wager locks its table before it waits for the player.
    tables = [row[0] for row in fetch(_TABLES, [on.player, on.operator])]
    locked = [repository.lock_table(table=table, operator=on.operator) for table in tables]
    if kind is ExclusionKind.COOLING_OFF:
        state = services.cool_off(context=on, by=by, hours=length)
    else:
        state = services.self_exclude(context=on, by=by, months=length)
    journals = [
        journal for journal, now in locked if _has_chips(journal, on) and leave_round_only(journal, on.player, now)
    ]
    repository.save([(journal, on.metadata) for journal in journals])
    return state


def _say(on: PlayerContext, state: PlayerRestrictionsState, note: str) -> None:
    if note and state.exclusion is not None:
        since = state.exclusion.since
        exclusions.save_note(operator=on.operator, player=on.player, since=since, by=on.metadata.actor, note=note)


def _has_chips(journal: UnitOfWork, on: PlayerContext) -> bool:
    part = journal.round.seat_of(on.player)
    return part is not None and part.status is SeatStatus.DECIDING and bool(part.placements)
