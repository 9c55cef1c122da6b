"""Which switches hold: read where tables open, and locked where a switch is thrown or released."""

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
# Whoever had these rules may have them in force, or waiting, or still hold a stop because of them.
_TABLES: Final = {
    StopScope.GAMING: "SELECT id FROM baccarat_table WHERE %s::text = ''",
    StopScope.OPERATOR: "SELECT id FROM baccarat_table WHERE operator_id = %s::uuid",
    StopScope.RULES: "SELECT table_id FROM baccarat_rulesversion WHERE label = %s",
    StopScope.TABLE: "SELECT id FROM baccarat_table WHERE id = %s::uuid",
}


def lock_exclusive() -> None:
    """Make all who throw or release switches, or open tables, wait for this transaction to end."""
    execute("SELECT pg_advisory_xact_lock(%s)", [_KEY])


def lock_shared() -> None:
    """Make those who throw or release switches wait for this transaction, and nobody else."""
    execute("SELECT pg_advisory_xact_lock_shared(%s)", [_KEY])


def find_switch(scope: StopScope, subject: str) -> SwitchRow | None:
    """Read one switch, None for one that was never thrown."""
    rows = fetch(_ONE, [switch_id(scope, subject)])
    return SwitchRow(*rows[0]) if rows else None


def active_stops(*, operator: UUID, rules: str) -> list[SwitchRow]:
    """List the switches that hold a new table of this operator by these rules."""
    stops = [(StopScope.GAMING, ""), (StopScope.OPERATOR, str(operator)), (StopScope.RULES, rules)]
    return [SwitchRow(*row) for row in fetch(_HOLDING, [[switch_id(*each) for each in stops]])]


def affected_tables(scope: StopScope, subject: str) -> list[UUID]:
    """List the tables that a switch reaches; none for a player, whom no table holds back."""
    statement = _TABLES.get(scope)
    return [] if statement is None else [row[0] for row in fetch(statement, [subject])]
