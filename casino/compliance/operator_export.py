"""Everything that an operator's tables did in an interval, as one ZIP of CSV, for a regulator who asks for all of it.

Rounds, wagers, postings, payments, corrections, significant events and the log itself, as they are stored: amounts in
minor units of the currency beside them, times in UTC, words that are sealed of persons as they are sealed. PostgreSQL
writes the lines, so that no row passes through our hands (NJ 13:69O-1.8(b), GLI-19 2.8.1).
"""

import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

_ROUNDS: Final = """
    id, table_id, number, rules, currency, phase, opened_at, ended_at, cards, outcome, player_total, banker_total
      FROM baccarat_round
"""
_WAGERS: Final = """
    id, round_id, table_id, player_id, seat, preset, money_type, currency, stakes, staked, won, commission, returned,
    confirmed_at, settled_at, voided_at FROM baccarat_wager
"""
_POSTINGS: Final = """
    entry.id AS entry, entry.kind, entry.cause AS event, entry.recorded_at, account.id AS account,
    account.kind AS account_kind, account.money_type, account.currency, account.player_id, account.table_id,
    posting.amount, posting.balance - posting.amount AS balance_before, posting.balance AS balance_after,
    posting.sequence
      FROM wallet_entry entry
      JOIN wallet_posting posting ON posting.entry_id = entry.id
      JOIN wallet_account account ON account.id = posting.account_id
"""
_MINE: Final = """
    SELECT {what} WHERE operator_id = %(operator)s AND {when} >= %(since)s AND {when} < %(until)s ORDER BY {when}
"""
FILES: Final[Mapping[str, tuple[str, str]]] = {
    "rounds": (_ROUNDS, "opened_at"),
    "wagers": (_WAGERS, "confirmed_at"),
    "postings": (_POSTINGS, "entry.recorded_at"),
    "deposits": ("* FROM wallet_deposit", "requested_at"),
    "withdrawals": ("* FROM wallet_withdrawal", "requested_at"),
    "adjustments": ("* FROM wallet_adjustment", "requested_at"),
    "significant_events": ("* FROM significant_significantevent", "at"),
    "rules": ("* FROM baccarat_rulesversion", "drafted_at"),
}
"""For each file: what is read, and by which time."""
_LOG: Final = """
    SELECT seal.position, event.id, event.stream, event.version, event.type, event.schema, event.data, event.metadata,
           event.recorded_at, encode(seal.digest, 'hex') AS digest
      FROM events_event event JOIN events_seal seal ON seal.event_id = event.id
     WHERE event.metadata->>'operator' = %(operator)s::text AND event.recorded_at >= %(since)s
       AND event.recorded_at < %(until)s ORDER BY seal.position
"""


def write(file: Path, *, operator: UUID, since: datetime, until: datetime) -> dict[str, int]:
    """Write the ZIP, and return how many lines each file in it has, the names of columns not counted.

    Ask for an interval that is over, so that nothing is added to it meanwhile.
    """
    asked = {"operator": operator, "since": since, "until": until}
    counts: dict[str, int] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        for name, (what, when) in FILES.items():
            counts[name] = _copy(archive, name, _MINE.format(what=what, when=when), asked)
        counts["events"] = _copy(archive, "events", _LOG, asked)
    return counts


def _copy(archive: zipfile.ZipFile, name: str, statement: str, asked: Mapping[str, Any]) -> int:
    copy, lines = f"COPY ({statement}) TO STDOUT WITH (FORMAT csv, HEADER)", 0
    with (
        archive.open(f"{name}.csv", "w", force_zip64=True) as file,
        connection.cursor() as cursor,
        cursor.copy(copy, asked) as rows,
    ):
        for row in rows:
            file.write(row)
            lines += 1
    return lines - 1
