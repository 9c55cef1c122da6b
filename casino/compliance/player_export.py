"""Export everything about one player as a ZIP of JSON files, generated while it is sent.

Amounts are in minor units of the currency beside them; times are in UTC. Encrypted texts are decrypted. Apps above this
one register their own files.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from casino.crypto import crypto_shredding
from casino.operators.queries import require_player

BATCH: Final = 500
"""Rows that are read, decrypted and compressed at a time."""
_files: Final[dict[str, str]] = {
    "player": """
        SELECT id, operator_id, reference, nickname, created_at FROM operators_player WHERE id = %(player)s
    """,
    "sessions": """
        SELECT 'session:' || left(encode(token_hash, 'hex'), 32) AS session, created_at, expires_at,
        last_used_at, ended_at, ended_reason FROM operators_playersession WHERE player_id = %(player)s ORDER BY
        created_at
    """,
    "ban": "SELECT until FROM operators_playerban WHERE player_id = %(player)s",
    "significant_events": """
        SELECT number, kind, reason, before, after, amount, currency, at FROM significant_significantevent WHERE
        subject = 'player:' || %(player)s::text OR actor = 'player:' || %(player)s::text OR after->>'player' =
        %(player)s::text ORDER BY number
    """,
    "notes": """
        SELECT event.number, note.acknowledges, note.text, note.at FROM significant_note AS note JOIN
        significant_significantevent AS event ON event.id = note.event_id WHERE event.subject = 'player:' ||
        %(player)s::text OR event.actor = 'player:' || %(player)s::text OR event.after->>'player' =
        %(player)s::text ORDER BY note.id
    """,
    "access_log": """
        SELECT at, user_id, subject, path FROM staff_accesslogentry WHERE subject = 'player:' ||
        %(player)s::text ORDER BY id
    """,
    "erasures": "SELECT id, reason, requested_at FROM compliance_erasure WHERE player_id = %(player)s ORDER BY id",
}
_streams: Final[list[str]] = []
_EVENTS: Final = """
    SELECT id, stream, version, type, data, recorded_at FROM events_event WHERE stream = ANY ({streams}) ORDER BY id
"""


def register(*, files: Mapping[str, str], streams: Sequence[str]) -> None:
    """Add another app's files; call it in AppConfig.ready().

    Each file is a statement that reads the rows of `%(player)s` and nobody else's; each of `streams` is an SQL
    expression for an array of names of streams that are about the player alone.
    """
    _files.update(files)
    _streams.extend(streams)


def export_files() -> dict[str, str]:
    """Return the statement for each file."""
    return {**_files, "events": _EVENTS.format(streams=" || ".join(_streams))}


class _Sink(io.RawIOBase):
    """Buffers what the ZIP writes until it is sent."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.buffer += data
        return len(data)

    def take(self) -> bytes:
        taken, self.buffer = bytes(self.buffer), bytearray()
        return taken


def export(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Yield the ZIP in pieces. Raises UnknownPlayer at once."""
    require_player(operator=operator, player=player)
    return _pieces(player, now)


def _pieces(player: UUID, now: datetime) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        counts = {}
        for name, statement in export_files().items():
            with archive.open(f"{name}.json", "w", force_zip64=True) as file:
                counts[name] = 0
                for batch in _batches(statement, player):
                    for row in batch:
                        file.write((b"[\n" if counts[name] == 0 else b",\n") + json.dumps(row, sort_keys=True).encode())
                        counts[name] += 1
                    yield sink.take()
                file.write(b"\n]\n" if counts[name] else b"[]\n")
        manifest = {"format": "casino.player.v1", "player": str(player), "made_at": now.isoformat(), "rows": counts}
        archive.writestr("manifest.json", json.dumps({**manifest, "amounts": "minor units"}, indent=1))
    yield sink.take()


def _batches(statement: str, player: UUID) -> Iterator[list[dict[str, Any]]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(exported)::text FROM ({statement}) AS exported", {"player": player})  # noqa: S608
        while rows := cursor.fetchmany(BATCH):
            yield _decrypt_batch([json.loads(text) for (text,) in rows])


def _decrypt_batch(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    encrypted = list(_encrypted_texts(rows))
    plain = dict(zip(encrypted, crypto_shredding.decrypt_many(encrypted), strict=True))
    return [{name: _decrypt(value, plain) for name, value in row.items()} for row in rows]


def _encrypted_texts(value: Any) -> Iterator[str]:
    """Yield every text within a value that is encrypted, or quotes one that is."""
    if isinstance(value, str) and crypto_shredding.PREFIX in value:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _encrypted_texts(each)


def _decrypt(value: Any, plain: Mapping[str, str | None]) -> Any:
    if isinstance(value, dict):
        return {name: _decrypt(each, plain) for name, each in value.items()}
    if isinstance(value, list):
        return [_decrypt(each, plain) for each in value]
    return plain.get(value, value) if isinstance(value, str) else value
