"""Exports: everything about a player as JSON, and about an operator in an interval as CSV, for regulators.

Amounts are in minor units of the currency beside them; times are in UTC. Both are made in pieces, by the job of
`data_exports`, which keeps them for a day. Cells that a spreadsheet would run are escaped.
Encrypted texts are decrypted, but not in the operator's `events`, which are as stored, so that their digests can be
checked (NJ 13:69O-1.8(b), GLI-19 2.8.1). Staff actions are those of people who work for this operator alone; what
others did is in `events` and in `access_log`. Other apps register their own files.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from casino.api.sheets import BYTE_ORDER_MARK, ColumnType, Sheet, escape_cell, pieces_of, write_xlsx
from casino.crypto import crypto_shredding
from casino.events import payloads
from casino.operators.services import require_player
from casino.reports.generation import snapshot

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
    "erasures": "SELECT id, reason, erased_at FROM compliance_erasure WHERE player_id = %(player)s ORDER BY id",
}
_player_needs: Final[dict[str, str]] = {
    "significant_events": "significant.view_significantevent",
    "notes": "significant.view_significantevent",
    "access_log": "staff.view_accesslogentry",
    "events": "events.view_event",
}
"""The permission without which a file is left out; the others need none but to export."""
_player_streams: Final[list[str]] = []
_own_views: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
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
    *,
    files: Mapping[str, str],
    streams: Sequence[str],
    own: Mapping[str, frozenset[str]],
    needs: Mapping[str, str] = MappingProxyType({}),
    own_views: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = MappingProxyType({}),
) -> None:
    """Add another app's files to player exports; call it in AppConfig.ready().

    Each file is a statement that reads the rows of `%(player)s` and nobody else's; each of `streams` is an SQL
    expression for an array of names of streams that are about the player alone. Players themselves get the files that
    `own` names, without its columns, and with each row as `own_views` shows it. Staff get files that are in `needs`
    only with the permission there, so that nobody learns from an export what no page tells them.
    """
    _player_needs.update(needs)
    _own_views.update(own_views)
    _own_files.update(own)
    _player_files.update(files)
    _player_streams.extend(streams)


def player_files() -> dict[str, str]:
    """Return the statement of each file of a player export."""
    return {**_player_files, "events": _PLAYER_EVENTS.format(streams=" || ".join(_player_streams))}


def files_for(allowed: Callable[[str], bool]) -> list[str]:
    """Return the files of a player export for a member of staff, by the permissions that are `allowed`."""
    return [name for name in player_files() if name not in _player_needs or allowed(_player_needs[name])]


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


def export_player(*, operator: UUID, player: UUID, now: datetime, files: Iterable[str]) -> Iterator[bytes]:
    """Export these files about a player: yield a ZIP of JSON in pieces. Raises UnknownPlayer at once."""
    require_player(operator=operator, player=player)
    return _zip_pieces(player, now, {name: player_files()[name] for name in files}, lambda _, row: row)


def export_own_data(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Export what players may have of themselves: as `export_player`, without what is about others."""
    require_player(operator=operator, player=player)
    return _zip_pieces(player, now, {name: player_files()[name] for name in _own_files}, _redact)


def _redact(name: str, row: dict[str, Any]) -> dict[str, Any]:
    shown = _own_views[name](row) if name in _own_views else row
    return {column: _without_others(value) for column, value in shown.items() if column not in _own_files[name]}


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
        payloads.show_in_sql("player", {"player": player})
        counts = {}
        for name, statement in files.items():
            with archive.open(f"{name}.json", "w", force_zip64=True) as file:
                counts[name] = 0
                for batch in _batches(statement, {"player": player}):
                    for row in (present(name, each) for each in batch):
                        file.write((b"[\n" if counts[name] == 0 else b",\n") + json.dumps(row, sort_keys=True).encode())
                        counts[name] += 1
                    yield sink.take()
                file.write(b"\n]\n" if counts[name] else b"[]\n")
        manifest = {"format": "casino.player.v1", "player": str(player), "made_at": now.isoformat(), "rows": counts}
        archive.writestr("manifest.json", json.dumps({**manifest, "amounts": "minor units"}, indent=1))
    yield sink.take()


def _batches(statement: str, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(exported)::text FROM ({statement}) AS exported", parameters)  # noqa: S608
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


class OperatorFile(NamedTuple):
    """The columns and tables of a SELECT, the column of the time, and the condition of rows of `%(operator)s`.

    The condition has an index, and may be one on `%(since)s` and `%(until)s`, too: rows of others are not read. Rows
    without a time are exported as they are now. `state`: rows of any time before the end of the period, such as
    players. `personal`: cells may be encrypted, and are written decrypted.
    """

    source: str
    time: str
    own: str = "operator_id = %(operator)s"
    state: bool = False
    personal: bool = False

    @property
    def statement(self) -> str:
        since = f"AND {self.time} >= %(since)s" if self.time and not self.state else ""
        until = f"AND {self.time} < %(until)s" if self.time else ""
        return f"""
            SELECT {self.source} WHERE {self.own} {since} {until} ORDER BY {self.time or 1}
        """


_MEMBERS: Final = """
    (SELECT DISTINCT user_id, operator_id FROM operators_staffmembership WHERE operator_id = %(operator)s) AS member
"""
_operator_files: Final[dict[str, OperatorFile]] = {
    "operator": OperatorFile(
        """id, slug, name, currencies, sandbox, time_zone, jurisdiction, customer_care, created_at
             FROM operators_operator""",
        "created_at",
        own="id = %(operator)s",
        state=True,
    ),
    "players": OperatorFile(
        "id, brand_id, limits_group, reference, nickname, created_at FROM operators_player",
        "created_at",
        state=True,
        personal=True,
    ),
    "brands": OperatorFile("id, slug, name, shares_players, created_at FROM operators_brand", "created_at", state=True),
    "player_sessions": OperatorFile(
        """'session:' || left(encode(token_hash, 'hex'), 32) AS session, player_id, brand_id, opened_by, created_at,
           expires_at, last_used_at, ended_at, ended_reason FROM operators_playersession""",
        "created_at",
    ),
    "staff": OperatorFile(
        """member.user_id, account.username, account.is_active, member.since,
           (SELECT string_agg(role.name, ' ' ORDER BY role.name)
              FROM auth_user_groups held JOIN auth_group role ON role.id = held.group_id
             WHERE held.user_id = member.user_id) AS roles
             FROM operators_staffmembership member JOIN auth_user account ON account.id = member.user_id""",
        "member.since",
        state=True,
    ),
    "staff_logins": OperatorFile(
        f"login.user_id, login.address, login.second_factor, login.at FROM staff_signin login JOIN {_MEMBERS} "
        "USING (user_id)",
        "login.at",
        own="member.operator_id = %(operator)s",
    ),
    "staff_actions": OperatorFile(
        f"""entry.id, entry.action_time, entry.user_id, type.app_label || '.' || type.model AS page, entry.object_id,
           entry.object_repr, entry.action_flag, entry.change_message
             FROM django_admin_log entry
             JOIN {_MEMBERS} USING (user_id)
             LEFT JOIN django_content_type type ON type.id = entry.content_type_id""",
        "entry.action_time",
        own="""NOT EXISTS (SELECT FROM operators_staffmembership other
                            WHERE other.user_id = entry.user_id AND other.operator_id <> %(operator)s)""",
        personal=True,
    ),
    "access_log": OperatorFile("id, user_id, subject, path, address, at FROM staff_accesslogentry", "at"),
    "api_keys": OperatorFile(
        """key_id, label, scopes, networks, brand_id, signatures_required, created_at, expires_at, last_used_at,
           revoked_at FROM operators_apikey""",
        "created_at",
        state=True,
    ),
    "changes": OperatorFile(
        """id, kind, subject, summary, details, status, requested_by, requested_at, decided_by, decided_at, effective_at
             FROM operators_change""",
        "requested_at",
        personal=True,
    ),
    "significant_events": OperatorFile("* FROM significant_significantevent", "at", personal=True),
    "significant_event_notes": OperatorFile(
        """event.number, note.acknowledges, note.text, note.by, note.at
             FROM significant_note note JOIN significant_significantevent event ON event.id = note.event_id""",
        "note.at",
        own="event.operator_id = %(operator)s",
        personal=True,
    ),
    "cases": OperatorFile("* FROM compliance_case", "opened_at", personal=True),
    "case_actions": OperatorFile(
        """action.* FROM compliance_caseaction action JOIN compliance_case ON compliance_case.id = action.case_id""",
        "action.at",
        own="compliance_case.operator_id = %(operator)s",
        personal=True,
    ),
    "case_entries": OperatorFile(
        """entry.* FROM compliance_caseentry entry JOIN compliance_case ON compliance_case.id = entry.case_id""",
        "entry.at",
        own="compliance_case.operator_id = %(operator)s",
        personal=True,
    ),
    "erasures": OperatorFile(
        """id, player_id, reason, overrides_retention, requested_by, approved_by, erased_at FROM compliance_erasure""",
        "erased_at",
    ),
    "reports": OperatorFile(
        """id, name, period, since, until, label, version, position, rows, generated_by, generated_at, sha256
             FROM reports_report""",
        "generated_at",
    ),
}
# The first event of an append names the operator, and those after it in its stream are of the same. The index
# `events_event_operator` finds the first ones by day.
_OPERATOR_EVENTS: Final = """
    SELECT seal.position, event.id, event.stream, event.version, event.type, event.schema, event.data,
           first.metadata, event.recorded_at, encode(seal.digest, 'hex') AS digest
      FROM events_event first CROSS JOIN LATERAL (
           SELECT * FROM events_event event WHERE event.stream = first.stream AND event.version >= first.version
              AND event.version < coalesce((
                  SELECT version FROM events_event later WHERE later.stream = first.stream
                     AND later.version > first.version AND later.metadata IS NOT NULL ORDER BY version LIMIT 1
                  ), event.version + 1)) event
      JOIN events_seal seal ON seal.event_id = event.id
     WHERE hashtext(first.metadata->>'operator') = hashtext(%(operator)s::text)
       AND first.metadata->>'operator' = %(operator)s::text
       AND (first.recorded_at AT TIME ZONE 'UTC')::date >= (%(since)s::timestamptz AT TIME ZONE 'UTC')::date - 1
       AND (first.recorded_at AT TIME ZONE 'UTC')::date <= (%(until)s::timestamptz AT TIME ZONE 'UTC')::date
       AND event.recorded_at >= %(since)s AND event.recorded_at < %(until)s ORDER BY seal.position
"""
_TYPES: Final = {
    **dict.fromkeys((20, 21, 23), ColumnType.INTEGER),  # the types of PostgreSQL: int8, int2, int4
    1184: ColumnType.TIMESTAMP,  # timestamptz
}
_MAY_BE_FORMULA: Final = re.compile(rb'(?:^|,)"?[=+\-@\xef\t\r\n]')  # \xef begins the full-width ones
"""The beginning of a cell with one; and what looks so within a cell."""
csv.field_size_limit(1 << 30)  # of a process: as long as PostgreSQL's can be
PIECE: Final = 1 << 16
"""Bytes that are gathered before they are sent."""


def register_operator_files(files: Mapping[str, OperatorFile]) -> None:
    """Add another app's files to operator exports; call it in AppConfig.ready()."""
    _operator_files.update(files)


def operator_statements() -> dict[str, str]:
    """Return the statement of each file of an operator's export."""
    return {**{name: file.statement for name, file in _operator_files.items()}, "events": _OPERATOR_EVENTS}


def export_operator(
    *, operator: UUID, since: datetime, until: datetime, now: datetime, workbooks: bool = False
) -> Iterator[bytes]:
    """Export everything about an operator in an interval: yield a ZIP of CSV files in pieces, with a manifest.

    The interval should be over. All files are of one snapshot. `workbooks`: each comes as XLSX, too.
    """
    parameters = {"operator": operator, "since": since, "until": until}
    counts: dict[str, int] = {}
    personal = {name for name, file in _operator_files.items() if file.personal}
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, snapshot(parameters):
        for name, statement in operator_statements().items():
            read = _decrypted_lines if name in personal else _copied_lines
            yield from _write_lines(archive, sink, name, read(statement, parameters), counts)
            if workbooks:
                rows = islice(map(_cells, read(statement, parameters)), 1, None)
                yield from _write_workbook(archive, sink, Sheet(name, _columns(statement, parameters), rows))
        manifest = {
            "format": "casino.operator.v1", "operator": str(operator), "since": since.isoformat(),
            "until": until.isoformat(), "made_at": now.isoformat(), "rows": counts, "amounts": "minor units",
        }  # fmt: skip
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
    yield sink.take()


def _write_lines(
    archive: zipfile.ZipFile, sink: _Sink, name: str, lines: Iterator[bytes], counts: dict[str, int]
) -> Iterator[bytes]:
    """Write a header and rows to a file of the archive, and yield what is ready to send."""
    counts[name] = -1
    with archive.open(f"{name}.csv", "w", force_zip64=True) as file:
        file.write(BYTE_ORDER_MARK.encode())
        for line in lines:
            file.write(_escaped(line) if _MAY_BE_FORMULA.search(line) else line)
            counts[name] += 1
            if len(sink.buffer) >= PIECE:
                yield sink.take()


def _write_workbook(archive: zipfile.ZipFile, sink: _Sink, sheet: Sheet) -> Iterator[bytes]:
    with archive.open(f"{sheet.name}.xlsx", "w", force_zip64=True) as file:
        for piece in pieces_of(write_xlsx([sheet])):
            file.write(piece)
            yield sink.take()


def _columns(statement: str, parameters: Mapping[str, Any]) -> dict[str, ColumnType]:
    """Return the columns of a statement: whole numbers that are no ids, times, and text."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({statement}) AS exported LIMIT 0", parameters)  # noqa: S608
        return {
            column.name: ColumnType.TEXT
            if column.name == "id" or column.name.endswith("_id")
            else _TYPES.get(column.type_code, ColumnType.TEXT)
            for column in cursor.description or ()
        }


def _copied_lines(statement: str, parameters: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the lines as PostgreSQL writes them."""
    copy = f"COPY ({statement}) TO STDOUT WITH (FORMAT csv, HEADER)"
    with connection.cursor() as cursor, cursor.copy(copy, parameters) as rows:
        for row in rows:
            yield bytes(row)


def _escaped(line: bytes) -> bytes:
    return _csv_line(list(map(escape_cell, _cells(line))))


def _cells(line: bytes) -> list[str]:
    (cells,) = csv.reader(io.StringIO(line.decode(), newline=""))
    return cells


def _decrypted_lines(statement: str, parameters: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the lines of rows with personal texts, decrypted."""
    names = list(_columns(statement, parameters))
    yield _csv_line(names)
    for batch in _batches(statement, parameters):
        for row in batch:
            yield _csv_line([_csv_cell(row[name]) for name in names])


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
