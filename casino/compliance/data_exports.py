"""Exports of data: requested by players and staff, made by a job in pieces, and kept for a day.

Players get what is about them, without what is about others: who of the staff did what, notes among staff, and what is
looked into. Staff get of a player what their permissions let them see, and everything about an operator in an interval,
for a regulator.

The pieces are encrypted under the key of the one player whom they are about, or else under a personal key of the
installation. An erasure deletes all exports that the player may be in.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from casino.compliance import exports
from casino.compliance.models import DataExport, DataExportPiece, ExportKind
from casino.compliance.refusals import DataExportNotReady, DataExportTooSoon, UnknownDataExport
from casino.crypto import crypto_shredding
from casino.crypto.encryption import DecryptionFailed, WrappedSecret, decrypt_secret, encrypt_secret
from casino.events import wakeups
from casino.events.ids import new_id
from casino.events.outbox import Claim, Outbox, doubling
from casino.events.rebuild import keep_projections
from casino.events.sql import database_now, execute
from casino.operators.models import Operator
from casino.operators.services import require_player
from casino.significant import recorder

JOB: Final = "make-exports"
"""In settings.CELERY_BEAT_SCHEDULE."""
INTERVAL: Final = timedelta(hours=24)
"""How long an export is kept, and how often players may request one."""
KEPT: Final = 20
"""Exports of an operator's staff: the newest so many are kept."""
PIECE_BYTES: Final = 1 << 18
MOST: Final = 20
"""Exports that one run of the job makes."""
_GAPS: Final = doubling(3600, 16 * 3600)
EXPORTS: Final = Outbox("compliance_dataexport", gaps=_GAPS, leases=_GAPS, ended="ready_at")
"""A lease is longer than any attempt may take."""
ATTEMPTS_IN_SILENCE: Final = 2
_LOCK: Final = "SELECT FROM operators_player WHERE id = %s FOR UPDATE"


def request_own(*, operator: UUID, player: UUID) -> DataExport:
    """Request an export of a player's own data; it replaces the player's last one. Raises DataExportTooSoon."""
    with transaction.atomic():
        execute(_LOCK, [player])
        now = database_now()
        earlier = DataExport.objects.filter(player_id=player, kind=ExportKind.OWN)
        last = earlier.order_by("-requested_at").first()
        if last is not None and last.requested_at + INTERVAL > now:
            raise DataExportTooSoon(next_at=last.requested_at + INTERVAL)
        earlier.delete()
        return _request(now, kind=ExportKind.OWN, operator_id=operator, player_id=player, by=f"player:{player}")


def request_player(*, operator: UUID, player: UUID, files: list[str], by: str) -> DataExport:
    """Request an export of these files about a player; one that waits is returned. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    return _request_for_staff(kind=ExportKind.PLAYER, operator_id=operator, player_id=player, files=files, by=by)


def request_operator(
    *, operator: UUID, since: datetime, until: datetime, by: str, workbooks: bool = False
) -> DataExport:
    """Request an export of everything about an operator in an interval; one that waits is returned."""
    what = {"since": since, "until": until, "workbooks": workbooks}
    return _request_for_staff(kind=ExportKind.OPERATOR, operator_id=operator, by=by, **what)


def _request_for_staff(*, operator_id: UUID, by: str, **what: object) -> DataExport:
    with transaction.atomic():
        Operator.objects.select_for_update(no_key=True).get(pk=operator_id)
        mine = DataExport.objects.filter(operator_id=operator_id).exclude(kind=ExportKind.OWN)
        same = mine.filter(ready_at=None, **what).first()
        if same is not None:
            return same
        mine.filter(pk__in=mine.order_by("-requested_at").values_list("pk", flat=True)[KEPT - 1 :]).delete()
        return _request(database_now(), operator_id=operator_id, by=by, **what)


def _request(now: datetime, *, by: str, **what: object) -> DataExport:
    wakeups.wake_on_commit(JOB)
    return DataExport.objects.create(id=new_id(now), requested_by=by, requested_at=now, **what)


def list_own(*, player: UUID) -> list[DataExport]:
    """List a player's exports of their own data that are kept: one at most."""
    return list(_kept().filter(player_id=player, kind=ExportKind.OWN))


def list_of_player(player: UUID, *, files: list[str]) -> list[DataExport]:
    """List the exports of a player that are kept and have no other files than these, newest first."""
    rows = _kept().filter(player_id=player, kind=ExportKind.PLAYER, files__contained_by=files)
    return list(rows.order_by("-requested_at"))


def list_of_operators(operators: list[UUID]) -> list[DataExport]:
    """List the exports of operators that are kept, newest first."""
    return list(_kept().filter(operator_id__in=operators, kind=ExportKind.OPERATOR).order_by("-requested_at"))


def _kept() -> QuerySet[DataExport]:
    return DataExport.objects.filter(requested_at__gt=Now() - INTERVAL)


def find_ready(rows: list[DataExport], export: UUID) -> DataExport:
    """Find one of these exports whose file is there. Raises UnknownDataExport, DataExportNotReady."""
    row = next((each for each in rows if each.pk == export), None)
    if row is None:
        raise UnknownDataExport
    if row.ready_at is None:
        raise DataExportNotReady
    return row


def generate_due() -> int:
    """Make the exports that are due, and delete old ones; return how many were made. One that fails is tried later."""
    DataExport.objects.filter(requested_at__lt=database_now() - INTERVAL).delete()
    return EXPORTS.work(_generate, most=MOST)


def _generate(claim: Claim) -> bool:
    """Make an export in one transaction; return False if it was made or deleted meanwhile."""
    if claim.attempt > ATTEMPTS_IN_SILENCE:  # before this attempt, which may end the whole process
        _tell(DataExport.objects.get(pk=claim.key))
    with _snapshot():
        row = DataExport.objects.select_for_update().filter(pk=claim.key, attempts=claim.attempt, ready_at=None).first()
        if row is None:
            return False
        encrypted, size = _encryption(row), 0
        for number, data in enumerate(_gathered(_chunks(row))):
            key_id, content = encrypted(number, data)
            DataExportPiece.objects.create(export=row, number=number, key_id=key_id, data=content)
            size += len(data)
        return EXPORTS.done(claim, database_now(), size=size)


def _tell(row: DataExport) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.DATA_EXPORT_DELAYED,
        operator=row.operator_id,
        subject=f"player:{row.player_id}" if row.player_id else f"operator:{row.operator_id}",
        actor="system",
        reason=f"{ATTEMPTS_IN_SILENCE} attempts to make a data export have failed.",
        dedup_key=f"data-export:{row.pk}",
    )


@contextmanager
def _snapshot() -> Generator[None]:
    """Read everything in one snapshot, and write what is made of it in the same transaction."""
    whole = not connection.in_atomic_block
    with transaction.atomic():
        if whole:
            execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            keep_projections()
        yield


def _chunks(row: DataExport) -> Iterator[bytes]:
    if row.player_id is None:
        assert row.since is not None and row.until is not None  # noqa: PT018, S101
        period = {"since": row.since, "until": row.until, "now": row.requested_at}
        return exports.export_operator(operator=row.operator_id, **period, workbooks=row.workbooks)
    if row.kind == ExportKind.OWN:
        return exports.export_own_data(operator=row.operator_id, player=row.player_id, now=row.requested_at)
    return exports.export_player(operator=row.operator_id, player=row.player_id, now=row.requested_at, files=row.files)


def _encryption(row: DataExport) -> Callable[[int, bytes], tuple[str, bytes]]:
    """Return what encrypts a piece by its number, and names the key if it is not the player's."""
    if row.player_id is not None:
        cipher = crypto_shredding.get_or_create_cipher(row.player_id)
        return lambda _, data: ("", cipher.encrypt_bytes(data))

    def encrypt(number: int, data: bytes) -> tuple[str, bytes]:
        secret = encrypt_secret(data, associated_data=_associated_data(row, number))
        return secret.key_id, secret.data

    return encrypt


def _associated_data(row: DataExport, number: int) -> bytes:
    return f"casino.compliance.data_export.v1 {row.pk} {number}".encode()


def _gathered(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield chunks of an even size."""
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        while len(buffer) >= PIECE_BYTES:
            yield bytes(buffer[:PIECE_BYTES])
            del buffer[:PIECE_BYTES]
    yield bytes(buffer)


def pieces(row: DataExport) -> Iterator[bytes]:
    """Yield the ZIP of an export that is ready. Raises UnknownDataExport if it was deleted meanwhile."""
    keys = DataExportPiece.objects.filter(export=row).order_by("number").values_list("pk", flat=True)
    for key in list(keys):  # one at a time: no transaction stays open while a client is slow
        piece = DataExportPiece.objects.filter(pk=key).first()
        data = None if piece is None else _decrypted(row, piece)
        if data is None:
            raise UnknownDataExport("The export was deleted meanwhile.")
        yield data


def _decrypted(row: DataExport, piece: DataExportPiece) -> bytes | None:
    if not piece.key_id:
        return crypto_shredding.decrypt_many_bytes([bytes(piece.data)])[0]
    try:
        secret = WrappedSecret(piece.key_id, bytes(piece.data))
        return decrypt_secret(secret, associated_data=_associated_data(row, piece.number))
    except DecryptionFailed:
        return None
