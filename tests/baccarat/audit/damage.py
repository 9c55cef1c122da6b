"""Damage rows at random, as the owner with triggers and constraints gone, by any value of the column's type."""

import json
import random
from dataclasses import dataclass

from psycopg import Error, sql

LOG = ("events_event", "events_seal")
MONEY = ("wallet_entry", "wallet_posting", "wallet_account", "wallet_balance")
ROWS = (
    "baccarat_round", "baccarat_wager", "baccarat_table", "baccarat_duetable", "baccarat_sitting",
    "baccarat_rulesversion", "baccarat_shoesecret",
)  # fmt: skip
NOT_COMPARED = {
    ("wallet_entry", "recorded_at"): "within ten minutes of its event",
    ("baccarat_shoesecret", "created_at"): "nothing follows from it",
}
"""Columns whose changes are no findings, each with its reason."""
ODD = (
    "null", "5", "-1", "1e400", "1" * 400, '"\\u0000"', '"\\ud800"', "true", "[]", "{}", '"x"', "[null]",
    '{"a":1,"a":2}', "[" * 3000 + "]" * 3000,
)  # fmt: skip
"""JSON that PostgreSQL keeps."""
MARKS = {
    "events_event": ("event {id},", "position {position},", "transaction {transaction},", "{stream}"),
    "events_seal": ("event {event_id}", "position {position}", "positions {position}"),
    "wallet_entry": ("entry {cause}", "event {cause}"),
    "wallet_posting": ("event {entry_id}", "entry {entry_id}", "account {account_id}"),
    "wallet_account": ("account {id}",),
    "wallet_balance": ("account {account_id}",),
}
_COLUMNS = """
SELECT column_name::text, udt_name::text, is_nullable = 'YES' FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER'
  AND identity_generation IS DISTINCT FROM 'ALWAYS' ORDER BY ordinal_position
"""
_CONSTRAINTS = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint
WHERE contype IN ('c', 'f') AND conrelid::regclass::text ~ '^(events|wallet|baccarat)_'
"""
_SAMPLE = "SELECT to_jsonb(kept), ctid::text FROM {table} AS kept ORDER BY md5(ctid::text || %s) LIMIT %s"
_CHANGE = "UPDATE {0} SET {1} = {2} WHERE ctid = %s AND {1}::text IS DISTINCT FROM ({2})::text"


@dataclass(frozen=True)
class Damaged:
    """A row as it was, the column that was changed, and what it has now."""

    table: str
    row: dict
    column: str
    value: object

    @property
    def marks(self):
        """Texts of which one is in the place of a finding about the row."""
        return tuple(mark.format(**self.row) for mark in MARKS.get(self.table, ()) if self.row) or tuple(
            str(self.row[name]) for name in ("id", "table_id", "shoe_id", "round_id") if self.row.get(name)
        )


class Vandal:
    """Damages rows through the owner's connection, by a generator of chance."""

    def __init__(self, connection, seed):
        self.connection, self.chance, self.seed = connection, random.Random(seed), seed
        connection.execute("SET synchronous_commit = off")
        for (drop,) in connection.execute(_CONSTRAINTS).fetchall():
            connection.execute(drop)

    def damage(self, tables, count):
        """Change one column in each of so many rows of each table; return what was changed."""
        return [each for table in tables for each in self._damage(table, count)]

    def _damage(self, table, count):
        name = sql.Identifier(table)
        self.connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(name))
        columns = [each for each in self.connection.execute(_COLUMNS, [table]).fetchall()
                   if (table, each[0]) not in NOT_COMPARED]  # fmt: skip
        sample = self.connection.execute(sql.SQL(_SAMPLE).format(table=name), [str(self.seed), count]).fetchall()
        for row, place in sample:
            if table == "events_event":
                row |= {"position": self._position(row["id"])}
            yield self._change(table, columns, row, place)

    def _position(self, event):
        return self.connection.execute("SELECT position FROM events_seal WHERE event_id = %s", [event]).fetchone()[0]

    def _change(self, table, columns, row, place):
        """Try columns and values until PostgreSQL takes one that differs."""
        while True:
            column, kind, nullable = self.chance.choice(columns)
            value = None if nullable and self.chance.random() < 0.2 else self._value(kind, row[column])
            new = sql.SQL("%s::{}").format(sql.Identifier(kind))
            change = sql.SQL(_CHANGE).format(sql.Identifier(table), sql.Identifier(column), new)
            try:
                changed = self.connection.execute(change, [value, place, value]).rowcount
            except Error:  # no such value, or the key of another row
                continue
            if changed:
                return Damaged(table, row, column, value)

    def _value(self, kind, old):
        chance = self.chance
        if kind in {"json", "jsonb"}:
            return self._json(old)
        if bits := {"int2": 15, "int4": 31, "int8": 63}.get(kind):
            most = 2**bits - 1
            return chance.choice([0, -1, 1, most, -most, (old or 0) + chance.choice([-1, 1]), chance.randint(0, 99)])
        values = {
            "bool": [not old],
            "timestamptz": ["infinity", "-infinity", "4000-01-01 BC", "294276-12-31", "2026-02-03T04:05:06Z"],
            "uuid": ["0" * 32, f"{chance.getrandbits(128):032x}"],
            "bytea": [chance.randbytes(size) for size in (0, 1, 12, 32, 300)],
        }
        texts = ["", " ", "x", "null", "[]", "infinity", "\u202e", "-1", "\u00c9" * 300, str(old)[:-1], f"{old} "]
        return chance.choice(values.get(kind, texts))

    def _json(self, old):
        """Return JSON of another shape, or that which was there with one member damaged, anywhere in it."""
        chance = self.chance
        odd = chance.choice(ODD)
        if not isinstance(old, dict) or not old or chance.random() < 0.2:
            return odd
        document = json.loads(json.dumps(old))
        inner = document
        while True:
            key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if not isinstance(inner[key], dict | list) or not inner[key] or chance.random() < 0.3:
                break
            inner = inner[key]
        if chance.random() < 0.3:
            del inner[key]
            return json.dumps(document)
        inner[key] = "\N{SNOWMAN}"
        return json.dumps(document, ensure_ascii=False).replace('"\N{SNOWMAN}"', odd)
