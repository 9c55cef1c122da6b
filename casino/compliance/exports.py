"""Exports: everything about a player as JSON, and an operator's play in an interval as CSV, for regulators.

Amounts are in minor units of the currency beside them; times are in UTC. A player's export is generated while it is
sent, with encrypted texts decrypted. An operator's export has rounds, wagers, postings, payments, corrections,
significant events and the events themselves as stored; PostgreSQL formats the lines, so that no row passes through
Python (NJ 13:69O-1.8(b), GLI-19 2.8.1). Other apps register their own files.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from casino.crypto import crypto_shredding
from casino.events.records import METADATA
from casino.operators.services import require_player

BATCH: Final = 500
"""Rows that are read, decrypted and compressed at a time."""
_player_files: Final[dict[str, str]] = {
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
_player_streams: Final[list[str]] = []
_own_files: Final[dict[str, frozenset[str]]] = {
    "player": frozenset({"operator_id"}),
    "sessions": frozenset(),
    "ban": frozenset(),
}
"""Files that players get of themselves, each with the columns that they do not get."""
_OTHERS: Final = re.compile(r"(?:staff|desk|operator|system):[\w.:-]+|command")
"""Actors of events that are not the player."""
_PLAYER_EVENTS: Final = """
    SELECT id, stream, version, type, data, recorded_at FROM events_event WHERE stream = ANY ({streams}) ORDER BY id
"""


def register_player_files(
    *, files: Mapping[str, str], streams: Sequence[str], own: Mapping[str, frozenset[str]]
) -> None:
    """Add another app's files to player exports; call it in AppConfig.ready().

    Each file is a statement that reads the rows of `%(player)s` and nobody else's; each of `streams` is an SQL
    expression for an array of names of streams that are about the player alone. Players themselves get the files that
    `own` names, without its columns.
    """
    _own_files.update(own)
    _player_files.update(files)
    _player_streams.extend(streams)


def player_files() -> dict[str, str]:
    """Return the statement of each file of a player export."""
    return {**_player_files, "events": _PLAYER_EVENTS.format(streams=" || ".join(_player_streams))}


class _Sink(io.RawIOBase):
    """The file that the ZIP is written to; it buffers the bytes until they are sent."""

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


def export_player(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Export everything about a player: yield a ZIP of JSON files in pieces. Raises UnknownPlayer at once."""
    require_player(operator=operator, player=player)
    return _zip_pieces(player, now, player_files(), lambda _, row: row)


def export_own_data(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Export what players may have of themselves: as `export_player`, without what is about others."""
    require_player(operator=operator, player=player)
    return _zip_pieces(player, now, {name: player_files()[name] for name in _own_files}, _redact)


def _redact(name: str, row: dict[str, Any]) -> dict[str, Any]:
    return {column: _without_others(value) for column, value in row.items() if column not in _own_files[name]}


def _without_others(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_others(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_others(each) for each in value]
    return "others" if isinstance(value, str) and _OTHERS.fullmatch(value) else value


def _zip_pieces(
    player: UUID,
    now: datetime,
    files: Mapping[str, str],
    present: Callable[[str, dict[str, Any]], dict[str, Any]],
) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        counts = {}
        for name, statement in files.items():
            with archive.open(f"{name}.json", "w", force_zip64=True) as file:
                counts[name] = 0
                for batch in _batches(statement, player):
                    for row in (present(name, each) for each in batch):
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


_OPERATOR_FILE: Final = """
    SELECT {columns}
     WHERE operator_id = %(operator)s AND {column} >= %(since)s AND {column} < %(until)s ORDER BY {column}
"""
_operator_files: Final[dict[str, tuple[str, str]]] = {
    "significant_events": ("* FROM significant_significantevent", "at")
}
_OPERATOR_EVENTS: Final = f"""
    SELECT seal.position, event.id, event.stream, event.version, event.type, event.schema, event.data,
           {METADATA} AS metadata, event.recorded_at, encode(seal.digest, 'hex') AS digest
      FROM events_event event JOIN events_seal seal ON seal.event_id = event.id
     WHERE {METADATA}->>'operator' = %(operator)s::text AND event.recorded_at >= %(since)s
       AND event.recorded_at < %(until)s ORDER BY seal.position
"""  # noqa: S608  (constants)


def register_operator_files(files: Mapping[str, tuple[str, str]]) -> None:
    """Add another app's files to operator exports; call it in AppConfig.ready().

    Each file is the columns and tables of a SELECT, and the column of the time that puts a row in an interval.
    """
    _operator_files.update(files)


def export_operator(file: Path, *, operator: UUID, since: datetime, until: datetime) -> dict[str, int]:
    """Export what an operator's tables did in an interval: write a ZIP of CSV files, return the rows of each.

    The interval should be over.
    """
    parameters = {"operator": operator, "since": since, "until": until}
    counts: dict[str, int] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        for name, (columns, column) in _operator_files.items():
            counts[name] = _copy(archive, name, _OPERATOR_FILE.format(columns=columns, column=column), parameters)
        counts["events"] = _copy(archive, "events", _OPERATOR_EVENTS, parameters)
    return counts


def _copy(archive: zipfile.ZipFile, name: str, statement: str, parameters: Mapping[str, Any]) -> int:
    copy, lines = f"COPY ({statement}) TO STDOUT WITH (FORMAT csv, HEADER)", 0
    with (
        archive.open(f"{name}.csv", "w", force_zip64=True) as file,
        connection.cursor() as cursor,
        cursor.copy(copy, parameters) as rows,
    ):
        for row in rows:
            file.write(row)
            lines += 1
    return lines - 1
