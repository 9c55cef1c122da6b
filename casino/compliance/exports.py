"""Exports: everything about a player, and about an operator in an interval, for regulators.

Amounts are decimals of the currency beside them; times are in UTC. Both are made in pieces, by the job of
`data_exports`, which keeps them for a day. Cells that a spreadsheet would run are escaped.
Encrypted texts are decrypted. The operator's `events` are as stored, so that their digests can be checked (NJ
13:69O-1.8(b), GLI-19 2.8.1). Staff actions are those of people who work for this operator alone; what others did is in
`events` and in `access_log`. Other apps register their own files.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from casino.api.sheets import ColumnType, Sheet, pieces_of, sheet_as_csv, write_xlsx
from casino.crypto import crypto_shredding
from casino.kernel.event_amounts import AMOUNTS, format_amounts
from casino.operators.services import require_player
from casino.reports.generation import snapshot

BATCH: Final = 500
"""Rows that are read, decrypted and compressed at a time."""
AMOUNTS_ARE: Final = "decimals of the currency beside them"
_TYPES: Final = {
    **dict.fromkeys((20, 21, 23), ColumnType.INTEGER),  # the types of PostgreSQL: int8, int2, int4
    1184: ColumnType.TIMESTAMP,  # timestamptz
}
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
    SELECT id, transaction, stream, version, type, data, recorded_at FROM events_event
     WHERE stream = ANY ({streams}) ORDER BY id
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


@dataclass(frozen=True, slots=True)
class ExportTable:
    """What a statement reads, as people read it: decrypted, with amounts as decimals. It is read anew each time.

    `hidden` columns are left out, `view` shows a row as some may see it. `stored`: texts and amounts are as stored.
    """

    name: str
    statement: str
    parameters: Mapping[str, Any]
    hidden: frozenset[str] = frozenset()
    view: Callable[[dict[str, Any]], dict[str, Any]] = dict
    stored: bool = False

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        """Yield rows, some hundred at a time."""
        read = f"SELECT to_jsonb(exported)::text FROM ({self.statement}) AS exported"  # noqa: S608
        with connection.chunked_cursor() as cursor:
            cursor.execute(read, self.parameters)
            while rows := cursor.fetchmany(BATCH):
                yield self._present([json.loads(text) for (text,) in rows])

    def sheet(self, keys: int = 1) -> Sheet:
        """Return the rows as a table of a file that people open."""
        columns = self._columns()
        rows = (row for batch in self.batches() for row in batch)
        return Sheet(self.name, columns, ([as_cell(row[name]) for name in columns] for row in rows), keys)

    def _present(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.stored:
            return rows
        shown = (self.view(format_amounts(row)) for row in _decrypt_batch(rows))
        return [{name: value for name, value in row.items() if name not in self.hidden} for row in shown]

    def _columns(self) -> dict[str, ColumnType]:
        """Return the columns: amounts, whole numbers that are no ids, times, and text."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM ({self.statement}) AS exported LIMIT 0", self.parameters)  # noqa: S608
            columns = cursor.description or ()
        return {each.name: _type_of(each.name, each.type_code) for each in columns if each.name not in self.hidden}


def _type_of(column: str, type_code: int) -> ColumnType:
    if column == "id" or column.endswith("_id"):
        return ColumnType.TEXT
    kind = _TYPES.get(type_code, ColumnType.TEXT)
    return ColumnType.MONEY if kind is ColumnType.INTEGER and column in AMOUNTS else kind


def as_cell(value: Any) -> str:
    """Return a value of JSON as a cell has it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


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
    """Export these files about a player: yield a ZIP of JSON and a workbook in pieces. Raises UnknownPlayer at once."""
    require_player(operator=operator, player=player)
    return _zip_pieces(player, now, [_player_table(player, name) for name in files])


def export_own_data(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Export what players may have of themselves: as `export_player`, without what is about others."""
    require_player(operator=operator, player=player)
    tables = [
        replace(_player_table(player, name), hidden=hidden, view=partial(_own_view, _own_views.get(name, dict)))
        for name, hidden in _own_files.items()
    ]
    return _zip_pieces(player, now, tables)


def _player_table(player: UUID, name: str) -> ExportTable:
    return ExportTable(name, player_files()[name], {"player": player})


def _own_view(view: Callable[[dict[str, Any]], dict[str, Any]], row: dict[str, Any]) -> dict[str, Any]:
    return {name: _without_others(value) for name, value in view(row).items()}


def _without_others(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_others(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_others(each) for each in value]
    return "others" if isinstance(value, str) and _OTHERS.fullmatch(value) else value


def _zip_pieces(player: UUID, now: datetime, tables: Sequence[ExportTable]) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        counts = {}
        for table in tables:
            with archive.open(f"{table.name}.json", "w", force_zip64=True) as file:
                counts[table.name] = 0
                for batch in table.batches():
                    for row in batch:
                        begin = b",\n" if counts[table.name] else b"[\n"
                        file.write(begin + json.dumps(row, sort_keys=True).encode())
                        counts[table.name] += 1
                    yield sink.take()
                file.write(b"\n]\n" if counts[table.name] else b"[]\n")
        yield from _write_workbook(archive, sink, "player", (table.sheet() for table in tables))
        manifest = {"format": "casino.player.v1", "player": str(player), "made_at": now.isoformat(), "rows": counts}
        archive.writestr("manifest.json", json.dumps({**manifest, "amounts": AMOUNTS_ARE}, indent=1))
    yield sink.take()


def _write_workbook(archive: zipfile.ZipFile, sink: _Sink, name: str, sheets: Iterable[Sheet]) -> Iterator[bytes]:
    with archive.open(f"{name}.xlsx", "w", force_zip64=True) as file:
        for piece in pieces_of(write_xlsx(sheets)):
            file.write(piece)
            yield sink.take()


class OperatorFile(NamedTuple):
    """The columns and tables of a SELECT, the column of the time, and the condition of rows of `%(operator)s`.

    The condition has an index, and may be one on `%(since)s` and `%(until)s`, too: rows of others are not read. Rows
    without a time are exported as they are now. `state`: rows of any time before the end of the period, such as
    players.
    """

    source: str
    time: str
    own: str = "operator_id = %(operator)s"
    state: bool = False

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
    ),
    "significant_events": OperatorFile("* FROM significant_significantevent", "at"),
    "significant_event_notes": OperatorFile(
        """event.number, note.acknowledges, note.text, note.by, note.at
             FROM significant_note note JOIN significant_significantevent event ON event.id = note.event_id""",
        "note.at",
        own="event.operator_id = %(operator)s",
    ),
    "cases": OperatorFile("* FROM compliance_case", "opened_at"),
    "case_actions": OperatorFile(
        """action.* FROM compliance_caseaction action JOIN compliance_case ON compliance_case.id = action.case_id""",
        "action.at",
        own="compliance_case.operator_id = %(operator)s",
    ),
    "case_entries": OperatorFile(
        """entry.* FROM compliance_caseentry entry JOIN compliance_case ON compliance_case.id = entry.case_id""",
        "entry.at",
        own="compliance_case.operator_id = %(operator)s",
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
    SELECT seal.position, event.id, event.transaction, event.stream, event.version, event.type, event.schema,
           event.data::text AS data, first.metadata::text AS metadata, event.recorded_at,
           encode(seal.digest, 'hex') AS digest
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
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, snapshot():
        for name, statement in operator_statements().items():
            table = ExportTable(name, statement, parameters, stored=name == "events")
            yield from _write_csv(archive, sink, table.sheet(), counts)
            if workbooks:
                yield from _write_workbook(archive, sink, name, [table.sheet()])
        manifest = {
            "format": "casino.operator.v1", "operator": str(operator), "since": since.isoformat(),
            "until": until.isoformat(), "made_at": now.isoformat(), "rows": counts,
            "amounts": f"{AMOUNTS_ARE}; within events in minor units, as stored",
        }  # fmt: skip
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
    yield sink.take()


def _write_csv(archive: zipfile.ZipFile, sink: _Sink, sheet: Sheet, counts: dict[str, int]) -> Iterator[bytes]:
    """Write a table to a file of the archive, count its rows, and yield what is ready to send."""
    with archive.open(f"{sheet.name}.csv", "w", force_zip64=True) as file:
        for piece in sheet_as_csv(replace(sheet, rows=_counted(sheet, counts))):
            file.write(piece)
            yield sink.take()


def _counted(sheet: Sheet, counts: dict[str, int]) -> Iterator[Sequence[Any]]:
    counts[sheet.name] = 0
    for row in sheet.rows:
        counts[sheet.name] += 1
        yield row
