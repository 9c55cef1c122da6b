"""Deposits and withdrawals as rows: what a state comes to, and how rows are written. Derived from events alone."""

from typing import Final

from wallet.ledger.relations import ProjectionTable, Row, upsert_rows
from wallet.payments.deposit_state import DepositState
from wallet.payments.withdrawal_state import WithdrawalState

__all__ = [
    "DEPOSITS",
    "RELATIONS",
    "WITHDRAWALS",
    "ProjectionTable",
    "Row",
    "deposit_row",
    "upsert_rows",
    "withdrawal_row",
]


_COMMON: Final = (
    ("id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"), ("method_id", "uuid"), ("method_version", "int"),
    ("provider", "text"), ("currency", "text"), ("amount", "bigint"), ("requested_at", "timestamptz"),
    ("status", "text"), ("reference", "text"), ("reason", "text"), ("ended_at", "timestamptz"), ("version", "int"),
)  # fmt: skip
DEPOSITS: Final = ProjectionTable("wallet_deposit", (*_COMMON, ("fee", "bigint"), ("debt_created", "bigint")))
WITHDRAWALS: Final = ProjectionTable(
    "wallet_withdrawal",
    (*_COMMON, ("fee", "bigint"), ("approvals_required", "int"), ("approved_by", "text"), ("rejected_by", "text")),
)
RELATIONS: Final = (DEPOSITS, WITHDRAWALS)


def deposit_row(state: DepositState, version: int) -> Row:
    """Turn a deposit at a version of its stream into a row of DEPOSITS."""
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


def withdrawal_row(state: WithdrawalState, version: int) -> Row:
    """Turn a withdrawal at a version of its stream into a row of WITHDRAWALS."""
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
        asked.fee,
        asked.approvals_required,
        ",".join(state.approved_by),
        state.rejected_by,
    )
