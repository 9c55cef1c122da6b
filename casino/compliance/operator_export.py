"""Export everything that an operator's tables did in an interval as a ZIP of CSV files, for a regulator.

Rounds, wagers, postings, payments, corrections, significant events and the events themselves, as stored: amounts in
minor units of the currency beside them, times in UTC, personal texts encrypted. PostgreSQL writes the lines, so that no
row passes through Python (NJ 13:69O-1.8(b), GLI-19 2.8.1). Apps above this one register their own files.
"""

import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

_STATEMENT: Final = """
    SELECT {columns}
     WHERE operator_id = %(operator)s AND {column} >= %(since)s AND {column} < %(until)s ORDER BY {column}
"""
_files: Final[dict[str, tuple[str, str]]] = {"significant_events": ("* FROM significant_significantevent", "at")}
_LOG: Final = """
    SELECT seal.position, event.id, event.stream, event.version, event.type, event.schema, event.data, event.metadata,
           event.recorded_at, encode(seal.digest, 'hex') AS digest
      FROM events_event event JOIN events_seal seal ON seal.event_id = event.id
     WHERE event.metadata->>'operator' = %(operator)s::text AND event.recorded_at >= %(since)s
       AND event.recorded_at < %(until)s ORDER BY seal.position
"""


def register(files: Mapping[str, tuple[str, str]]) -> None:
    """Add another app's files; call it in AppConfig.ready().

    Each file is the columns and tables of a SELECT, and the column of the time that puts a row in an interval.
    """
    _files.update(files)


def write(file: Path, *, operator: UUID, since: datetime, until: datetime) -> dict[str, int]:
    """Write the ZIP and return the number of rows in each file. The interval should be over."""
    parameters = {"operator": operator, "since": since, "until": until}
    counts: dict[str, int] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        for name, (columns, column) in _files.items():
            counts[name] = _copy(archive, name, _STATEMENT.format(columns=columns, column=column), parameters)
        counts["events"] = _copy(archive, "events", _LOG, parameters)
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
