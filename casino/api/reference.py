"""What the OpenAPI document says of the whole API; operations and shapes are derived from the views."""

from typing import Any, Final

VERSION: Final = "1.0.1"
"""The contract's version: a compatible addition raises the middle number. deploy/docs/changelog.md has the changes."""
_DESCRIPTION: Final = """\
Tables, rounds and wallets for operators' front-ends.

Amounts are decimal strings beside their currency, times are RFC 3339 in UTC, ids are UUIDs. A POST takes an
`Idempotency-Key`, unless its description says what repeating it does; repeat a request with the same key until you have
an answer. A body may be written differently when it is repeated: equal JSON is equal. PUT and DELETE can be repeated.
Query parameters and fields that are not known are refused; null is as leaving a field out where that is allowed. Lists
are pages: send `next` of a page as the `cursor` of the following one.

Errors are problem documents (RFC 9457). Decide by `code`: each operation lists its codes, each code has its own schema
with typed facts, and `GET /api/v1/problems` lists all with their remedies. Compatible changes only: new operations,
optional parameters, response fields and codes may come at any time, so ignore fields that you don't know and treat an
unknown code by its status. Where values may be added, the schemas say so and accept any string.
"""
_TAGS: Final = {
    "baccarat": "Tables, seats, bets, rounds and their proofs, rules, stops and exclusions.",
    "chat": "Chat at the table, reports of messages and players, and the moderators' actions.",
    "live": "Server-sent events: what happens at a player's tables, and their balances.",
    "wallet": "Players and their accounts, deposits and withdrawals, limits, adjustments and reconciliation.",
    "operators": "The caller's own operator, players' sessions and PINs.",
    "feed": "The numbered feed of what happens to the caller's operator, and webhooks, its items pushed.",
    "reports": "Reports of a day or a period, with every version that was created.",
    "compliance": "Cases: what your staff must look into; players' exports of their own data.",
    "checkpoints": "Signed checkpoints of the event log, and proofs that an event is in it.",
    "api": "The catalogue of error codes.",
}
_SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "Casino: event-sourced baccarat",
    "DESCRIPTION": _DESCRIPTION,
    "VERSION": VERSION,
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": "/", "description": "The host that serves this document."}],
    "TAGS": [{"name": name, "description": text} for name, text in _TAGS.items()],
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "baccarat.streaming.views.add_stream",
        "casino.api.document.finish",
        "casino.feed.api.add_webhooks",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "providerSignature": {
                "type": "apiKey",
                "in": "header",
                "name": "X-Payment-Signature",
                "description": "A payment provider's signature over timestamp, nonce, method and path, and raw body.",
            }
        }
    },
}


def settings(*, contact: str) -> dict[str, Any]:
    """Return drf-spectacular's settings; `contact` is where this installation answers questions, if it says so."""
    return {**_SETTINGS, "CONTACT": {"name": "Who runs this installation", **({"url": contact} if contact else {})}}
