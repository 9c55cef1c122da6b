"""What a report or an export reads does not grow with another operator's play."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.db import connection, transaction

from baccarat.reports import days
from casino.compliance.exports import operator_statements
from casino.events import sealer
from casino.events.sql import database_now, execute, fetch
from casino.operators import services
from casino.reports.definition import ReportScope, report_definitions
from tests.conftest import Database
from tests.support.house import House, deal_all

LARGE: Final = {
    "events_event", "events_seal", "wallet_entry", "wallet_posting", "baccarat_round", "baccarat_wager",
    "significant_significantevent", "wallet_deposit", "wallet_withdrawal", "wallet_transfer",
}  # fmt: skip


def house_of(slug: str) -> House:
    return House(operator=services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True).id)


def play(house: House, rounds: int) -> None:
    seated = house.seated(house.table("mini"))
    for _ in range(rounds):
        seated.deal({"banker": 500})
        deal_all()
    sealer.seal_all()


def statements(house: House) -> dict[str, tuple[str, Any]]:
    """Return every statement of a report or export of this operator, by name, with its parameters."""
    now, position = database_now(), fetch("SELECT max(position) FROM events_seal")[0][0]
    scope = ReportScope(house.operator, True, now - timedelta(hours=1), now + timedelta(hours=1), position)
    found: dict[str, tuple[str, Any]] = {name: (each, scope.values()) for name, each in operator_statements().items()}
    reads: dict[str, Callable[[], object]] = {
        name: partial(report.read, scope) for name, report in report_definitions().items()
    }
    reads["recent days"] = partial(days.read_days, [house.operator], first=now.date(), last=now.date())
    for name, read in reads.items():
        sent = list[tuple[str, Any]]()

        def note(execute: Any, sql: str, values: Any, *rest: Any, sent: Any = sent) -> Any:
            sent.append((sql, values))
            return execute(sql, values, *rest)

        with connection.execute_wrapper(note):
            read()
        found |= {f"{name} {number}": each for number, each in enumerate(sent)}
    return found


def scans(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if plan.get("Relation Name") in LARGE:
        yield plan
    for child in plan.get("Plans", ()):
        yield from scans(child)


def rows_read(statement: str, values: dict[str, Any]) -> tuple[int, list[str]]:
    """Return how many rows of large tables a statement reads, and the scans that no index narrows."""
    ((text,),) = fetch(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}", values)
    plan = (text if isinstance(text, list) else json.loads(text))[0]["Plan"]
    read, unbounded = 0, []
    for scan in scans(plan):
        removed = scan.get("Rows Removed by Filter", 0) + scan.get("Rows Removed by Index Recheck", 0)
        read += scan["Actual Loops"] * (scan["Actual Rows"] + removed)
        if "Index Cond" not in scan and "Recheck Cond" not in scan:
            unbounded.append(f"{scan['Node Type']} on {scan['Relation Name']}")
    return read, unbounded


def test_what_a_report_or_export_reads_does_not_grow_with_another_operators_play(database: Database) -> None:
    one, other = house_of("one"), house_of("two")
    play(one, 2)
    play(other, 4)
    before = measure(one, database)
    play(other, 12)
    after = measure(one, database)
    assert len(before) > 12
    assert {name for name, (_, unbounded) in after.items() if unbounded} == set()
    grown = {name: (before[name][0], read) for name, (read, _) in after.items() if read > before[name][0]}
    assert grown == {}


def measure(house: House, database: Database) -> dict[str, tuple[int, list[str]]]:
    with database.owner() as owner:  # a table with figures of a few rows is read whole; without any it counts as larger
        for table in LARGE:
            owner.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
            owner.execute("SELECT pg_clear_relation_stats('public', %s)", [table])
    with transaction.atomic():
        execute("SET LOCAL enable_seqscan = off")
        return {name: rows_read(*each) for name, each in statements(house).items()}
