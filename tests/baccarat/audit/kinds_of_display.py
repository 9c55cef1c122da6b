"""Kinds of tampering with what staff and players read of a thing: its name, title, label or message, a column each."""

from typing import Final

from casino.checkpoints.table_digests import COVERED_TABLES
from casino.events.row_digests import held_tables
from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, Attacker
from tests.baccarat.audit.kinds_beside_the_log import ROW_DIFFERS
from tests.baccarat.audit.seeding import ROWS

SHOWN: Final = {
    "auth_user": ("first_name", "last_name"),
    "baccarat_skin": ("name", "properties"),
    "operators_apikey": ("label",),
    "operators_assertionkey": ("name",),
    "operators_brand": ("name",),
    "operators_limitsgroup": ("name",),
    "operators_operator": ("name", "customer_care"),
    "operators_player": ("nickname",),
    "reports_report": ("name", "label"),
    "reports_savedreport": ("name", "title"),
    "staff_authenticator": ("name",),
    "wallet_deposit_method": ("name",),
}
"""Of tables that are held row by row or by a manifest. The first seeded rows are for these kinds."""
PROJECTED: Final = {
    "baccarat_table": ("name",),
    "baccarat_rulesversion": ("label",),
    "operators_change": ("summary",),
    "wallet_adjustment": ("message",),
}
"""Of tables that are derived from events."""
CHANGED: Final = {"properties": '{"mine": 1}'}


def _register(table: str, column: str, place: int) -> None:
    def tamper(attacker: Attacker) -> tuple[str, str]:
        held = held_tables().get(table)
        number = COVERED_TABLES.get(table) if held is None else held.key[0]
        query = f"SELECT {number} FROM {table} ORDER BY {number} DESC OFFSET %s LIMIT 1"  # noqa: S608
        (key,) = attacker.row(query, ROWS - 1 - place)
        attacker.do(f"UPDATE {table} SET {column} = %s WHERE {number} = %s", CHANGED.get(column, "mine"), key)  # noqa: S608
        return ("rows differ from their manifest", f"{table} 1 to") if held is None else (ROW_DIFFERS, f"{table} {key}")

    WITH_ORIGINAL_CHAIN[f"another {column} in {table}"] = tamper


def _register_projected(table: str, column: str) -> None:
    def tamper(attacker: Attacker) -> tuple[str, str]:
        (key,) = attacker.row(f"SELECT id FROM {table} ORDER BY id DESC LIMIT 1")  # noqa: S608
        attacker.do(f"UPDATE {table} SET {column} = 'mine' WHERE id = %s", key)  # noqa: S608
        return "row differs", f"{table} {key} {column}"

    WITH_ORIGINAL_CHAIN[f"another {column} in {table}"] = tamper


for _table, _columns in SHOWN.items():
    for _place, _column in enumerate(_columns):
        _register(_table, _column, _place)
for _table, _columns in PROJECTED.items():
    for _column in _columns:
        _register_projected(_table, _column)
