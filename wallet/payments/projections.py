"""Deposits and withdrawals as rows: what a state comes to, and how rows are written. Derived from events alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from casino.events.rows import execute
from wallet.payments.deposit_state import Deposit
from wallet.payments.withdrawal_state import Withdrawal

Row = tuple[Any, ...]
_encode: Final = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Relation:
    """A table and its columns with their types, `id` first."""

    table: str
    typed: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.typed)

    @property
    def upsert(self) -> str:
        """This will write the statement that adds rows, given as one JSON text, or brings them up to date."""
        names = ", ".join(self.columns)
        types = ", ".join(f"{name} {kind}" for name, kind in self.typed)
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in self.columns[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS given ({types}) ORDER BY id "
            f"ON CONFLICT (id) DO UPDATE SET {changes}"
        )


_COMMON: Final = (
    ("id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"), ("method_id", "uuid"), ("method_version", "int"),
    ("provider", "text"), ("currency", "text"), ("amount", "bigint"), ("requested_at", "timestamptz"),
    ("status", "text"), ("reference", "text"), ("reason", "text"), ("ended_at", "timestamptz"), ("version", "int"),
)  # fmt: skip
DEPOSITS: Final = Relation("wallet_deposit", (*_COMMON, ("fee", "bigint"), ("owed", "bigint")))
WITHDRAWALS: Final = Relation(
    "wallet_withdrawal", (*_COMMON, ("approvals", "int"), ("approved_by", "text"), ("rejected_by", "text"))
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
        state.status.value,
        state.reference,
        state.reason,
        state.ended_at,
        version,
        asked.fee,
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
        state.status.value,
        state.reference,
        state.reason,
        state.ended_at,
        version,
        asked.approvals,
        ",".join(state.approved_by),
        state.rejected_by,
    )


def save(relation: Relation, rows: Sequence[Row]) -> None:
    """This will add rows or bring them up to date, in one statement."""
    given = [dict(zip(relation.columns, row, strict=True)) for row in rows]
    execute(relation.upsert, [_encode(given).decode()])
