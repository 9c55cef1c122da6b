"""The rules that rounds were played by, as reports need them: by table and the version that each round names."""

from collections.abc import Collection
from uuid import UUID

from baccarat.projections import decode_table
from baccarat.rules.table_rules import TableRules
from casino.events.rows import fetch

Key = tuple[UUID, str]


def of_tables(tables: Collection[UUID]) -> dict[Key, TableRules]:
    """This will return the rules of these tables, by table and the version as rounds name it, in one query."""
    rows = fetch("SELECT id, state::text FROM baccarat_table WHERE id = ANY (%s::uuid[])", [list(tables)])
    found = {}
    for table, state in rows:
        rules = decode_table(state).rules
        found[table, f"{rules.preset}@{rules.version}"] = rules
    return found
