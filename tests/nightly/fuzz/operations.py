"""What the fuzzer has to know about the API beside its document: what an operation needs, and what it makes."""

from typing import Any, Final

ROUND_OF_ITS_OWN: Final = ("POST /tables/{table}/deal", "settle", "GET /rounds#settled")
"""Steps to a settled round that no void was requested of."""
DRAFT: Final = ("POST /tables/{table}/versions", "GET /tables/{table}/versions")
"""Steps to a draft of rules, perhaps an earlier one."""

BEFORE: Final[dict[str, tuple[str, ...]]] = {
    "GET /adjustments/{adjustment}": ("POST /adjustments", "POST /changes/{change}/confirm"),
    **{
        f"{method} /cases/{{case}}{act}": ("GET /cases#open",)
        for method, act in (
            ("GET", ""),
            ("GET", "/entries"),
            ("POST", "/entries"),
            ("POST", "/assign"),
            ("POST", "/resolve"),
        )
    },
    **{
        f"{method} /changes/{{change}}{act}": ("POST /play-money-policy",)
        for method, act in (("GET", ""), ("POST", "/confirm"), ("POST", "/decline"), ("POST", "/cancel"))
    },
    "POST /chat/filter-words/remove": ("POST /chat/filter-words",),
    "POST /chat/reports/{report}/close": ("POST /tables/{table}/chat/report-player", "GET /chat/reports"),
    "POST /deposit-methods/{method}/versions": ("POST /deposit-methods",),
    **{
        f"{method} /discrepancies/{{discrepancy}}{act}": ("GET /discrepancies#open",)
        for method, act in (("GET", ""), ("POST", "/assign"), ("POST", "/resolve"))
    },
    "POST /launches": ("PUT /operator/origins",),
    "GET /me/data-exports/{export}/file": ("POST /me/data-exports", "GET /me/data-exports"),
    "POST /me/deposits": ("POST /operator/funding", "POST /deposit-methods"),
    "POST /me/deposits/quick": ("POST /operator/funding", "POST /deposit-methods", "POST /me/deposits"),
    "GET /me/deposits/{deposit}": ("POST /operator/funding", "POST /deposit-methods", "POST /me/deposits"),
    "POST /me/exclusions": ("POST /players/{player}/pin",),
    "POST /me/limits/cancel": ("POST /me/limits#low", "POST /me/limits#high"),
    "POST /me/limits/confirm": ("POST /me/limits#low", "POST /me/limits#high"),
    "POST /me/pin": ("POST /players/{player}/pin",),
    "POST /me/play-money": ("POST /play-money-policy",),
    "POST /me/table-limit": ("POST /players/{player}/pin",),
    "POST /me/withdrawals": ("POST /operator/funding", "POST /withdrawal-policy", "POST /deposit-methods"),
    "GET /me/withdrawals/{withdrawal}": (
        "POST /operator/funding",
        "POST /withdrawal-policy",
        "POST /deposit-methods",
        "POST /me/withdrawals",
    ),
    "POST /me/withdrawals/{withdrawal}/cancel": (
        "POST /operator/funding",
        "POST /withdrawal-policy#by-hand",
        "POST /deposit-methods",
        "POST /me/withdrawals",
    ),
    "GET /me/withdrawal-quote": ("POST /withdrawal-policy",),
    "POST /notices/{notice}/read": ("POST /adjustments", "POST /changes/{change}/confirm", "GET /notices"),
    "POST /operator/key/end-rotation": ("POST /operator/key/rotate",),
    "DELETE /operator/key/signing-keys/{keyid}": ("POST /operator/key/signing-keys",),
    "POST /players/{player}/transfers": ("POST /operator/funding#transfer",),
    "GET /transfers/{reference}": ("POST /operator/funding#transfer", "POST /players/{player}/transfers"),
    "POST /players/{player}/exclusions/end": ("POST /players/{player}/exclusions",),
    "POST /players/{player}/unban": ("POST /players/{player}/ban",),
    "POST /players/{player}/unmute": ("POST /players/{player}/mute",),
    "POST /providers/{provider}/callbacks": ("POST /operator/funding", "POST /deposit-methods", "POST /me/deposits"),
    "GET /reports/{report}": ("POST /reports",),
    "GET /reports/{report}/file": ("POST /reports",),
    "GET /rounds/{round}": ("GET /rounds",),
    "POST /rounds/{round}/dispute-pack": ("GET /rounds",),
    "GET /rounds/{round}/events": ("GET /rounds",),
    "GET /rounds/{round}/proof": ("GET /rounds",),
    "GET /rounds/{round}/shoe": ("GET /rounds",),
    "POST /rounds/{round}/resume": ("POST /tables/{table}/place", "suspend", "GET /rounds#suspended"),
    "POST /rounds/{round}/void": ROUND_OF_ITS_OWN,
    "POST /sessions/launch": ("PUT /operator/origins", "POST /launches"),
    "POST /sessions/renew": ("PUT /operator/origins", "POST /launches"),
    "GET /skins/{name}": ("PUT /skins/{name}",),
    "DELETE /skins/{name}": ("PUT /skins/{name}",),
    "POST /stops/resume": ("POST /stops",),
    "POST /tables/{table}/chat": ("PUT /tables/{table}/chat/open#open",),
    "POST /tables/{table}/clear": ("POST /tables/{table}/place",),
    "POST /tables/{table}/cut": ("POST /tables/{table}/place",),
    "POST /tables/{table}/double": ("POST /tables/{table}/place",),
    "POST /tables/{table}/hand-back": ("POST /tables/{table}/deal#player",),
    "POST /tables/{table}/look": ("POST /tables/{table}/deal#player",),
    "POST /tables/{table}/pass": ("POST /tables/{table}/place",),
    "POST /tables/{table}/rebet": ("POST /tables/{table}/deal", "settle"),
    "POST /tables/{table}/rebet-and-deal": ("POST /tables/{table}/deal", "settle"),
    "POST /tables/{table}/seat": ("POST /play-money-policy", "POST /me/play-money", "POST /tables/{table}/leave"),
    "POST /tables/{table}/undo": ("POST /tables/{table}/place",),
    "GET /tables/{table}/versions/{version}": DRAFT,
    "POST /tables/{table}/versions/{version}/retire": (
        *DRAFT,
        "POST /changes/{change}/confirm",
        "POST /tables/{table}/deal",
    ),
    "DELETE /webhooks/{webhook}": ("POST /webhooks",),
    "POST /webhooks/{webhook}/resume": ("POST /webhooks/{webhook}/pause",),
    "POST /webhooks/{webhook}/test": ("POST /webhooks",),
}
"""What to do first, so that an operation can succeed: calls with the documented example or one of BODIES, and steps
that are methods of House.
"""

BODIES: Final[dict[str, dict[str, Any]]] = {
    "POST /me/limits#low": {"limit_type": "loss", "period": "day", "amount": "5000.00", "currency": "EUR"},
    "POST /me/limits#high": {"limit_type": "loss", "period": "day", "amount": "9000.00", "currency": "EUR"},
    "POST /tables/{table}/deal#player": {"stakes": [{"spot": "player", "amount": "100.00"}], "currency": "EUR"},
    "PUT /tables/{table}/chat/open#open": {"open": True},
    "POST /webhooks/{webhook}/replay": {"after": 0, "until": 1},
    "POST /operator/funding": {"funding": "house"},
    "POST /operator/funding#transfer": {"funding": "transfer"},
    "POST /withdrawal-policy#by-hand": {"auto_approve_up_to": "0.00", "second_approval_above": "1000.00"},
}
"""Bodies where the documented example does not fit."""

QUERIES: Final[dict[str, dict[str, Any]]] = {
    "GET /cases#open": {"status": "open"},
    "GET /discrepancies#open": {"status": "open"},
    "GET /log/proofs/consistency": {"from": 1, "to": 1},
    "GET /log/proofs/inclusion": {"position": 1},
    "GET /lobby": {"money_type": "real"},
    "GET /me/withdrawal-quote": {"amount": "20.00"},
    "GET /rounds#settled": {"status": "settled"},
    "GET /rounds#suspended": {"status": "suspended"},
}
"""Valid values where the document has no example, and filters that find what a step needs."""

LIVE: Final = tuple(label for label in BEFORE if "/changes/" in label)
"""Operations of an operator that is no sandbox: only its changes wait for a second person."""

NAMES: Final = {"GET /feed/schemas/{name}": "baccarat.round.settled.v1"}
"""What `{name}` is; of all others, a skin."""

PRESETS: Final = {
    "POST /tables/{table}/look": "big_table",
    "POST /tables/{table}/hand-back": "big_table",
    "POST /tables/{table}/change-seat": "atlantic_city",
    "POST /tables/{table}/pass": "atlantic_city",
    "POST /tables/{table}/skip-show": "classic",
    "POST /tables/{table}/chat": "atlantic_city",
    "POST /tables/{table}/chat/report-player": "atlantic_city",
    "POST /chat/reports/{report}/close": "atlantic_city",
    "POST /tables/{table}/chat/{message}/report": "atlantic_city",
    "PUT /tables/{table}/chat/open": "atlantic_city",
}
"""Tables on which an operation can succeed; `mini` for the others."""

NAMED_BY: Final = {
    "POST /adjustments": "change",
    "POST /changes/{change}/confirm": "adjustment",
    "GET /cases": "case",
    "GET /discrepancies": "discrepancy",
    "POST /launches": "launch",
    "GET /me/data-exports": "export",
    "POST /operator/key/signing-keys": "keyid",
    "POST /play-money-policy": "change",
    "POST /players/{player}/transfers": "reference",
    "POST /deposit-methods": "method",
    "POST /me/deposits": "deposit",
    "POST /me/withdrawals": "withdrawal",
    "POST /reports": "report",
    "POST /tables/{table}/versions": "change",
    "GET /tables/{table}/versions": "version",
    "POST /webhooks": "webhook",
    "GET /chat/reports": "report",
    "GET /notices": "notice",
    "GET /rounds": "round",
}
"""Path parameter that takes the id in the response, or that of the first item in it."""

ID_FIELDS: Final = {"version": "version", "keyid": "keyid", "launch": "url", "reference": "reference"}
"""Fields with what names a thing, if that is no `id`; of an address, the last parameter."""

ALIASES: Final = {"payment": "deposit", "subject": "table", "code": "launch"}
"""Fields of a body that take the id of another name."""

SETTLED_FIRST: Final = {
    "POST /tables/{table}/look",
    "POST /tables/{table}/hand-back",
    "POST /tables/{table}/rebet",
    "POST /tables/{table}/rebet-and-deal",
    "POST /tables/{table}/seat",
    "POST /tables/{table}/change-seat",
    "POST /tables/{table}/leave",
    "POST /tables/{table}/skip-show",
}
"""Operations that need a table without a wager in play."""

CEREMONY_FIRST: Final = {"POST /tables/{table}/look", "POST /tables/{table}/hand-back"}
"""Operations that need the player to hold the Caller's cards."""

LAST: Final = {"POST /me/exclusions", "POST /players/{player}/ban", "POST /players/{player}/exclusions"}
"""Operations after which the player can't play."""
