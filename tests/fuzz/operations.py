"""What the fuzzer has to know about the API beside its document: what an operation needs, and what it makes."""

from typing import Any, Final

BEFORE: Final[dict[str, tuple[str, ...]]] = {
    "GET /adjustments/{adjustment}": ("POST /adjustments",),
    "POST /adjustments/{adjustment}/approve": ("POST /adjustments",),
    "POST /adjustments/{adjustment}/reject": ("POST /adjustments",),
    "POST /chat/filter-words/remove": ("POST /chat/filter-words",),
    "POST /chat/reports/{report}/close": ("POST /tables/{table}/chat/report-player", "GET /chat/reports"),
    "POST /deposit-methods/{method}/versions": ("POST /deposit-methods",),
    "POST /me/deposits": ("POST /deposit-methods",),
    "POST /me/deposits/quick": ("POST /deposit-methods", "POST /me/deposits"),
    "GET /me/deposits/{deposit}": ("POST /deposit-methods", "POST /me/deposits"),
    "POST /me/exclusions": ("POST /players/{player}/pin",),
    "POST /me/limits/cancel": ("POST /me/limits#low", "POST /me/limits#high"),
    "POST /me/limits/confirm": ("POST /me/limits#low", "POST /me/limits#high"),
    "POST /me/pin": ("POST /players/{player}/pin",),
    "POST /me/play-money": ("POST /play-money-policy",),
    "POST /me/table-limit": ("POST /players/{player}/pin",),
    "POST /me/withdrawals": ("POST /withdrawal-policy", "POST /deposit-methods"),
    "GET /me/withdrawals/{withdrawal}": ("POST /withdrawal-policy", "POST /deposit-methods", "POST /me/withdrawals"),
    "POST /me/withdrawals/{withdrawal}/cancel": (
        "POST /withdrawal-policy",
        "POST /deposit-methods",
        "POST /me/withdrawals",
    ),
    "GET /me/withdrawal-quote": ("POST /withdrawal-policy",),
    "POST /notices/{notice}/read": ("POST /adjustments", "POST /adjustments/{adjustment}/approve", "GET /notices"),
    "POST /players/{player}/exclusions/end": ("POST /players/{player}/exclusions",),
    "POST /players/{player}/unban": ("POST /players/{player}/ban",),
    "POST /players/{player}/unmute": ("POST /players/{player}/mute",),
    "POST /providers/{provider}/callbacks": ("POST /deposit-methods", "POST /me/deposits"),
    "GET /reports/{report}": ("POST /reports",),
    "GET /reports/{report}/file": ("POST /reports",),
    "GET /rounds/{round}": ("GET /rounds",),
    "POST /rounds/{round}/dispute-pack": ("GET /rounds",),
    "GET /rounds/{round}/events": ("GET /rounds",),
    "GET /rounds/{round}/proof": ("GET /rounds",),
    "GET /rounds/{round}/shoe": ("GET /rounds",),
    "POST /stops/resume": ("POST /stops",),
    "POST /tables/{table}/clear": ("POST /tables/{table}/place",),
    "POST /tables/{table}/cut": ("POST /tables/{table}/place",),
    "POST /tables/{table}/hand-back": ("POST /tables/{table}/deal#player",),
    "POST /tables/{table}/look": ("POST /tables/{table}/deal#player",),
    "POST /tables/{table}/rebet": ("POST /tables/{table}/deal",),
    "POST /tables/{table}/rebet-and-deal": ("POST /tables/{table}/deal",),
    "POST /tables/{table}/seat": ("POST /play-money-policy", "POST /me/play-money", "POST /tables/{table}/leave"),
    "POST /tables/{table}/undo": ("POST /tables/{table}/place",),
    "GET /tables/{table}/versions/{version}": ("POST /tables/{table}/versions",),
    "POST /tables/{table}/versions/{version}/discard": ("POST /tables/{table}/versions",),
    "POST /tables/{table}/versions/{version}/publish": ("POST /tables/{table}/versions",),
    "POST /tables/{table}/versions/{version}/reject": ("POST /tables/{table}/versions",),
    "POST /tables/{table}/versions/{version}/retire": (
        "POST /tables/{table}/versions",
        "POST /tables/{table}/versions/{version}/publish",
        "POST /tables/{table}/deal",
    ),
}
"""Operations to call first, each with its documented example or one of BODIES, so that this one can succeed."""

BODIES: Final[dict[str, dict[str, Any]]] = {
    "POST /me/limits#low": {"limit_type": "loss", "period": "day", "amount": "5000.00", "currency": "EUR"},
    "POST /me/limits#high": {"limit_type": "loss", "period": "day", "amount": "9000.00", "currency": "EUR"},
    "POST /tables/{table}/deal#player": {"stakes": [{"spot": "player", "amount": "100.00"}], "currency": "EUR"},
}

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
    "POST /adjustments": "adjustment",
    "POST /deposit-methods": "method",
    "POST /me/deposits": "deposit",
    "POST /me/withdrawals": "withdrawal",
    "POST /reports": "report",
    "POST /tables/{table}/versions": "version",
    "GET /chat/reports": "report",
    "GET /notices": "notice",
    "GET /rounds": "round",
}
"""Path parameter that takes the id in the response, or that of the first item in it."""

ALIASES: Final = {"payment": "deposit", "subject": "table"}
"""Fields of a body that take the id of another name."""

REQUIRED_QUERY: Final[dict[str, dict[str, Any]]] = {
    "GET /log/proofs/consistency": {"from": 1, "to": 1},
    "GET /log/proofs/inclusion": {"position": 1},
    "GET /me/withdrawal-quote": {"amount": "20.00"},
    "GET /lobby": {"money_type": "real"},
}
"""Valid values where the document has no example."""

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
