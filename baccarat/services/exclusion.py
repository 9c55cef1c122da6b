"""Use cases of players who stay away: at once no deposit, seat, rebuy or wager, and chips that lay on tables go back.

What is confirmed is dealt and settled; leaving, withdrawing and whatever is paid to the player go on as before.
"""

from typing import Final

from django.db import transaction

from baccarat.domain.rounds.state import Standing
from baccarat.domain.unit_of_work import Journal
from baccarat.services.seats import step_aside
from baccarat.storage import repository
from casino.events.sql import fetch
from wallet.responsible_gaming import exclusions, services
from wallet.responsible_gaming.events import Setter
from wallet.responsible_gaming.services import On
from wallet.responsible_gaming.state import ExclusionKind, Protection

_TABLES: Final = """
    SELECT table_id FROM baccarat_sitting
     WHERE player_id = %s AND operator_id = %s AND seat IS NOT NULL ORDER BY table_id
"""


def exclude(
    *, on: On, by: Setter, kind: ExclusionKind, length: int, pin: str | None = None, note: str = ""
) -> Protection:
    """Keep a player away for `length` hours (a cooling-off) or months at least (a self-exclusion).

    A player who has a PIN confirms it by that. `note` tells why an operator's people do it, and goes into no event.
    Raises UnknownAccount, ExclusionLengthInvalid, ExclusionRunsLonger, PinLocked, PinWrong (which has been counted).
    """
    with transaction.atomic():
        refusal = services.try_pin(player=on.player, pin=pin) if by is Setter.PLAYER else None
        if refusal is None:
            state = _exclude(on, by, kind, length)
            _say(on, state, note)
            return state
    raise refusal


def _exclude(on: On, by: Setter, kind: ExclusionKind, length: int) -> Protection:
    # Tables first, in one order: a wager holds its table before it waits for the player.
    tables = [row[0] for row in fetch(_TABLES, [on.player, on.operator])]
    locked = [repository.lock_table(table=table, operator=on.operator) for table in tables]
    if kind is ExclusionKind.COOLING_OFF:
        state = services.cool_off(on=on, by=by, hours=length)
    else:
        state = services.self_exclude(on=on, by=by, months=length)
    journals = [journal for journal, now in locked if _has_chips(journal, on) and step_aside(journal, on.player, now)]
    repository.write([(journal, on.metadata) for journal in journals])
    return state


def _say(on: On, state: Protection, note: str) -> None:
    if note and state.exclusion is not None:
        since = state.exclusion.since
        exclusions.say(operator=on.operator, player=on.player, since=since, by=on.metadata.actor, note=note)


def _has_chips(journal: Journal, on: On) -> bool:
    part = journal.round.seat_of(on.player)
    return part is not None and part.standing is Standing.DECIDING and bool(part.placements)
