"""Players' exports of their own data: requested by the player, made by a job in pieces, and kept for a day.

Players get what is about them, without what is about others: who of the staff did what, notes among staff, and what is
looked into. The pieces are encrypted under the player's own key, and go with it.
"""

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

INTERVAL: Final = timedelta(hours=24)
"""How long an export is kept, and how often a player may request one."""
PIECE_BYTES: Final = 1 << 18
BATCH: Final = 20
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
        return PlayerExport.objects.create(id=new_id(now), operator_id=operator, player_id=player, requested_at=now)


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
    """Make the exports that wait, each in a transaction of its own, and delete old ones; return how many were made."""
    PlayerExport.objects.filter(requested_at__lt=database_now() - INTERVAL).delete()
    return sum(_generate_next() for _ in range(BATCH))


def _generate_next() -> bool:
    with transaction.atomic():
        waiting = PlayerExport.objects.select_for_update(skip_locked=True).filter(ready_at=None)
        row = waiting.order_by("requested_at").first()
        if row is None:
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
