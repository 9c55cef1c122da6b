"""Stops in force: read when tables open, and locked while a switch is changed."""

from typing import Final
from uuid import UUID

from baccarat.domain.tables.kill_switch_events import StopScope, switch_id
from baccarat.storage.rows import SwitchRow
from casino.events.sql import execute, fetch

_KEY: Final = 0x6361_7369_6E6F_0005
"""The advisory lock of switches: "casino" in ASCII, and a number of its own."""
_COLUMNS: Final = "id, scope, subject, operator_id, stopped, reason, message, by, at, version"
_ONE: Final = f"SELECT {_COLUMNS} FROM baccarat_switch WHERE id = %s"  # noqa: S608  (constants)
_HOLDING: Final = f"SELECT {_COLUMNS} FROM baccarat_switch WHERE id = ANY (%s::text[]) AND stopped"  # noqa: S608
# Tables that once had these rules may have them in force, pending, or still be stopped because of them.
_TABLES: Final = {
    StopScope.GAMING: "SELECT id FROM baccarat_table WHERE %s::text = ''",
    StopScope.OPERATOR: "SELECT id FROM baccarat_table WHERE operator_id = %s::uuid",
    StopScope.RULES: "SELECT table_id FROM baccarat_rulesversion WHERE label = %s",
    StopScope.TABLE: "SELECT id FROM baccarat_table WHERE id = %s::uuid",
}


def lock_exclusive() -> None:
    """Make other changes of switches, and openings of tables, wait for this transaction to end."""
    execute("SELECT pg_advisory_xact_lock(%s)", [_KEY])


def lock_shared() -> None:
    """Make changes of switches wait for this transaction; does not block other holders."""
    execute("SELECT pg_advisory_xact_lock_shared(%s)", [_KEY])


def find_switch(scope: StopScope, subject: str) -> SwitchRow | None:
    """Return a switch, None if it was never used."""
    rows = fetch(_ONE, [switch_id(scope, subject)])
    return SwitchRow(*rows[0]) if rows else None


def active_stops(*, operator: UUID, rules: str) -> list[SwitchRow]:
    """Return the stops that apply to a new table of this operator with these rules."""
    stops = [(StopScope.GAMING, ""), (StopScope.OPERATOR, str(operator)), (StopScope.RULES, rules)]
    return [SwitchRow(*row) for row in fetch(_HOLDING, [[switch_id(*each) for each in stops]])]


def affected_tables(scope: StopScope, subject: str) -> list[UUID]:
    """Return the tables that a switch reaches; none for a player, whose stop does not apply to tables."""
    statement = _TABLES.get(scope)
    return [] if statement is None else [row[0] for row in fetch(statement, [subject])]
