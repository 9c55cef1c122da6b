"""Erase a player: destroy the key under which the player's personal data, and texts about the player, are encrypted.

Rounds, wagers, money and events stay as they are and provable: they name the player by an id that leads to nobody. One
person requests an erasure, another approves it. Backups of the database hold the key, encrypted under PERSONAL_KEYS,
until they are deleted; `erasure_copies` repeats an erasure after the restore of an older one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.compliance.models import Decision, Erasure
from casino.compliance.refusals import (
    AlreadyErased,
    ErasureDecided,
    ErasureNeedsSecondPerson,
    ErasureReasonMissing,
    PlayerStillActive,
    PlayerStillExcluded,
    RetentionDutyNotEnded,
    UnknownErasure,
)
from casino.compliance.retention import TEN_YEARS
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch
from casino.kernel.persons import is_another_person
from casino.operators.models import Player
from casino.operators.services import require_player
from casino.significant import recorder


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


ActivityCheck = Callable[[UUID, UUID], PlayerActivity]
"""Takes an operator's id and a player's."""
_checks: Final[list[ActivityCheck]] = []

_LAST_SESSION: Final = """
    SELECT greatest(
        player.created_at, (SELECT max(last_used_at) FROM operators_playersession WHERE player_id = player.id)
    ), clock_timestamp() FROM operators_player AS player WHERE id = %s
"""
_LOCK: Final = "SELECT FROM operators_player WHERE id = %s FOR UPDATE"
_OVERWRITE: Final = (
    "UPDATE operators_player SET reference_index = NULL WHERE id = %(player)s",
    "DELETE FROM operators_playerpin WHERE player_id = %(player)s",
    """
    UPDATE operators_playersession SET ended_at = clock_timestamp(), ended_reason = 'removed'
    WHERE player_id = %(player)s AND ended_at IS NULL
    """,
    """
    DELETE FROM compliance_playerexportpiece
     WHERE export_id IN (SELECT id FROM compliance_playerexport WHERE player_id = %(player)s)
    """,
    "DELETE FROM compliance_playerexport WHERE player_id = %(player)s",
    "DELETE FROM api_idempotentrequest WHERE player_id = %(player)s",
    "UPDATE django_admin_log SET object_repr = %(erased)s WHERE object_id = %(id)s",
)
"""Personal data that is not encrypted under the player's key: blind indexes, PINs, sessions, stored responses."""


def register_check(check: ActivityCheck) -> None:
    """Add another app's view of a player; call it in AppConfig.ready()."""
    _checks.append(check)


def request(*, operator: UUID, player: UUID, by: str, reason: str, overrides_retention: bool) -> UUID:
    """Request the erasure of a player, for one of ErasureReason, and return the request's id.

    Raises UnknownPlayer, ErasureReasonMissing, AlreadyErased, PlayerStillActive, PlayerStillExcluded,
    RetentionDutyNotEnded.
    """
    require_player(operator=operator, player=player)
    if reason not in set(ErasureReason):
        raise ErasureReasonMissing(reasons=[each.value for each in ErasureReason])
    with transaction.atomic():
        execute(_LOCK, [player])
        if (
            player in crypto_shredding.erased_players()
            or Erasure.objects.filter(player_id=player, decision=None).exists()
        ):
            raise AlreadyErased
        _require_erasable(operator, player, overrides_retention=overrides_retention)
        erasure = Erasure.objects.create(
            id=new_id(database_now()),
            operator_id=operator,
            player_id=player,
            reason=reason,
            overrides_retention=overrides_retention,
            requested_by=by,
        )
    return erasure.id


def approve(*, erasure: UUID, by: str) -> None:
    """Erase a player. Cannot be undone.

    Raises UnknownErasure, ErasureDecided, ErasureNeedsSecondPerson, PlayerStillActive, PlayerStillExcluded,
    RetentionDutyNotEnded.
    """
    with transaction.atomic():
        row = _lock_undecided(erasure, by)
        execute(_LOCK, [row.player_id])
        _require_erasable(row.operator_id, row.player_id, overrides_retention=row.overrides_retention)
        Decision.objects.create(erasure=row, approved=True, decided_by=by)
        _erase(row.player_id)
        recorder.record(
            kind=recorder.SignificantEventKind.DATA_ERASED,
            operator=row.operator_id,
            subject=f"player:{row.player_id}",
            actor=row.requested_by,
            authorised_by=by,
            reason=row.reason.replace("_", " "),
            after={"overrides_retention": row.overrides_retention},
        )


def decline(*, erasure: UUID, by: str) -> None:
    """Decline an erasure. Raises UnknownErasure, ErasureDecided, ErasureNeedsSecondPerson."""
    with transaction.atomic():
        Decision.objects.create(erasure=_lock_undecided(erasure, by), approved=False, decided_by=by)


def _lock_undecided(erasure: UUID, by: str) -> Erasure:
    row = Erasure.objects.filter(id=erasure).first()
    if row is None:
        raise UnknownErasure
    if not is_another_person(by, row.requested_by):
        raise ErasureNeedsSecondPerson
    Player.objects.select_for_update().get(id=row.player_id)  # serializes two decisions at once
    if Decision.objects.filter(erasure=row).exists():
        raise ErasureDecided
    return row


def _require_erasable(operator: UUID, player: UUID, *, overrides_retention: bool) -> None:
    activities = [check(operator, player) for check in _checks]
    if any(each.active for each in activities):
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
