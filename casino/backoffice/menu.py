"""The admin's menu and looks, as django-unfold's setting wants them. Imported by the settings: no models here."""

from collections.abc import Callable, Sequence
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


def _list(title: str, model: str, *others: str) -> dict[str, Any]:
    """Describe a list's page, with the count of its queue.

    It is for those who may view the model (app_model), or have one of the `others`, permissions to see a part of it.
    """
    app, name = model.split("_")
    return {
        "title": title,
        "link": _link(f"admin:{model}_changelist"),
        "permission": lambda request: any(map(request.user.has_perm, (f"{app}.view_{name}", *others))),
        "queue": model,
    }


def _page(title: str, name: str, *permissions: str) -> dict[str, Any]:
    """Describe a page of no row, for those who have any of these permissions."""
    return {
        "title": title,
        "link": _link(f"admin:{name}"),
        "permission": lambda request: any(request.user.has_perm(each) for each in permissions),
        "queue": name,
    }


def _entry(icon: str, *pages: dict[str, Any]) -> dict[str, Any]:
    """Build a line of the menu that leads to the first of these pages that the user may see; the others are tabs."""
    return {**pages[0], "icon": icon, "pages": pages, "permission": lambda request: bool(open_pages(pages, request))}


def open_pages(pages: Sequence[dict[str, Any]], request: HttpRequest) -> list[dict[str, Any]]:
    """Return the pages that the user may see."""
    return [page for page in pages if page["permission"](request)]


def _group(title: str, *entries: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(entries)}


DECISIONS: Final = (
    "operators.change_change",
    "wallet.change_withdrawal",
    "wallet.decide_hold",
    "wallet.change_discrepancy",
    "significant.acknowledge_significantevent",
)
"""Permissions to decide what waits in the inbox."""
NAVIGATION: Final = [
    _group(
        "Desk",
        _entry("search", _page("Search", "desk_search", "baccarat.view_wager")),
        _entry("inbox", _page("Inbox", "desk_inbox", *DECISIONS), _list("Changes", "operators_change")),
        _entry("assignment_late", _list("Cases", "compliance_case", "compliance.view_complaint")),
        _entry("notification_important", _list("Significant events", "significant_significantevent")),
        _entry(
            "summarize",
            _list("Reports", "reports_report"),
            _list("Saved reports", "reports_savedreport"),
            _page("Export for a regulator", "desk_export", "compliance.export_operator"),
        ),
    ),
    _group(
        "Players",
        _entry(
            "person",
            _list("Players", "operators_player"),
            _page("Player figures", "desk_figures", "risk.view_riskalert"),
            _list("Erasures", "compliance_erasure"),
        ),
        _entry("gpp_maybe", _list("Risk alerts", "risk_riskalert"), _list("Risk rules", "risk_riskrule")),
        _entry("shield_person", _list("Limits and exclusions", "wallet_playerrestrictions")),
        _entry(
            "flag",
            _list("Chat reports", "chat_chatreport"),
            _list("Messages", "chat_chatmessage"),
            _list("Moderator actions", "chat_moderationaction"),
            _list("Filter words", "chat_filterword"),
        ),
    ),
    _group(
        "Play",
        _entry("playing_cards", _list("Rounds", "baccarat_round"), _list("Wagers", "baccarat_wager")),
        _entry("table_restaurant", _list("Tables", "baccarat_table")),
        _entry("rule", _list("Rules", "baccarat_rulesversion")),
        _entry("power_settings_new", _list("Kill switches", "baccarat_killswitch")),
    ),
    _group(
        "Money",
        _entry(
            "move_to_inbox",
            _list("Deposits", "wallet_deposit"),
            _list("Deposit methods", "wallet_depositmethod"),
            _list("Provider callbacks", "wallet_providercallback"),
        ),
        _entry("outbox", _list("Withdrawals", "wallet_withdrawal")),
        _entry("front_hand", _list("Held payments", "wallet_hold")),
        _entry("edit_note", _list("Adjustments", "wallet_adjustment")),
        _entry(
            "difference", _list("Discrepancies", "wallet_discrepancy"), _list("Reconciliation", "wallet_reconciliation")
        ),
        _entry(
            "receipt_long",
            _list("Entries", "wallet_entry"),
            _list("Accounts", "wallet_account"),
            _list("Transfers", "wallet_transfer"),
            _list("Wallet transactions", "wallet_remotetransaction"),
        ),
    ),
    _group(
        "Operators",
        _entry(
            "domain",
            _list("Operators", "operators_operator"),
            _list("Brands", "operators_brand"),
            _list("Skins", "baccarat_skin"),
            _list("Identity providers", "staff_identityprovider"),
        ),
        _entry("key", _list("API keys", "operators_apikey"), _list("Assertion keys", "operators_assertionkey")),
        _entry(
            "webhook", _list("Webhooks", "feed_webhookendpoint"), _list("Webhook deliveries", "feed_webhookdelivery")
        ),
    ),
    _group(
        "House",
        _entry(
            "badge",
            _list("Users", "auth_user"),
            _list("Access review", "staff_member"),
            _list("Roles", "staff_rolegroup"),
            _page("Who can do what", "desk_duties", "staff.export_access_review"),
            _list("Logins", "staff_signin"),
        ),
        _entry("manage_history", _list("Staff actions", "admin_logentry"), _list("Access log", "staff_accesslogentry")),
        _entry(
            "memory",
            _page("System", "desk_system", "alerts.view_heartbeat", "events.view_event"),
            _list("Events", "events_event"),
            _list("Chain heads", "events_chainhead"),
            _list("Checkpoints", "checkpoints_checkpoint"),
            _list("Subscribers", "events_subscription"),
            _list("Integrity", "compliance_measurement"),
            _list("Approved releases", "compliance_approval"),
            _list("Clocks", "compliance_clockreading"),
            _list("Processes", "alerts_heartbeat"),
        ),
    ),
]
NAVIGATION[0]["separator"] = False
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
