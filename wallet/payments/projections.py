"""Deposits and withdrawals as rows: what a state comes to, and how rows are written. Derived from events alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from casino.events.rows import execute
from wallet.payments.deposit_state import Deposit
from wallet.payments.withdrawal_state import Withdrawal

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A table with its columns, `id` first, and how many of its columns may change after the first row."""

    table: str
    columns: tuple[str, ...]
    changing: tuple[str, ...]

    @property
    def upsert(self) -> str:
        """This will write the statement that adds a row or brings it up to date."""
        marks = ", ".join(["%s"] * len(self.columns))
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in self.changing)
        return (
            f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES ({marks}) "  # noqa: S608  (constants)
            f"ON CONFLICT (id) DO UPDATE SET {changes}"
        )


_FACTS: Final = (
    "id",
    "operator_id",
    "player_id",
    "method_id",
    "method_version",
    "provider",
    "currency",
    "amount",
    "requested_at",
)
_CHANGING: Final = ("status", "reference", "reason", "ended_at", "version")
DEPOSITS: Final = Relation("wallet_deposit", (*_FACTS, "fee", *_CHANGING, "owed"), (*_CHANGING, "owed"))
WITHDRAWALS: Final = Relation(
    "wallet_withdrawal",
    (*_FACTS, "approvals", *_CHANGING, "approved_by", "rejected_by"),
    (*_CHANGING, "approved_by", "rejected_by"),
)
RELATIONS: Final = (DEPOSITS, WITHDRAWALS)


def deposit_row(state: Deposit, version: int) -> Row:
    """This will turn a deposit at a version of its stream into a row of DEPOSITS."""
    asked = state.requested
    return (
        asked.deposit,
        asked.operator,
        asked.player,
        asked.method,
        asked.method_version,
        asked.provider,
        asked.currency,
        asked.amount,
        asked.at,
        asked.fee,
        state.status.value,
        state.reference,
        state.reason,
        state.ended_at,
        version,
        state.owed,
    )


def withdrawal_row(state: Withdrawal, version: int) -> Row:
    """This will turn a withdrawal at a version of its stream into a row of WITHDRAWALS."""
    asked = state.requested
    return (
        asked.withdrawal,
        asked.operator,
        asked.player,
        asked.method,
        asked.method_version,
        asked.provider,
        asked.currency,
        asked.amount,
        asked.at,
        asked.approvals,
        state.status.value,
        state.reference,
        state.reason,
        state.ended_at,
        version,
        ",".join(state.approved_by),
        state.rejected_by,
    )


def save(relation: Relation, rows: Sequence[Row]) -> None:
    """This will add rows or bring them up to date."""
    for row in rows:
        execute(relation.upsert, row)
