"""Players' exports of their own data: requested by the player, made by a job in pieces, and kept for a day.

Players get what is about them, without what is about others: who of the staff did what, notes among staff, and what is
looked into. The pieces are encrypted under the player's own key, and go with it.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.compliance import exports
from casino.compliance.models import PlayerExport, PlayerExportPiece
from casino.compliance.refusals import DataExportNotReady, DataExportTooSoon, UnknownDataExport
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, execute
from casino.significant import recorder

logger = logging.getLogger(__name__)

INTERVAL: Final = timedelta(hours=24)
"""How long an export is kept, and how often a player may request one."""
PIECE_BYTES: Final = 1 << 18
BATCH: Final = 20
FIRST_DELAY: Final = timedelta(minutes=10)
"""The time until the second attempt, longer than any attempt may take; it doubles from attempt to attempt."""
ATTEMPTS_IN_SILENCE: Final = 2
_LOCK: Final = "SELECT FROM operators_player WHERE id = %s FOR UPDATE"


def request(*, operator: UUID, player: UUID) -> PlayerExport:
    """Request an export; it replaces the player's last one. Raises DataExportTooSoon."""
    with transaction.atomic():
        execute(_LOCK, [player])
        now = database_now()
        earlier = PlayerExport.objects.filter(player_id=player)
        last = earlier.order_by("-requested_at").first()
        if last is not None and last.requested_at + INTERVAL > now:
            raise DataExportTooSoon(next_at=last.requested_at + INTERVAL)
        earlier.delete()
        return PlayerExport.objects.create(
            id=new_id(now), operator_id=operator, player_id=player, requested_at=now, due_at=now
        )


def list_exports(*, player: UUID) -> list[PlayerExport]:
    """List a player's exports that are kept: one at most."""
    return list(PlayerExport.objects.filter(player_id=player, requested_at__gt=database_now() - INTERVAL))


def pieces(*, player: UUID, export: UUID) -> Iterator[bytes]:
    """Yield the ZIP of a player's export. Raises UnknownDataExport, DataExportNotReady at once."""
    row = next((each for each in list_exports(player=player) if each.pk == export), None)
    if row is None:
        raise UnknownDataExport
    if row.ready_at is None:
        raise DataExportNotReady
    return _decrypted(row)


def generate_due() -> int:
    """Make the exports that are due, and delete old ones; return how many were made. One that fails is tried later."""
    PlayerExport.objects.filter(requested_at__lt=database_now() - INTERVAL).delete()
    made = 0
    for _ in range(BATCH):
        row = _begin_attempt()
        if row is None:
            break
        try:
            made += _generate(row)
        except Exception:
            logger.exception("The data export %s could not be made.", row.pk)
    return made


def _begin_attempt() -> PlayerExport | None:
    """Take the export that has been due longest, and put off its next attempt: this one may end the whole process."""
    with transaction.atomic():
        now = database_now()
        due = PlayerExport.objects.select_for_update(skip_locked=True).filter(ready_at=None, due_at__lte=now)
        row = due.order_by("due_at").first()
        if row is None:
            return None
        row.due_at = now + FIRST_DELAY * 2**row.attempts
        row.attempts += 1
        row.save(update_fields=["attempts", "due_at"])
        if row.attempts > ATTEMPTS_IN_SILENCE:
            recorder.record(
                kind=recorder.SignificantEventKind.DATA_EXPORT_DELAYED,
                operator=row.operator_id,
                subject=f"player:{row.player_id}",
                actor="system",
                reason=f"{ATTEMPTS_IN_SILENCE} attempts to make the player's data export have failed.",
                dedup_key=f"data-export:{row.pk}",
            )
    return row


def _generate(row: PlayerExport) -> bool:
    """Make an export in one transaction; return False if it was made or deleted meanwhile."""
    with transaction.atomic():
        if not PlayerExport.objects.select_for_update().filter(pk=row.pk, ready_at=None).exists():
            return False
        cipher = crypto_shredding.get_or_create_cipher(row.player_id)
        chunks = exports.export_own_data(operator=row.operator_id, player=row.player_id, now=row.requested_at)
        for number, data in enumerate(_gathered(chunks)):
            PlayerExportPiece.objects.create(export=row, number=number, data=cipher.encrypt_bytes(data))
            row.size += len(data)
        row.ready_at = database_now()
        row.save(update_fields=["ready_at", "size"])
    return True


def _gathered(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield chunks of an even size."""
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        while len(buffer) >= PIECE_BYTES:
            yield bytes(buffer[:PIECE_BYTES])
            del buffer[:PIECE_BYTES]
    yield bytes(buffer)


def _decrypted(row: PlayerExport) -> Iterator[bytes]:
    numbers = PlayerExportPiece.objects.filter(export=row).order_by("number").values_list("pk", flat=True)
    for number in list(numbers):  # one at a time: no transaction stays open while a client is slow
        piece = PlayerExportPiece.objects.filter(pk=number).first()
        data = None if piece is None else crypto_shredding.decrypt_many_bytes([bytes(piece.data)])[0]
        if data is None:
            raise UnknownDataExport("The export was deleted meanwhile.")
        yield data
