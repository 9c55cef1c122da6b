"""Selecting payments reads an index, whatever they are selected by, however many payments there are."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from casino.events.ids import first_id
from tests.conftest import Database
from wallet.payments.queries import Deposit, PaymentFilter, Withdrawal, deposits, withdrawals

OPERATOR, PLAYER = UUID(int=1), UUID(int=10**6)
START = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 4000


def requested_at(number: int) -> datetime:
    return START + timedelta(minutes=number)


def save_many(model: Any, usual: str, rare: str, **others: Any) -> None:
    """Save four thousand payments: one in a hundred of one player, one in two hundred with the rare status."""
    model.objects.bulk_create(
        model(
            id=first_id(requested_at(number)), operator_id=OPERATOR,
            player_id=PLAYER if number % 100 == 7 else UUID(int=number), method_id=UUID(int=2), method_version=1,
            provider="sandbox", currency="EUR", amount=100, fee=0, status=usual if number % 200 else rare,
            reference=str(number), reason="", requested_at=requested_at(number), version=1, **others,
        )
        for number in range(MANY)
    )  # fmt: skip


ANY = "{table}_operator|{table}_pkey"
"""Either will do where there is one operator."""
SELECTED: dict[str, tuple[dict[str, Any], int, str]] = {
    "all": ({}, 51, ANY),
    "a player": ({"player": PLAYER}, 40, "{table}_player"),
    "a rare status": ({"status": "rare"}, 20, "{table}_status"),
    "a usual status": ({"status": "usual"}, 51, f"{ANY}|{{table}}_status"),
    "a period": ({"since": requested_at(1000), "until": requested_at(1010)}, 10, ANY),
    "a player's of a period": (
        {"player": PLAYER, "since": requested_at(1000), "until": requested_at(1200)}, 2, f"{ANY}|{{table}}_player",
    ),
    "a rare status in a period": (
        {"status": "rare", "since": requested_at(1000), "until": requested_at(2000)}, 5, "{table}_status",
    ),
}  # fmt: skip


def check_plans(read: Callable[..., list[Any]], table: str, statuses: dict[str, str]) -> None:
    for name, (filters, count, index) in SELECTED.items():
        where = PaymentFilter(OPERATOR, **{**filters, "status": statuses.get(filters.get("status", ""))})
        with CaptureQueriesContext(connection) as captured:
            page = read(where, before=None, limit=51)
        (query,) = (each["sql"] for each in captured)
        assert len(page) == count, name
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")  # which is as quick for so few
            cursor.execute(f"EXPLAIN {query}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert any(each in plan for each in index.format(table=table).split("|")), (name, plan)


def test_deposits_are_selected_by_an_index(database: Database) -> None:
    save_many(Deposit, "completed", "reversed", debt_created=0)
    with database.owner() as owner:
        owner.execute("ANALYZE wallet_deposit")

    check_plans(deposits, "wallet_deposit", {"usual": "completed", "rare": "reversed"})


def test_withdrawals_are_selected_by_an_index(database: Database) -> None:
    save_many(Withdrawal, "paid", "returned", approvals_required=0, approved_by="")
    with database.owner() as owner:
        owner.execute("ANALYZE wallet_withdrawal")

    check_plans(withdrawals, "wallet_withdrawal", {"usual": "paid", "rare": "returned"})
