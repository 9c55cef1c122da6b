"""Record significant events, in the caller's transaction and in one statement. The kinds follow GLI-19 2.8.8."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events import announcements
from casino.events.sql import fetch


class Severity(StrEnum):
    """The severity of an event. All but INFO wait for acknowledgement."""

    INFO = "info"
    NOTICE = "notice"
    WARNING = "warning"
    CRITICAL = "critical"


class SignificantEventKind(StrEnum):
    """Every kind of significant event."""

    ROUND_VOIDED = "round_voided"
    ROUND_SUSPENDED = "round_suspended"
    MONEY_ADJUSTED = "money_adjusted"
    LARGE_WIN = "large_win"
    LARGE_WAGER = "large_wager"
    LARGE_PAYMENT = "large_payment"
    NEGATIVE_BALANCE = "negative_balance"
    LOGIN_FAILED = "access_failed"
    LOGIN_LOCKED = "access_locked"
    ACCESS_BY_COMMAND = "access_by_command"
    ACCESS_CHANGED = "access_changed"
    CONFIG_CHANGED = "config_changed"
    RULES_PUBLISHED = "rules_published"
    PLAYER_EDGE = "player_edge"
    CLOCK_CHANGED = "clock_changed"
    SERVICE_UNAVAILABLE = "service_unavailable"
    INTEGRITY_FAILED = "integrity_failed"
    AUDIT_FINDING = "audit_finding"
    TABLE_OPENED = "table_opened"
    TABLE_STOPPED = "table_stopped"
    GAMING_STOPPED = "gaming_stopped"
    GAMING_RESUMED = "gaming_resumed"
    ACCOUNT_CHANGED = "player_data_changed"
    PLAYER_BLOCKED = "player_blocked"
    RETURN_OUT_OF_BAND = "return_out_of_band"
    RNG_OUT_OF_BAND = "rng_out_of_band"
    DATA_ERASED = "data_erased"
    DATA_PURGED = "data_purged"
    DATA_EXPORT_DELAYED = "data_export_delayed"
    KEY_ROTATED = "key_rotated"
    PACK_LINKED = "dispute_pack_shared"
    PACK_FETCHED = "dispute_pack_downloaded"
    WEBHOOK_PAUSED = "webhook_paused"
    WALLET_UNSETTLED = "wallet_unsettled"
    PAYMENT_UNAPPLIED = "payment_unapplied"
    PAYMENT_HELD = "payment_held"
    HOLD_WAITS = "hold_waits"
    ACCOUNT_FROZEN = "account_frozen"
    DAILY_CAP_NEAR = "daily_cap_near"
    DAILY_CAP_REACHED = "daily_cap_reached"


@dataclass(frozen=True, slots=True)
class KindDescription:
    """The title of a kind, the component that it comes from, and its severity."""

    title: str
    component: str
    severity: Severity


_INFO, _NOTICE, _WARNING, _CRITICAL = Severity
DESCRIPTIONS: Final = {
    SignificantEventKind.ROUND_VOIDED: KindDescription("Round voided", "tables", _WARNING),
    SignificantEventKind.ROUND_SUSPENDED: KindDescription("Round suspended", "tables", _WARNING),
    SignificantEventKind.MONEY_ADJUSTED: KindDescription("Balance adjusted manually", "wallet", _NOTICE),
    SignificantEventKind.LARGE_WIN: KindDescription("Large win", "tables", _NOTICE),
    SignificantEventKind.LARGE_WAGER: KindDescription("Large wager", "tables", _NOTICE),
    SignificantEventKind.LARGE_PAYMENT: KindDescription("Large payment", "wallet", _NOTICE),
    SignificantEventKind.NEGATIVE_BALANCE: KindDescription("Negative balance", "wallet", _WARNING),
    SignificantEventKind.LOGIN_FAILED: KindDescription("Failed login", "access", _INFO),
    SignificantEventKind.LOGIN_LOCKED: KindDescription("Login locked", "access", _WARNING),
    SignificantEventKind.ACCESS_BY_COMMAND: KindDescription("Access given by a command", "access", _CRITICAL),
    SignificantEventKind.ACCESS_CHANGED: KindDescription("Permissions changed", "access", _NOTICE),
    SignificantEventKind.CONFIG_CHANGED: KindDescription("Configuration changed", "configuration", _NOTICE),
    SignificantEventKind.TABLE_OPENED: KindDescription("Table opened", "configuration", _INFO),
    SignificantEventKind.RULES_PUBLISHED: KindDescription("Rules published", "configuration", _NOTICE),
    SignificantEventKind.PLAYER_EDGE: KindDescription("Players have the edge", "configuration", _CRITICAL),
    SignificantEventKind.CLOCK_CHANGED: KindDescription("Master clock changed", "clock", _CRITICAL),
    SignificantEventKind.SERVICE_UNAVAILABLE: KindDescription("Service was unavailable", "availability", _WARNING),
    SignificantEventKind.INTEGRITY_FAILED: KindDescription("Integrity check failed", "integrity", _CRITICAL),
    SignificantEventKind.AUDIT_FINDING: KindDescription("Audit finding", "integrity", _CRITICAL),
    SignificantEventKind.TABLE_STOPPED: KindDescription("Table stopped", "tables", _WARNING),
    SignificantEventKind.GAMING_STOPPED: KindDescription("Gaming stopped", "tables", _CRITICAL),
    SignificantEventKind.GAMING_RESUMED: KindDescription("Gaming resumed", "tables", _INFO),
    SignificantEventKind.ACCOUNT_CHANGED: KindDescription("Player data changed", "accounts", _INFO),
    SignificantEventKind.PLAYER_BLOCKED: KindDescription("Player blocked or unblocked", "accounts", _NOTICE),
    SignificantEventKind.RETURN_OUT_OF_BAND: KindDescription("Return outside its band", "fairness", _WARNING),
    SignificantEventKind.RNG_OUT_OF_BAND: KindDescription("Randomness outside its band", "fairness", _CRITICAL),
    SignificantEventKind.DATA_ERASED: KindDescription("Personal data erased", "privacy", _NOTICE),
    SignificantEventKind.DATA_PURGED: KindDescription("Old data purged", "privacy", _NOTICE),
    SignificantEventKind.DATA_EXPORT_DELAYED: KindDescription("Player's data export delayed", "privacy", _WARNING),
    SignificantEventKind.KEY_ROTATED: KindDescription("Key rotated", "keys", _INFO),
    SignificantEventKind.PACK_LINKED: KindDescription("Dispute pack shared", "access", _INFO),
    SignificantEventKind.PACK_FETCHED: KindDescription("Dispute pack downloaded", "access", _INFO),
    SignificantEventKind.WEBHOOK_PAUSED: KindDescription("Webhook paused", "availability", _WARNING),
    SignificantEventKind.WALLET_UNSETTLED: KindDescription("Own wallet did not settle", "wallet", _CRITICAL),
    SignificantEventKind.PAYMENT_UNAPPLIED: KindDescription("Partner's message not applied", "wallet", _CRITICAL),
    SignificantEventKind.PAYMENT_HELD: KindDescription("Payment held, released or rejected", "wallet", _INFO),
    SignificantEventKind.HOLD_WAITS: KindDescription("Held payment waits for compliance", "wallet", _WARNING),
    SignificantEventKind.ACCOUNT_FROZEN: KindDescription("Account frozen or unfrozen", "accounts", _NOTICE),
    SignificantEventKind.DAILY_CAP_NEAR: KindDescription("Daily cap nearly reached", "wallet", _WARNING),
    SignificantEventKind.DAILY_CAP_REACHED: KindDescription("Daily cap reached", "wallet", _WARNING),
}
"""One for each kind; the table stores the severity at the time of recording."""

INSTALLATION_WIDE: Final = frozenset(
    {
        SignificantEventKind.CLOCK_CHANGED,
        SignificantEventKind.SERVICE_UNAVAILABLE,
        SignificantEventKind.INTEGRITY_FAILED,
        SignificantEventKind.GAMING_STOPPED,
        SignificantEventKind.GAMING_RESUMED,
        SignificantEventKind.RNG_OUT_OF_BAND,
        SignificantEventKind.KEY_ROTATED,
        SignificantEventKind.DATA_PURGED,
    }
)
"""Kinds that every operator sees when they concern the whole installation; they name no player and no money."""


__all__ = ["NewSignificantEvent", "Severity", "SignificantEventKind", "record", "record_many"]

MAX_REASON_LENGTH: Final = 4000
"""Characters of a reason that are stored: enough for the longest text once it is encrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificantEventRaised:
    """What an operator's feed says of a significant event; `about` is its subject, such as `round:<id>`."""

    event: UUID
    kind: str
    severity: Severity
    about: str
    amount: int | None
    currency: str | None
    at: datetime


_ANNOUNCE: Final = announcements.in_sql(
    SignificantEventRaised,
    event="id",
    kind="kind",
    severity="severity",
    about="subject",
    amount="amount",
    currency="nullif(currency, '')",
    at="at",
)
_RECORD: Final = f"""
WITH new AS MATERIALIZED (
    -- Lists are ordered by id: by the database's clock, and ascending within a statement.
    SELECT uuidv7() AS id, event.* FROM jsonb_to_recordset(%s::jsonb) AS event (
        kind text, severity text, operator_id uuid, subject text, actor text, authorised_by text, reason text,
        before jsonb, after jsonb, amount bigint, currency text, address text, dedup_key text
    )
), added AS (
    INSERT INTO significant_significantevent (
        id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, amount, currency,
        address, dedup_key
    )
    SELECT id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, amount, currency,
           address, dedup_key
    FROM new ORDER BY id
    ON CONFLICT (dedup_key) WHERE NOT (dedup_key = '') DO NOTHING
    RETURNING id, kind, severity, operator_id, subject, amount, currency, at
), waiting AS (
    INSERT INTO significant_unacknowledged (event_id, operator_id)
    SELECT id, operator_id FROM added WHERE severity <> 'info'
), announced AS (
    {_ANNOUNCE} FROM added WHERE operator_id IS NOT NULL OR kind = ANY (%s::text[]) ORDER BY id
)
SELECT id FROM added
"""  # noqa: S608  (constants)
_encode: Final = msgspec.json.Encoder(enc_hook=str).encode
_decode: Final = msgspec.json.Decoder(dict[str, Any] | None).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSignificantEvent:
    """A significant event to record. `amount` is in minor units of `currency`; `before` and `after` are JSON-ready.

    `operator` is None for an event of the whole installation. An event with a `dedup_key` is recorded at most once, for
    callers that may see the same fact twice.
    """

    kind: SignificantEventKind
    operator: UUID | None
    subject: str
    actor: str
    authorised_by: str = ""
    reason: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    amount: int | None = None
    currency: str = ""
    address: str = ""
    dedup_key: str = ""


def record(
    *,
    kind: SignificantEventKind,
    operator: UUID | None,
    subject: str,
    actor: str,
    authorised_by: str = "",
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    amount: int | None = None,
    currency: str = "",
    address: str = "",
    dedup_key: str = "",
) -> None:
    """Record one significant event; the fields are those of NewSignificantEvent."""
    event = NewSignificantEvent(
        kind=kind,
        operator=operator,
        subject=subject,
        actor=actor,
        authorised_by=authorised_by,
        reason=reason,
        before=before,
        after=after,
        amount=amount,
        currency=currency,
        address=address,
        dedup_key=dedup_key,
    )
    record_many([event])


def record_many(events: Iterable[NewSignificantEvent]) -> int:
    """Record significant events in one statement, and return how many were new (see `dedup_key`)."""
    new = list(events)
    rows = _encode([_row(event) for event in new]).decode()
    return len(fetch(_RECORD, [rows, sorted(INSTALLATION_WIDE)])) if new else 0


def as_json(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a state as it is stored, with ids and times as text."""
    stored: dict[str, Any] | None = _decode(_encode(state))
    return stored


def _row(event: NewSignificantEvent) -> dict[str, Any]:
    row: dict[str, Any] = {each.name: getattr(event, each.name) for each in fields(event)}
    row["operator_id"] = row.pop("operator")
    return row | {
        "severity": DESCRIPTIONS[event.kind].severity,
        "reason": event.reason[:MAX_REASON_LENGTH],
    }
