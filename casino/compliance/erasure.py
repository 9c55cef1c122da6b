"""A person is forgotten: the key under which what is personal is sealed, words about the person too, is destroyed.

Rounds, wagers, money and the log stay as they are and provable: they name the player by an id that leads to nobody. One
person asks, another decides. Backups of the database still hold the key, sealed under PERSONAL_KEYS, until they go.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.compliance.erasure_models import Decision, Erasure
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
from casino.events.sql import execute, fetch
from casino.operators.models import Player
from casino.operators.queries import require_player
from casino.significant import recorder
from wallet.responsible_gaming import projection


class ErasureReason(StrEnum):
    """Why a player is forgotten: one of these, as free words about a person would have to be forgotten with it."""

    REQUESTED_BY_PLAYER = "player_request"
    ORDERED_BY_AUTHORITY = "authority_order"
    REGISTERED_BY_MISTAKE = "registered_in_error"
    RETENTION_DUTY_ENDED = "retention_period_over"


_IN_PLAY: Final = """
    SELECT EXISTS (SELECT FROM wallet_account JOIN wallet_balance ON account_id = id
                    WHERE player_id = %(player)s AND money_type = 'real' AND balance <> 0)
        OR EXISTS (SELECT FROM baccarat_sitting WHERE player_id = %(player)s AND seat IS NOT NULL)
        OR EXISTS (SELECT FROM baccarat_wager
                    WHERE player_id = %(player)s AND settled_at IS NULL AND voided_at IS NULL)
        OR EXISTS (SELECT FROM wallet_deposit WHERE player_id = %(player)s AND status = 'pending')
        OR EXISTS (SELECT FROM wallet_withdrawal
                    WHERE player_id = %(player)s AND status IN ('requested', 'approved', 'sent'))
"""
_LAST_USED: Final = """
    SELECT greatest(
        player.created_at,
        (SELECT max(last_used_at) FROM operators_playersession WHERE player_id = player.id),
        (SELECT max(confirmed_at) FROM baccarat_wager WHERE player_id = player.id)
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
    "DELETE FROM api_idempotentrequest WHERE starts_with(scope, %(scope)s) OR strpos(response, %(id)s) > 0",
    "UPDATE django_admin_log SET object_repr = %(erased)s WHERE object_id = %(id)s",
)
"""What is not sealed: marks, PINs, sessions, requests that were answered."""


def request(*, operator: UUID, player: UUID, by: str, reason: str, overrides_retention: bool) -> UUID:
    """Ask for a player to be erased, for a reason of Ground's, and return the request's id.

    Raises UnknownPlayer, ErasureReasonMissing, AlreadyErased, StillInPlay, StillExcluded, StillToBeKept.
    """
    require_player(operator=operator, player=player)
    if reason not in set(ErasureReason):
        raise ErasureReasonMissing(reasons=[ground.value for ground in ErasureReason])
    with transaction.atomic():
        execute(_LOCK, [player])
        if (
            player in crypto_shredding.erased_players()
            or Erasure.objects.filter(player_id=player, decision=None).exists()
        ):
            raise AlreadyErased
        _require_erasable(operator, player, overrides_retention=overrides_retention)
        asked = Erasure.objects.create(
            id=new_id(),
            operator_id=operator,
            player_id=player,
            reason=reason,
            overrides_retention=overrides_retention,
            requested_by=by,
        )
    return asked.id


def approve(*, erasure: UUID, by: str) -> None:
    """Erase a player. Not undone.

    Raises UnknownErasure, ErasureDecided, ErasureNeedsAnother, StillInPlay, StillExcluded, StillToBeKept.
    """
    with transaction.atomic():
        asked = _waiting(erasure, by)
        execute(_LOCK, [asked.player_id])
        _require_erasable(asked.operator_id, asked.player_id, overrides_retention=asked.overrides_retention)
        Decision.objects.create(erasure=asked, approved=True, decided_by=by)
        _erase(asked.player_id)
        recorder.record(
            kind=recorder.SignificantEventKind.DATA_ERASED,
            operator=asked.operator_id,
            subject=f"player:{asked.player_id}",
            actor=asked.requested_by,
            authorised_by=by,
            reason=asked.reason.replace("_", " "),
            after={"overrides_retention": asked.overrides_retention},
        )


def decline(*, erasure: UUID, by: str) -> None:
    """Leave a player as it is. Raises UnknownErasure, ErasureDecided, ErasureNeedsAnother."""
    with transaction.atomic():
        Decision.objects.create(erasure=_waiting(erasure, by), approved=False, decided_by=by)


def _waiting(erasure: UUID, by: str) -> Erasure:
    asked = Erasure.objects.filter(id=erasure).first()
    if asked is None:
        raise UnknownErasure
    if asked.requested_by == by:
        raise ErasureNeedsSecondPerson
    Player.objects.select_for_update().get(id=asked.player_id)  # two who decide come one after the other
    if Decision.objects.filter(erasure=asked).exists():
        raise ErasureDecided
    return asked


def _require_erasable(operator: UUID, player: UUID, *, overrides_retention: bool) -> None:
    if fetch(_IN_PLAY, {"player": player})[0][0]:
        raise PlayerStillActive
    ((used, now),) = fetch(_LAST_USED, [player])
    protection, _ = projection.load_restrictions(operator=operator, player=player)
    if protection.active_exclusion(now) is not None:
        raise PlayerStillExcluded
    if not overrides_retention and used > now - timedelta(days=TEN_YEARS):
        raise RetentionDutyNotEnded


def _erase(player: UUID) -> None:
    crypto_shredding.destroy_key(player)
    values = {"player": player, "id": str(player), "scope": f"player:{player} ", "erased": crypto_shredding.ERASED}
    for statement in _OVERWRITE:
        execute(statement, values)
