"""Selecting rounds reads an index, whatever they are selected by, however many rounds there are."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from baccarat.queries.rounds import RoundFilter, RoundStatus
from baccarat.storage.models import Round, RulesVersion, Wager
from casino.events.ids import first_id
from casino.events.sql import fetch
from tests.conftest import Database

OPERATOR, PLAYER = UUID(int=1), UUID(int=10**6)
START = datetime(2026, 3, 1, tzinfo=UTC)
OLD, NEW = "01" * 32, "02" * 32
MANY = 4000
BY_ID = "round_operator|baccarat_round_pkey"
"""Either will do where there is one operator."""


def table(number: int) -> UUID:
    return UUID(int=1000 + number % 50)


def opened_at(number: int) -> datetime:
    return START + timedelta(minutes=number)


@pytest.fixture
def many_rounds(database: Database) -> None:
    """Four thousand rounds at fifty tables: one in a hundred by new rules, one in two hundred voided."""
    rounds = (
        Round(
            id=first_id(opened_at(number)), table_id=table(number), operator_id=OPERATOR, number=number,
            rules=OLD if number % 100 else NEW, rules_label="mini@1", currency="EUR",
            phase="settled" if number % 200 else "voided", opened_at=opened_at(number), cards="", wagers=1,
            flag=None if number % 200 else "voided",
        )
        for number in range(MANY)
    )  # fmt: skip
    wagers = (
        Wager(
            id=UUID(int=10_000 + number), round_id=first_id(opened_at(number)), table_id=table(number),
            operator_id=OPERATOR, player_id=PLAYER if number % 100 == 7 else UUID(int=number), seat=1, preset="mini",
            money_type="play", currency="EUR", stakes={}, staked=100, confirmed_at=opened_at(number),
        )
        for number in range(MANY)
    )  # fmt: skip
    Round.objects.bulk_create(rounds, batch_size=MANY // 4)  # a statement takes 65,535 parameters
    Wager.objects.bulk_create(wagers, batch_size=MANY // 4)
    RulesVersion.objects.create(
        id="new rules", table_id=table(0), operator_id=OPERATOR, version=2, label="mini@2", digest=NEW, rules={},
        returns=[], return_floor=0, acknowledgement="", change_reason="", status="in_force",
        drafted_by="", drafted_at=START, decided_by="",
        effective_from="next_round", reason="", ended_by="",
    )  # fmt: skip
    with database.owner() as owner:
        owner.execute("ANALYZE baccarat_round")
        owner.execute("ANALYZE baccarat_rulesversion")
        owner.execute("ANALYZE baccarat_wager")


SELECTED: dict[str, tuple[dict[str, Any], int, str]] = {
    "all": ({}, 51, BY_ID),
    "a player": ({"player": PLAYER}, 40, "wager_player"),
    "a wager": ({"wager": UUID(int=10_001)}, 1, "baccarat_wager_pkey"),
    "a table": ({"table": table(3)}, 51, "round_number"),
    "a version of rules": ({"rules": NEW}, 40, "round_number"),
    "a rare status": ({"status": RoundStatus.VOIDED}, 20, "round_flag"),
    "a usual status": ({"status": RoundStatus.SETTLED}, 51, BY_ID),
    "a period": ({"since": opened_at(1000), "until": opened_at(1010)}, 10, BY_ID),
}


def test_rounds_are_selected_by_an_index_whatever_they_are_selected_by(many_rounds: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")  # which is as quick for so few
        for selected, (filters, count, index) in SELECTED.items():
            query, parameters = RoundFilter(OPERATOR, **filters).query(before=None, limit=51)
            assert len(fetch(query, parameters)) == count, selected
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {query}", parameters)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert any(name in plan for name in index.split("|")), (selected, plan)


def test_a_page_continues_where_the_last_one_ended_by_whatever_rounds_are_selected(many_rounds: None) -> None:
    for filters in (filters for filters, count, _ in SELECTED.values() if count > 4):
        where = RoundFilter(OPERATOR, **filters)
        first = fetch(*where.query(before=None, limit=4))
        (second,) = fetch(*where.query(before=first[2][0], limit=1))
        assert second == first[3]
