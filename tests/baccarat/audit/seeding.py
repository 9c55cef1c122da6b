"""Rows for every table whose rows are held by digests or manifests, written as the application writes them."""

from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from casino.checkpoints.table_digests import COVERED_TABLES
from casino.events.row_digests import held_tables
from casino.events.sql import fetch
from casino.significant import act_log

ROWS: Final = 8
"""How many rows each table gets."""
FIRST: Final = 7000
"""The first of the seeded numbers, which are above all others."""
NOT_SEEDED: Final = {
    "compliance_erasure", "crypto_blindindexkey", "events_rowdigest", "significant_note",
    "significant_significantevent", "staff_staffaccount",
}  # fmt: skip
"""There is one such row, the history has them, or they come with another."""
FIRST_TABLES: Final = ("auth_user", "operators_operator", "operators_brand", "operators_player", "operators_apikey")
"""Those that others refer to, in order."""
_COLUMNS: Final = """
SELECT column_name::text, udt_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER'
  AND (is_nullable = 'NO' OR column_name = ANY (%s::text[]))
  AND identity_generation IS DISTINCT FROM 'ALWAYS'
  AND has_column_privilege(table_name::text, column_name::text, 'INSERT') ORDER BY ordinal_position
"""
FILLED: Final = ("decided_at", "ended_at", "expires_at", "removed_at", "revoked_at", "used_at", "wrapped")
"""Columns that are filled although they may be empty: what they say may be tampered away."""
_TIME: Final = "2026-01-01T00:00:00Z"


@transaction.atomic
def seed() -> None:
    """Insert the rows, as an act."""
    tables = dict.fromkeys([*held_tables(), *COVERED_TABLES])
    later = [table for table in tables if table not in {*FIRST_TABLES, *NOT_SEEDED}]
    for table in (*FIRST_TABLES, *sorted(later, key=_depends)):
        for number in range(ROWS):
            _insert(table, number)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE staff_staffaccount SET disabled_at = %s WHERE user_id >= %s", [_TIME, FIRST])
    act_log.done("auth.add_user", kind=None, operator=None, subject="seed", actor="seed")


def _depends(table: str) -> int:
    """Order the tables so that what others refer to comes first."""
    parents = ("auth_group", "compliance_case", "feed_webhookendpoint",
               "reports_savedreport", "staff_identityprovider")  # fmt: skip
    return 0 if table in parents else 1


def _insert(table: str, number: int) -> None:
    row = {name: _value(kind, number) for name, kind in fetch(_COLUMNS, [table, list(FILLED)])}
    row |= _exceptions(table, number)
    names, places = ", ".join(f'"{name}"' for name in row), ", ".join(["%s"] * len(row))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(row.values()))  # noqa: S608


def _value(kind: str, number: int) -> Any:
    """Return a value of a PostgreSQL type; equal types get equal values, so that references hold."""
    values: dict[str, Any] = {
        "uuid": UUID(int=FIRST + number),
        "bytea": bytes([number + 1]) * 32,
        "bool": False,
        "timestamptz": _TIME,
        "date": _TIME[:10],
        "jsonb": "{}",
        "int2": number + 1,
        "int4": FIRST + number,
        "int8": FIRST + number,
    }
    return values.get(kind, "{}" if kind.startswith("_") else f"seed{number}")


def _exceptions(table: str, number: int) -> dict[str, Any]:
    """Return the values that a table's constraints ask for."""
    match table:
        case "auth_group_permissions" | "auth_user_user_permissions":
            (permission,) = fetch("SELECT id FROM auth_permission ORDER BY id DESC OFFSET %s LIMIT 1", [number])
            return {"permission_id": permission[0]}
        case "baccarat_playerpreferences":
            return {"style": "modern"}
        case "operators_dailycap":
            return {"kind": "wins", "moved": 0}
        case "wallet_deposit_method" | "wallet_withdrawal_policy":
            return {"currency": "EUR"}
    return {}
