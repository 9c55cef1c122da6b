"""The admin's menu and looks, as django-unfold's setting wants them. Imported by the settings: no models here."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.functional import lazy


@cache
def _address_below(_prefix: str, name: str) -> str:
    return reverse(name)


def _address(name: str) -> str:
    return _address_below(get_script_prefix(), name)


# Each page asks for the address of each line several times. Addresses are known once the URLs are loaded, not here.
_link: Final[Callable[[str], Any]] = lazy(_address, str)


def environment(_request: HttpRequest) -> list[str]:
    """Return the environment's name and the colour of its label."""
    return ["Production", "danger"] if settings.PRODUCTION else ["Development", "info"]


def _item(title: str, icon: str, model: str, **options: Any) -> dict[str, Any]:
    """Build a line of the menu for those who may view the model (app_model), with the count of its queue."""
    app, name = model.split("_")
    return {
        "title": title,
        "icon": icon,
        "link": _link(f"admin:{model}_changelist"),
        "permission": lambda request: request.user.has_perm(f"{app}.view_{name}"),
        "queue": model,
        **options,
    }


def _group(title: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


_SEARCH = {
    "title": "Search",
    "icon": "search",
    "link": _link("admin:desk_search"),
    "permission": lambda request: request.user.has_perms(("baccarat.view_round", "baccarat.view_wager")),
}
DECISIONS: Final = ("wallet.change_withdrawal", "wallet.decide_hold", "operators.change_change")
"""Permissions to decide what others request."""


def may_decide(request: HttpRequest) -> bool:
    """Return whether the user may decide requests of any kind."""
    return any(request.user.has_perm(permission) for permission in DECISIONS)


_APPROVALS = {
    "title": "Approvals",
    "icon": "approval_delegation",
    "link": _link("admin:desk_approvals"),
    "permission": may_decide,
}
_FIGURES = {
    "title": "Player figures",
    "icon": "query_stats",
    "link": _link("admin:desk_figures"),
    "permission": lambda request: request.user.has_perm("risk.view_riskalert"),
}
_EXPORT = {
    "title": "Export for a regulator",
    "icon": "archive",
    "link": _link("admin:desk_export"),
    "permission": lambda request: request.user.has_perm("compliance.export_operator"),
}
_DUTIES = {
    "title": "Who can do what",
    "icon": "rule_folder",
    "link": _link("admin:desk_duties"),
    "permission": lambda request: request.user.has_perm("staff.export_access_review"),
}
NAVIGATION = [
    {
        "title": "Compliance",
        "items": [
            _SEARCH,
            _APPROVALS,
            _item("Significant events", "notification_important", "significant_significantevent"),
            _item("Reports", "summarize", "reports_report"),
            _item("Saved reports", "bookmark", "reports_savedreport"),
            _item("Cases", "assignment_late", "compliance_case", badge_variant="warning"),
            _EXPORT,
        ],
    },
    _group(
        "Risk",
        _FIGURES,
        _item("Risk alerts", "gpp_maybe", "risk_riskalert"),
        _item("Risk rules", "rule_settings", "risk_riskrule"),
    ),
    _group(
        "Play",
        _item(
            "Rounds",
            "playing_cards",
            "baccarat_round",
            active=lambda request: "/round/" in request.path and "/round/search/" not in request.path,
        ),
        _item("Tables", "table_restaurant", "baccarat_table"),
        _item("Wagers", "casino", "baccarat_wager"),
        _item("Rules", "rule", "baccarat_rulesversion"),
        _item("Kill switches", "power_settings_new", "baccarat_killswitch"),
    ),
    _group(
        "Money",
        _item("Accounts", "account_balance_wallet", "wallet_account"),
        _item("Entries", "receipt_long", "wallet_entry"),
        _item("Deposits", "move_to_inbox", "wallet_deposit"),
        _item("Withdrawals", "outbox", "wallet_withdrawal", badge_variant="warning"),
        _item("Held payments", "front_hand", "wallet_hold", badge_variant="warning"),
        _item("Transfers", "swap_horiz", "wallet_transfer"),
        _item("Wallet transactions", "sync_alt", "wallet_remotetransaction"),
        _item("Adjustments", "edit_note", "wallet_adjustment"),
        _item("Limits and exclusions", "shield_person", "wallet_playerrestrictions"),
        _item("Deposit methods", "tune", "wallet_depositmethod"),
        _item("Provider callbacks", "call_received", "wallet_providercallback"),
        _item("Reconciliation", "balance", "wallet_reconciliation"),
        _item("Discrepancies", "difference", "wallet_discrepancy"),
    ),
    _group(
        "Chat",
        _item("Chat reports", "flag", "chat_chatreport", badge_variant="warning"),
        _item("Messages", "chat", "chat_chatmessage"),
        _item("Moderator actions", "gavel", "chat_moderationaction"),
        _item("Filter words", "block", "chat_filterword"),
    ),
    _group(
        "Operators",
        _item("Operators", "domain", "operators_operator"),
        _item("Brands", "branding_watermark", "operators_brand"),
        _item("Skins", "palette", "baccarat_skin"),
        _item("API keys", "key", "operators_apikey"),
        _item("Assertion keys", "id_card", "operators_assertionkey"),
        _item("Identity providers", "passkey", "staff_identityprovider"),
        _item("Changes", "fact_check", "operators_change", badge_variant="warning"),
        _item("Webhooks", "webhook", "feed_webhookendpoint"),
        _item("Webhook deliveries", "outgoing_mail", "feed_webhookdelivery"),
        _item("Players", "person", "operators_player"),
        _item("Erasures", "person_off", "compliance_erasure"),
    ),
    _group(
        "Audit trail",
        _item("Events", "history", "events_event"),
        _item("Chain heads", "link", "events_chainhead"),
        _item("Checkpoints", "verified", "checkpoints_checkpoint"),
        _item("Subscribers", "rss_feed", "events_subscription"),
        _item("Integrity", "verified_user", "compliance_measurement"),
        _item("Approved releases", "approval", "compliance_approval"),
        _item("Clocks", "schedule", "compliance_clockreading"),
    ),
    _group(
        "On call",
        _item("Alerts", "crisis_alert", "alerts_alert"),
        _item("On-call lists", "contact_phone", "alerts_oncalllist"),
        _item("Processes", "memory", "alerts_heartbeat"),
    ),
    _group(
        "Staff",
        _item("Users", "badge", "auth_user"),
        _item("Access review", "checklist", "staff_member"),
        _DUTIES,
        _item("Roles", "groups", "staff_rolegroup"),
        _item("Logins", "login", "staff_signin"),
        _item("Access log", "visibility", "staff_accesslogentry"),
        _item("Staff actions", "manage_history", "admin_logentry"),
    ),
]
UNFOLD: Final[dict[str, Any]] = {
    "SITE_TITLE": "Casino admin",
    "SITE_HEADER": "Casino",
    "SITE_SUBHEADER": "Baccarat, from bet to audit",
    "SITE_SYMBOL": "playing_cards",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _: static("play/icon.svg")}],
    "SITE_URL": None,
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "ENVIRONMENT": environment,
    "LOGIN": {"form": "casino.backoffice.site.SignInForm"},
    "ACCOUNT": {
        "navigation": [
            {"title": "Your authenticator", "link": _link("admin:authenticator")},
            {"title": "Your time zone", "link": _link("admin:time_zone")},
        ]
    },
    "DASHBOARD_CALLBACK": "casino.backoffice.pages.front_page.add_sections",
    "BORDER_RADIUS": "8px",
    "STYLES": [lambda _: static("casino/admin.css")],
    "SCRIPTS": [lambda _: static("casino/admin.js")],
    "COLORS": {
        "primary": {
            "50": "oklch(97.9% .021 166.1)",
            "100": "oklch(95% .052 163.1)",
            "200": "oklch(90.5% .093 164.2)",
            "300": "oklch(84.5% .143 165)",
            "400": "oklch(76.5% .177 163.2)",
            "500": "oklch(69.6% .17 162.5)",
            "600": "oklch(53% .13 163.2)",
            "700": "oklch(45.8% .108 165.6)",
            "800": "oklch(40% .09 166.9)",
            "900": "oklch(35.5% .077 168.9)",
            "950": "oklch(24.2% .05 172.6)",
        }
    },
    "SIDEBAR": {"show_search": False, "show_all_applications": False, "navigation": NAVIGATION},
}
