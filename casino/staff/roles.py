"""Permissions of each role that is built in: one table. A role is a group of that name.

Functions are named `app.codename`, as Django names permissions. Duties are separated after GLI-19 B.2.3 and B.8.2:
nobody approves their own request, and those who manage users change neither money nor rules.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """Names of roles, which are names of groups."""

    COMPLIANCE = "compliance"
    FLOOR_MANAGER = "floor_manager"
    DUTY_MANAGER = "duty_manager"
    CASHIER = "cashier"
    APPROVER = "approver"
    SUPPORT = "support"
    ADMINISTRATOR = "administrator"


TITLES: Final[Mapping[Role, str]] = {
    Role.COMPLIANCE: "Views everything, works on cases, assesses and excludes players; changes nothing else.",
    Role.FLOOR_MANAGER: "Tables and rounds; requests voids.",
    Role.DUTY_MANAGER: "Stops play anywhere, all gaming included; on call.",
    Role.CASHIER: "Withdrawals and discrepancies; requests adjustments.",
    Role.APPROVER: "Approves requests: voids, adjustments, withdrawals, erasures.",
    Role.SUPPORT: "Players and chats; requests erasures.",
    Role.ADMINISTRATOR: "Users and API keys, not money.",
}

_PLAY: Final = {
    "baccarat.view_round",
    "baccarat.view_rulesversion",
    "baccarat.view_killswitch",
    "baccarat.view_table",
    "baccarat.view_wager",
}
_MONEY: Final = {
    "wallet.view_account",
    "wallet.view_adjustment",
    "wallet.view_providercallback",
    "wallet.view_deposit",
    "wallet.view_depositmethod",
    "wallet.view_discrepancy",
    "wallet.view_entry",
    "wallet.view_reconciliation",
    "wallet.view_remotetransaction",
    "wallet.view_transfer",
    "wallet.view_withdrawal",
}
_PLAYERS: Final = {
    "operators.view_brand",
    "operators.view_player",
    "operators.view_operator",
    "wallet.view_playerrestrictions",
}
_CHAT: Final = {"chat.view_moderationaction", "chat.view_chatmessage", "chat.view_chatreport", "chat.view_filterword"}
_LOG: Final = {
    "checkpoints.view_checkpoint",
    "events.view_event",
    "events.view_chainhead",
    "events.view_subscription",
}
_INTEGRITY: Final = {"compliance.view_approval", "compliance.view_clockreading", "compliance.view_measurement"}
_RISK: Final = {"risk.view_riskalert", "risk.view_riskrule", "risk.view_playernote", "risk.view_playerstatus"}
_REPORTS: Final = {"compliance.view_case", "reports.view_report", "reports.view_savedreport"}
_SIGNIFICANT: Final = {"significant.view_significantevent", "significant.view_threshold"}
_ON_CALL: Final = {"alerts.acknowledge_alert", "alerts.view_alert", "alerts.view_heartbeat"}
_STAFF: Final = {
    "alerts.view_oncalllist",
    "admin.view_logentry",
    "auth.view_user",
    "baccarat.view_skin",
    "feed.view_webhookdelivery",
    "feed.view_webhookendpoint",
    "operators.view_apikey",
    "operators.view_assertionkey",
    "operators.view_brand",
    "operators.view_change",
    "staff.export_access_review",
    "staff.view_identityprovider",
    "staff.view_member",
    "staff.view_rolegroup",
    "staff.view_signin",
    "staff.view_accesslogentry",
}

PERMISSIONS_BY_ROLE: Final[Mapping[Role, frozenset[str]]] = {
    Role.COMPLIANCE: frozenset(
        _PLAY
        | _INTEGRITY
        | _MONEY
        | _PLAYERS
        | _CHAT
        | _LOG
        | _REPORTS
        | _RISK
        | _STAFF
        | _ON_CALL
        | {
            "reports.add_savedreport",
            "reports.change_savedreport",
            "reports.generate_report",
            "compliance.resolve_case",
            "risk.assess_player",
            "baccarat.share_dispute_pack",
            "checkpoints.view_checkpoint",
            "compliance.export_operator",
            "compliance.export_player",
            "compliance.view_erasure",
            "significant.acknowledge_significantevent",
            "significant.view_significantevent",
            "significant.view_threshold",
            "wallet.exclude_player",
        }
    ),
    Role.FLOOR_MANAGER: frozenset(
        _PLAY
        | _ON_CALL
        | {
            "baccarat.add_table",
            "baccarat.change_round",
            "baccarat.close_table",
            "baccarat.draft_rules",
            "baccarat.request_void",
            "baccarat.stop_play",
            "operators.view_operator",
            "operators.view_player",
        }
    ),
    Role.DUTY_MANAGER: frozenset(
        _PLAY
        | _ON_CALL
        | _SIGNIFICANT
        | {"baccarat.stop_gaming", "baccarat.stop_play", "operators.view_operator", "operators.view_player"}
    ),
    Role.CASHIER: frozenset(
        _MONEY
        | _PLAYERS
        | _REPORTS
        | {
            "risk.view_playerstatus",
            "wallet.change_discrepancy",
            "wallet.change_withdrawal",
            "wallet.request_adjustment",
        }
    ),
    Role.APPROVER: frozenset(
        _PLAY
        | _MONEY
        | _PLAYERS
        | _SIGNIFICANT
        | {
            "baccarat.approve_void",
            "baccarat.publish_rules",
            "compliance.approve_erasure",
            "compliance.view_erasure",
            "operators.change_change",
            "operators.view_change",
            "operators.add_limitsgroup",
            "risk.add_riskrule",
            "risk.view_playerstatus",
            "risk.view_riskrule",
            "significant.add_threshold",
            "wallet.approve_adjustment",
            "wallet.change_depositmethod",
            "wallet.change_withdrawal",
        }
    ),
    Role.SUPPORT: frozenset(
        _PLAY
        | _PLAYERS
        | _CHAT
        | {
            "chat.edit_filter_words",
            "compliance.export_player",
            "compliance.request_erasure",
            "compliance.view_erasure",
            "chat.moderate",
            "chat.ban_player",
            "operators.change_operator",
            "operators.change_playersession",
            "risk.assess_player",
            "risk.view_playernote",
            "risk.view_playerstatus",
            "wallet.change_playerrestrictions",
            "wallet.exclude_player",
            "wallet.view_account",
        }
    ),
    Role.ADMINISTRATOR: frozenset(
        _STAFF
        | _ON_CALL
        | {
            "alerts.change_oncalllist",
            "auth.add_user",
            "auth.change_user",
            "baccarat.add_skin",
            "baccarat.change_skin",
            "baccarat.delete_skin",
            "operators.add_assertionkey",
            "operators.add_brand",
            "operators.add_declaredcurrency",
            "feed.change_webhookendpoint",
            "operators.change_apikey",
            "operators.change_change",
            "operators.delete_assertionkey",
            "operators.view_operator",
            "staff.add_identityprovider",
            "staff.assign_role",
            "staff.delete_identityprovider",
            "staff.reset_authenticator",
            "staff.unlock_user",
        }
    ),
}
"""Add a line here for a new page or action; no migration is needed."""

INCOMPATIBLE_PERMISSIONS: Final[tuple[tuple[str, str], ...]] = (
    ("baccarat.request_void", "baccarat.approve_void"),
    ("baccarat.draft_rules", "baccarat.publish_rules"),
    ("wallet.request_adjustment", "wallet.approve_adjustment"),
    ("compliance.request_erasure", "compliance.approve_erasure"),
    ("operators.add_assertionkey", "wallet.approve_adjustment"),
    ("operators.add_assertionkey", "wallet.change_depositmethod"),
    ("staff.assign_role", "wallet.approve_adjustment"),
    ("staff.assign_role", "wallet.request_adjustment"),
    ("staff.assign_role", "wallet.change_withdrawal"),
    ("staff.assign_role", "baccarat.approve_void"),
)
"""Pairs of functions that nobody may hold together, in any combination of roles."""


GRANTABLE: Final = frozenset[str]().union(*PERMISSIONS_BY_ROLE.values())
"""What a role of the house's own may be made of."""


def permissions_of(roles: Iterable[str], own: Iterable[str] = ()) -> frozenset[str]:
    """Return the functions of these roles, without both functions of each incompatible pair.

    `own` are the functions of further roles, which the house has made. Ignores names that are not roles.
    """
    built_in = (PERMISSIONS_BY_ROLE[Role(name)] for name in roles if name in set(Role))
    functions = GRANTABLE.intersection(own).union(*built_in)
    return functions - {function for pair in conflicts(functions) for function in pair}


def conflicts(functions: Iterable[str]) -> list[tuple[str, str]]:
    """List the incompatible pairs among these functions."""
    granted = set(functions)
    return [pair for pair in INCOMPATIBLE_PERMISSIONS if granted.issuperset(pair)]


def conflicting_role_permissions(roles: Iterable[str], own: Iterable[str] = ()) -> list[tuple[str, str]]:
    """List the pairs of incompatible functions that these roles, and `own` functions, together would grant."""
    built_in = {function for name in roles if name in set(Role) for function in PERMISSIONS_BY_ROLE[Role(name)]}
    return conflicts(built_in.union(own))
