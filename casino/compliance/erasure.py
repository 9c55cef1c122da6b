"""Erase a player: destroy the key under which the player's personal data, and texts about the player, are encrypted.

Rounds, wagers, money and events stay as they are and provable: they name the player by an id that leads to nobody. Two
persons agree on it. Backups of the database hold the key, encrypted under PERSONAL_KEYS, until they are deleted;
`erasure_copies` repeats an erasure after the restore of an older one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from casino.compliance import acts
from casino.compliance.cases import about_player, is_resolved
from casino.compliance.models import Case, Erasure
from casino.compliance.refusals import (
    AlreadyErased,
    ErasureReasonMissing,
    PlayerStillActive,
    PlayerStillExcluded,
    RetentionDutyNotEnded,
)
from casino.compliance.retention import TEN_YEARS
from casino.crypto import crypto_shredding
from casino.events.codec import EventRegistry, EventType
from casino.events.projections import ProjectionTable, Row
from casino.events.sql import database_now, execute, fetch
from casino.events.store import Append, append
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Player
from casino.operators.services import require_player
from casino.significant import recorder

KIND: Final = ChangeName.ERASURE


class ErasureReason(StrEnum):
    """Why a player is erased. A fixed list: free text about a person would have to be erased with the person."""

    REQUESTED_BY_PLAYER = "player_request"
    ORDERED_BY_AUTHORITY = "authority_order"
    REGISTERED_BY_MISTAKE = "registered_in_error"
    RETENTION_DUTY_ENDED = "retention_period_over"


@dataclass(frozen=True, slots=True)
class PlayerActivity:
    """A player's state as one app knows it. `active` and `excluded` players are not erased."""

    active: bool = False
    excluded: bool = False
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlayerErased:
    """A player's personal data was erased: by this change, on which these persons agreed."""

    change: UUID
    operator: UUID
    player: UUID
    reason: ErasureReason
    overrides_retention: bool
    agreed_by: tuple[str, ...]
    at: datetime


ERASURE_EVENTS: Final = EventRegistry([EventType(PlayerErased)])
ERASURES: Final = ProjectionTable.of(Erasure)
ActivityCheck = Callable[[UUID, UUID], PlayerActivity]
"""Takes an operator's id and a player's."""
_checks: Final[list[ActivityCheck]] = []

_LAST_SESSION: Final = """
    SELECT greatest(
        player.created_at, (SELECT max(last_used_at) FROM operators_playersession WHERE player_id = player.id)
    ), clock_timestamp() FROM operators_player AS player WHERE id = %s
"""
_LOCK: Final = "SELECT FROM operators_player WHERE id = %s FOR UPDATE"
_EXPORTS: Final = """
    player_id = %(player)s OR kind = 'operator'
    AND operator_id = (SELECT operator_id FROM operators_player WHERE id = %(player)s)
"""
_OVERWRITE: Final = (
    "UPDATE operators_player SET reference_index = NULL, nickname_index = NULL WHERE id = %(player)s",
    "DELETE FROM operators_playerpin WHERE player_id = %(player)s",
    """
    UPDATE operators_playersession SET ended_at = clock_timestamp(), ended_reason = 'removed'
    WHERE player_id = %(player)s AND ended_at IS NULL
    """,
    f"""
    DELETE FROM compliance_dataexportpiece
     WHERE export_id IN (SELECT id FROM compliance_dataexport WHERE {_EXPORTS})
    """,  # noqa: S608  (constants)
    f"DELETE FROM compliance_dataexport WHERE {_EXPORTS}",  # noqa: S608
    "DELETE FROM api_idempotentrequest WHERE player_id = %(player)s",
    "UPDATE django_admin_log SET object_repr = %(erased)s WHERE object_id = %(id)s",
)
"""Personal data that is not encrypted under the player's key: blind indexes, PINs, sessions, stored responses."""


def register_check(check: ActivityCheck) -> None:
    """Add another app's view of a player; call it in AppConfig.ready()."""
    _checks.append(check)


def request(*, operator: UUID, player: UUID, by: str, reason: str, overrides_retention: bool) -> Change:
    """Request the erasure of a player, for one of ErasureReason, as a change that another person confirms.

    Raises UnknownPlayer, ErasureReasonMissing, AlreadyErased, PlayerStillActive, PlayerStillExcluded,
    RetentionDutyNotEnded, ChangeAlreadyRequested, ChangeNeedsSecondPerson.
    """
    require_player(operator=operator, player=player)
    if reason not in set(ErasureReason):
        raise ErasureReasonMissing(reasons=[each.value for each in ErasureReason])
    return changes.request(
        operator=operator,
        kind=KIND,
        subject=f"player:{player}",
        summary=f"Erase a player: {reason.replace('_', ' ')}",
        details={"reason": reason, "overrides_retention": overrides_retention},
        by=by,
    )


def register() -> None:
    """Register what two persons may do here."""
    changes.register(ChangeKind(KIND, acts.APPROVE_ERASURE, _apply, silent=True, alone=True))


def _apply(change: Change) -> None:
    """Erase a player. Cannot be undone."""
    operator, player = changes.operator_of(change), UUID(change.subject.removeprefix("player:"))
    overrides = change.details["overrides_retention"]
    execute(_LOCK, [player])
    if player in crypto_shredding.erased_players():
        raise AlreadyErased
    _require_erasable(operator, player, overrides_retention=overrides)
    event = PlayerErased(
        change=change.pk,
        operator=operator,
        player=player,
        reason=ErasureReason(change.details["reason"]),
        overrides_retention=overrides,
        agreed_by=(change.requested_by, *change.confirmed_by),
        at=database_now(),
    )
    append([Append(erasure_stream(change.pk), 0, (ERASURE_EVENTS.encode(event),), changes.metadata(change))])
    Erasure.objects.create(**erasure_row(event)._asdict())
    _erase(player)
    recorder.record(
        kind=recorder.SignificantEventKind.DATA_ERASED,
        operator=operator,
        subject=f"player:{player}",
        actor=change.requested_by,
        authorised_by=change.decided_by,
        reason=change.details["reason"].replace("_", " "),
        after={"overrides_retention": overrides, "change": change.pk},
    )


def erasure_stream(change: UUID) -> str:
    """Return the stream of an erasure."""
    return f"erasure-{change}"


def erasure_row(event: PlayerErased) -> Row:
    """Return the row of an erasure."""
    return ERASURES.row(
        id=event.change,
        operator_id=event.operator,
        player_id=event.player,
        reason=event.reason.value,
        overrides_retention=event.overrides_retention,
        requested_by=event.agreed_by[0],
        approved_by=event.agreed_by[-1],
        erased_at=event.at,
    )


def _require_erasable(operator: UUID, player: UUID, *, overrides_retention: bool) -> None:
    activities = [check(operator, player) for check in _checks]
    is_reviewed = about_player(Case.objects.filter(~is_resolved(), operator_id=operator), player).exists()
    if is_reviewed or any(each.active for each in activities):
        raise PlayerStillActive
    if any(each.excluded for each in activities):
        raise PlayerStillExcluded
    ((last_session, now),) = fetch(_LAST_SESSION, [player])
    last_used = max([last_session, *(each.last_used_at for each in activities if each.last_used_at is not None)])
    if not overrides_retention and last_used > now - timedelta(days=TEN_YEARS):
        raise RetentionDutyNotEnded


def erase_again(player: UUID) -> UUID | None:
    """Erase a player whose erasure a restore undid; return the operator's id, None where nothing had to be done.

    Call it in a transaction.
    """
    execute(_LOCK, [player])
    if player in crypto_shredding.erased_players():
        return None
    _erase(player)
    return Player.objects.values_list("operator_id", flat=True).filter(id=player).first()


def _erase(player: UUID) -> None:
    crypto_shredding.destroy_key(player)
    values = {"player": player, "id": str(player), "erased": crypto_shredding.ERASED}
    for statement in _OVERWRITE:
        execute(statement, values)
