"""What each built-in role may see, in one table; what it may do, the acts say. A role is a group of its name.

Functions are named `app.codename`, as Django names permissions.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from casino.staff import duties
from casino.staff.duties import DutySide, Role

TITLES: Final[Mapping[Role, str]] = {
    Role.COMPLIANCE: "Views everything; oversees: significant events, cases, discrepancies, thresholds, who is told.",
    Role.FLOOR_MANAGER: "Tables and rounds; requests voids.",
    Role.DUTY_MANAGER: "Stops play anywhere, all gaming included; on call.",
    Role.CASHIER: "Withdrawals; requests adjustments.",
    Role.APPROVER: "Approves what others request: voids, adjustments, rules, erasures.",
    Role.SUPPORT: "Players with their payments, and chats; requests erasures.",
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
    "wallet.view_hold",
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
_ON_CALL: Final = {"alerts.view_heartbeat"}
_STAFF: Final = {
    "admin.view_logentry",
    "auth.view_user",
    "baccarat.view_skin",
    "feed.view_webhookdelivery",
    "feed.view_webhookendpoint",
    "operators.view_apikey",
    "operators.view_assertionkey",
    "operators.view_brand",
    "operators.view_change",
    "staff.view_identityprovider",
    "staff.view_member",
    "staff.view_rolegroup",
    "staff.view_signin",
    "staff.view_accesslogentry",
}

VIEWS_BY_ROLE: Final[Mapping[Role, frozenset[str]]] = {
    Role.COMPLIANCE: frozenset(
        _PLAY
        | _INTEGRITY
        | _MONEY
        | _PLAYERS
        | _CHAT
        | _LOG
        | _REPORTS
        | _RISK
        | _SIGNIFICANT
        | _STAFF
        | _ON_CALL
        | {"compliance.view_erasure"}
    ),
    Role.FLOOR_MANAGER: frozenset(_PLAY | _ON_CALL | {"operators.view_operator", "operators.view_player"}),
    Role.DUTY_MANAGER: frozenset(
        _PLAY | _ON_CALL | _SIGNIFICANT | {"operators.view_change", "operators.view_operator", "operators.view_player"}
    ),
    Role.CASHIER: frozenset(_MONEY | _PLAYERS | _REPORTS | {"operators.view_change", "risk.view_playerstatus"}),
    Role.APPROVER: frozenset(
        _PLAY
        | _MONEY
        | _PLAYERS
        | _SIGNIFICANT
        | {"compliance.view_erasure", "operators.view_change", "risk.view_playerstatus", "risk.view_riskrule"}
    ),
    Role.SUPPORT: frozenset(
        _PLAY
        | _PLAYERS
        | _CHAT
        | {
            "compliance.view_complaint",
            "compliance.view_erasure",
            "risk.view_playernote",
            "risk.view_playerstatus",
            "wallet.view_account",
            "wallet.view_deposit",
            "wallet.view_withdrawal",
        }
    ),
    Role.ADMINISTRATOR: frozenset(_STAFF | _ON_CALL | {"operators.view_operator"}),
}
"""Add a line here for a new page; no migration is needed. What a role may do is in `acts.py` of each app."""


@cache
def functions_of(role: Role) -> frozenset[str]:
    """Return what a built-in role may see and do, once all apps are ready."""
    return VIEWS_BY_ROLE[role].union(act.name for act in duties.acts() if role in act.roles)


@cache
def grantable() -> frozenset[str]:
    """Return what a role of the house's own may be made of."""
    return frozenset[str]().union(*map(functions_of, Role))


def permissions_of(roles: Iterable[str], own: Iterable[str] = ()) -> frozenset[str]:
    """Return the functions of these roles; if they join sides that nobody may join, none of any side.

    `own` are the functions of further roles, which the house has made. Ignores names that are not roles.
    """
    granted = _functions(roles, grantable().intersection(own))
    return granted.difference(*conflicting_role_permissions(roles, own).values())


def conflicting_role_permissions(roles: Iterable[str], own: Iterable[str] = ()) -> Mapping[DutySide, Sequence[str]]:
    """Return the functions of each side that these roles, and `own` functions, together would join."""
    return duties.apart(_functions(roles, own))


def _functions(roles: Iterable[str], own: Iterable[str]) -> frozenset[str]:
    return frozenset(own).union(*(functions_of(Role(name)) for name in roles if name in set(Role)))
