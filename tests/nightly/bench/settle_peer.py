"""The hand-written side of `settle`: the rows that ours wrote, for pgbench to write again in a twin database."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from casino.devstack.errors import DevstackError
from casino.devstack.postgres import installation
from casino.devstack.processes import run_to_end
from casino.settings import DATABASE_APP_ROLE
from tests.nightly.bench.databases import Connection, Database

SCRIPT = Path(__file__).with_name("settle.sql")
_TPS = re.compile(r"tps = ([0-9.]+) \(without initial connection time\)")
_FAILED = re.compile(r"number of failed transactions: 0 ")
_SOURCES = {
    "bench_round": """
        SELECT row_number() OVER (ORDER BY made.id)::int AS place, (opened.data->>'shoe')::uuid AS shoe_id, made.*
        FROM baccarat_round AS made JOIN events_event AS opened ON opened.stream = 'round-' || made.id
        WHERE phase = 'settled' AND opened.version = 1 AND NOT EXISTS (
            SELECT FROM baccarat_round AS later
            WHERE later.table_id = made.table_id AND later.phase = 'settled' AND later.id > made.id)""",
    "bench_table": """
        SELECT place, made.* FROM baccarat_table AS made JOIN bench_round ON bench_round.table_id = made.id""",
    "bench_due": """
        SELECT place, made.* FROM baccarat_duetable AS made JOIN bench_round USING (table_id)""",
    "bench_wager": """
        SELECT place, made.* FROM baccarat_wager AS made JOIN bench_round ON bench_round.id = made.round_id""",
    "bench_event": """
        SELECT place, stream, event.version, type, schema, data, metadata
        FROM events_event AS event JOIN bench_round ON stream = 'round-' || bench_round.id
        WHERE type IN ('BettingClosed', 'LinksReleased', 'CardsDealt', 'RoundSettled')""",
    "bench_secret": """
        SELECT place, made.* FROM baccarat_shoesecret AS made
        JOIN bench_event
            ON type = 'CardsDealt' AND (data->'next_terms'->>'shoe')::uuid = made.shoe_id""",
    "bench_posting": """
        SELECT place, account_id, amount
        FROM bench_event JOIN events_event AS event USING (stream, version)
        JOIN wallet_entry AS entry ON entry.cause = event.id JOIN wallet_posting ON entry_id = entry.cause""",
}
"""What ours wrote for the last round of each table, numbered by place; each may use those before it."""

COUNTED = (
    "events_event", "events_unsealed", "wallet_entry", "wallet_posting", "wallet_balance", "baccarat_table",
    "baccarat_duetable", "baccarat_round", "baccarat_wager", "baccarat_shoesecret",
)  # fmt: skip
SAME = {
    "wallet_balance": "account_id, balance, sequence",
    "baccarat_round": "id, cards, outcome, phase",
    "baccarat_table": "id, state, version, round_id, round_state, rounds",
    "baccarat_duetable": "table_id, round_id, due_at",
    "baccarat_wager": "id, won, commission, returned, settled_at",
}
"""Columns that must have come out the same on both sides."""


def program() -> str | None:
    """Find pgbench, the wheel's or the machine's; None when there is none."""
    try:
        path = installation() / "bin" / "pgbench"
    except DevstackError:
        return shutil.which("pgbench")
    return str(path) if path.exists() else shutil.which("pgbench")


def prepare(ours: Database, peer: Database) -> None:
    """Carry what ours wrote into the peer's database, with an index on each round's place."""
    with ours.owner() as source, peer.owner() as target:
        for table, query in _SOURCES.items():
            source.execute(sql.SQL("CREATE TABLE {} AS " + query).format(sql.Identifier(table)))
            _carry(source, target, table)
        target.execute("CREATE SEQUENCE bench_place")
        target.execute("ANALYZE")


def _carry(source: Connection, target: Connection, table: str) -> None:
    columns = source.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum",
        [table],
    ).fetchall()
    typed = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    target.execute(f"CREATE TABLE {table} ({typed})")
    copy = sql.SQL("COPY {} {}").format(sql.Identifier(table), sql.SQL("TO STDOUT"))
    back = sql.SQL("COPY {} {}").format(sql.Identifier(table), sql.SQL("FROM STDIN"))
    with source.cursor().copy(copy) as out, target.cursor().copy(back) as into:
        for block in out:
            into.write(block)
    target.execute(sql.SQL("CREATE INDEX ON {} (place)").format(sql.Identifier(table)))


def run(pgbench: str, peer: Database, *, rounds: int) -> float:
    """Settle so many rounds, one transaction each, one client, and return rounds a second. Raises DevstackError."""
    connection = conninfo_to_dict(peer.url)
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "PGOPTIONS": f"-c role={DATABASE_APP_ROLE}",
        **{f"PG{name}": str(connection[key]) for name, key in _VARIABLES.items() if connection.get(key)},
    }
    command = [pgbench, "--no-vacuum", "--protocol=prepared", "--client=1", "--jobs=1", f"--transactions={rounds}"]
    output = run_to_end([*command, f"--file={SCRIPT}"], environment=environment)
    match = _TPS.search(output)
    if match is None or _FAILED.search(output) is None:
        raise DevstackError(f"pgbench did not settle every round:\n{output}")
    return float(match[1])


_VARIABLES = {"HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password", "DATABASE": "dbname"}


def rows(database: Database) -> dict[str, int]:
    """Count the rows of every table that settling writes."""
    with database.owner() as connection:
        return {table: _one(connection, f"SELECT count(*) FROM {table}") for table in COUNTED}  # noqa: S608


def differences(ours: Database, peer: Database) -> Iterator[str]:
    """Name every table whose rows did not come out the same on both sides."""
    if rows(ours) != rows(peer):
        yield f"numbers of rows: {rows(ours)} and {rows(peer)}"
    with ours.owner() as one, peer.owner() as other:
        for table, columns in SAME.items():
            query = f"SELECT md5(string_agg(made::text, ',' ORDER BY made)) FROM (SELECT ROW({columns})::text AS made FROM {table}) AS rows"  # noqa: S608, E501
            if _one(one, query) != _one(other, query):
                yield table


def _one(connection: Connection, query: str) -> Any:
    row = connection.execute(query).fetchone()
    return row[0] if row else None
