"""The wallet's tables in retention, exports and erasure."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.compliance import erasure, exports, retention
from casino.compliance.erasure import PlayerActivity
from casino.compliance.exports import OperatorFile
from casino.compliance.retention import TEN_YEARS, RetentionPolicy
from casino.events.sql import fetch
from wallet import reports
from wallet.payments import withdrawal_state
from wallet.responsible_gaming import projection

PLAYER_FILES: Final[Mapping[str, str]] = {
    "accounts": """
        SELECT id, kind, money_type, currency, table_id, balance FROM wallet_account JOIN wallet_balance ON
        account_id = id WHERE player_id = %(player)s ORDER BY id
    """,
    "money": """
        SELECT entry.cause AS entry, entry.kind, entry.recorded_at, account.id AS account, account.kind AS account_kind,
        account.money_type, account.currency, posting.amount, posting.balance, posting.sequence FROM
        wallet_account AS account JOIN wallet_posting AS posting ON posting.account_id = account.id JOIN
        wallet_entry AS entry ON entry.cause = posting.entry_id WHERE account.player_id = %(player)s ORDER BY
        entry.cause, account.id
    """,
    "deposits": "SELECT * FROM wallet_deposit WHERE player_id = %(player)s ORDER BY id",
    "withdrawals": "SELECT * FROM wallet_withdrawal WHERE player_id = %(player)s ORDER BY id",
    "holds": "SELECT * FROM wallet_hold WHERE player_id = %(player)s ORDER BY id",
    "adjustments": "SELECT * FROM wallet_adjustment WHERE player_id = %(player)s ORDER BY id",
    "transfers": "SELECT * FROM wallet_transfer WHERE player_id = %(player)s ORDER BY id",
    "remote": "SELECT * FROM wallet_remote WHERE player_id = %(player)s ORDER BY requested_at, id",
    "limits": "SELECT * FROM wallet_playerrestrictions WHERE player_id = %(player)s",
    "exclusions": "SELECT * FROM wallet_exclusion_note WHERE player_id = %(player)s ORDER BY since",
    "notices": "SELECT * FROM wallet_notice WHERE player_id = %(player)s ORDER BY id",
    "discrepancies": """
        SELECT note.discrepancy_id, note.note, note.created_at FROM wallet_discrepancy_note AS note JOIN
        wallet_discrepancy AS discrepancy ON discrepancy.id = note.discrepancy_id JOIN (SELECT id::text FROM
        wallet_deposit WHERE player_id = %(player)s UNION ALL SELECT id::text FROM wallet_withdrawal WHERE
        player_id = %(player)s UNION ALL SELECT id::text FROM wallet_remote
        WHERE player_id = %(player)s) AS payment ON payment.id = discrepancy.payment ORDER BY note.id
    """,
    "messages": """
        SELECT provider, payment_id, money, body, outcome, received_at FROM wallet_providercallback
        WHERE player_id = %(player)s ORDER BY id
    """,
    "played": "SELECT slot FROM wallet_played WHERE player_id = %(player)s ORDER BY slot",
    "table_limits": "SELECT * FROM wallet_table_limit WHERE player_id = %(player)s",
}
NEEDS: Final[Mapping[str, str]] = {
    "holds": "wallet.view_hold",
    "discrepancies": "wallet.view_discrepancy",
    "messages": "wallet.view_providercallback",
}
OWN_FILES: Final[Mapping[str, frozenset[str]]] = {
    "accounts": frozenset(),
    "money": frozenset(),
    "deposits": frozenset({"operator_id"}),
    "withdrawals": frozenset({"operator_id", "approved_by", "rejected_by", "owner", "note", "version"}),
    "adjustments": frozenset({"operator_id", "requested_by", "approved_by", "note"}),
    "transfers": frozenset({"operator_id"}),
    "remote": frozenset({"operator_id"}),
    "limits": frozenset({"operator_id", "frozen", "version"}),
    "notices": frozenset({"operator_id"}),
    "table_limits": frozenset({"operator_id"}),
}


def _own_withdrawal(row: dict[str, Any]) -> dict[str, Any]:
    """Show a withdrawal as its player sees it: in review, whoever reviews it."""
    status = withdrawal_state.shown_status(row["status"])
    return {**row, "status": status, "reason": row["reason"] if row["ended_at"] else ""}


def _own_limits(row: dict[str, Any]) -> dict[str, Any]:
    """Show restrictions without a freeze, of which its player must not be told."""
    state = row["state"] if isinstance(row["state"], dict) else msgspec.json.decode(row["state"])
    return {**row, "state": {name: value for name, value in state.items() if name != "frozen_at"}}


OWN_VIEWS: Final = {"withdrawals": _own_withdrawal, "limits": _own_limits}
PLAYER_STREAMS: Final = (
    "ARRAY['debt-' || %(player)s::text, 'responsible-gaming-' || %(player)s::text]",
    """ARRAY(SELECT DISTINCT prefix || %(player)s::text || '-' || currency
              FROM wallet_account, unnest(ARRAY['wallet-', 'limit-']) AS prefix WHERE player_id = %(player)s)""",
    "ARRAY(SELECT 'deposit-' || id FROM wallet_deposit WHERE player_id = %(player)s)",
    "ARRAY(SELECT 'withdrawal-' || id FROM wallet_withdrawal WHERE player_id = %(player)s)",
    "ARRAY(SELECT 'hold-' || id FROM wallet_hold WHERE player_id = %(player)s)",
    "ARRAY(SELECT 'adjustment-' || id FROM wallet_adjustment WHERE player_id = %(player)s)",
    "ARRAY(SELECT 'transfer-' || id FROM wallet_transfer WHERE player_id = %(player)s)",
    "ARRAY(SELECT 'remote-' || id FROM wallet_remote WHERE player_id = %(player)s)",
)
_POSTINGS: Final = """
    entry.cause AS entry, entry.kind, entry.cause AS event, entry.recorded_at, account.id AS account,
    account.kind AS account_kind, account.money_type, account.currency, account.player_id, account.table_id,
    posting.amount, posting.balance - posting.amount AS balance_before, posting.balance AS balance_after,
    posting.sequence
      FROM wallet_entry entry
      JOIN wallet_posting posting ON posting.entry_id = entry.cause
      JOIN wallet_account account ON account.id = posting.account_id
"""
OPERATOR_FILES: Final[Mapping[str, OperatorFile]] = {
    "accounts": OperatorFile(
        """account.id, account.kind, account.money_type, account.currency, account.player_id, account.table_id,
           held.balance AS balance_now, held.sequence AS postings_now
             FROM wallet_account account JOIN wallet_balance held ON held.account_id = account.id""",
        "",
        own="account.operator_id = %(operator)s",
    ),
    "postings": OperatorFile(
        _POSTINGS, "entry.recorded_at", f"account.operator_id = %(operator)s AND {reports.OWN_ENTRY}"
    ),
    "deposits": OperatorFile("* FROM wallet_deposit", "requested_at"),
    "withdrawals": OperatorFile("* FROM wallet_withdrawal", "requested_at"),
    "holds": OperatorFile("* FROM wallet_hold", "placed_at"),
    "adjustments": OperatorFile("* FROM wallet_adjustment", "posted_at"),
    "transfers": OperatorFile("* FROM wallet_transfer", "at"),
    "remote": OperatorFile("* FROM wallet_remote", "requested_at"),
    "restrictions": OperatorFile("* FROM wallet_playerrestrictions", ""),
    "operator_limits": OperatorFile("* FROM wallet_operatorlimits", ""),
    "deposit_methods": OperatorFile("* FROM wallet_deposit_method", "created_at", state=True),
    "withdrawal_policies": OperatorFile("* FROM wallet_withdrawal_policy", "created_at", state=True),
    "exclusion_notes": OperatorFile("* FROM wallet_exclusion_note", "since", state=True),
    "notices": OperatorFile("* FROM wallet_notice", "created_at"),
    "table_limits": OperatorFile("* FROM wallet_table_limit", "set_at", state=True),
    "reconciliations": OperatorFile("* FROM wallet_reconciliation", "since"),
    "discrepancies": OperatorFile("* FROM wallet_discrepancy", "found_at"),
    "discrepancy_notes": OperatorFile(
        """note.* FROM wallet_discrepancy_note note
             JOIN wallet_discrepancy discrepancy ON discrepancy.id = note.discrepancy_id""",
        "note.created_at",
        own="discrepancy.operator_id = %(operator)s",
    ),
    "messages": OperatorFile(
        "provider, payment_id, player_id, money, body, outcome, received_at FROM wallet_providercallback",
        "received_at",
    ),
    "funding": OperatorFile("* FROM wallet_funding", "since", state=True),
}
_ACTIVE: Final = """
    SELECT EXISTS (SELECT FROM wallet_account JOIN wallet_balance ON account_id = id
                    WHERE player_id = %(player)s AND money_type = 'real' AND balance <> 0)
        OR EXISTS (SELECT FROM wallet_deposit WHERE player_id = %(player)s AND status = 'pending')
        OR EXISTS (SELECT FROM wallet_withdrawal
                    WHERE player_id = %(player)s AND status IN ('requested', 'held', 'approved', 'sent'))
        OR EXISTS (SELECT FROM wallet_hold WHERE player_id = %(player)s AND status = 'open')
        OR EXISTS (SELECT FROM wallet_playerrestrictions WHERE player_id = %(player)s AND frozen)
        OR EXISTS (SELECT FROM wallet_remote
                    WHERE player_id = %(player)s AND status IN ('requested', 'rolling_back')),
        clock_timestamp()
"""


def player_activity(operator: UUID, player: UUID) -> PlayerActivity:
    """Report real money, open payments, holds, a freeze and exclusions."""
    ((active, now),) = fetch(_ACTIVE, {"player": player})
    restrictions, _ = projection.load_restrictions(operator=operator, player=player)
    return PlayerActivity(active=active, excluded=restrictions.active_exclusion(now) is not None)


def register() -> None:
    retention.register_reviewed("SELECT player_id FROM wallet_hold WHERE status = 'open'")
    retention.register_reviewed("SELECT player_id FROM wallet_playerrestrictions WHERE frozen")
    retention.register(
        permanent={"ledger": ("wallet_account", "wallet_entry", "wallet_posting")},
        policies={
            "callbacks": RetentionPolicy(
                {"wallet_providercallback": "received_at"}, TEN_YEARS, TEN_YEARS, of_players=True
            )
        },
    )
    exports.register_player_files(
        files=PLAYER_FILES, streams=PLAYER_STREAMS, own=OWN_FILES, own_views=OWN_VIEWS, needs=NEEDS
    )
    exports.register_operator_files(OPERATOR_FILES)
    erasure.register_check(player_activity)
