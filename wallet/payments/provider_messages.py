"""JSON messages of providers: reports and records of payments.

Strict about money: kind, payment, reference, status, amount, currency. Nothing else in a message can refuse it.
"""

import json
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from casino.kernel import money, strict_json, text
from casino.kernel.errors import Refusal
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport, ProviderStatus

_MAX_TEXT_LENGTH: Final = 200
_MONEY: Final = ("kind", "payment", "reference", "status", "amount", "currency")


class PaymentCallback(msgspec.Struct, frozen=True):
    """A provider's report about one payment; unknown members are ignored."""

    kind: PaymentKind
    payment: Annotated[UUID, Meta(description="Our id.")]
    reference: Annotated[str, Meta(description="The provider's id.")]
    status: ProviderStatus
    amount: Annotated[
        str,
        Meta(
            description="A decimal string in `currency`.",
            extra_json_schema={"pattern": f"^-?{money.AMOUNT_PATTERN}$"},
        ),
    ]
    currency: Annotated[str, Meta(extra_json_schema={"pattern": f"^{money.CODE_PATTERN}$"})]
    reason: Annotated[
        Any,
        Meta(
            description="For people: cut and cleaned to 200 characters, and no text is none.",
            extra_json_schema={"type": ["string", "null"]},
        ),
    ] = None


class RecordBody(msgspec.Struct, frozen=True):
    """One line of a provider's records; unknown fields are ignored."""

    kind: PaymentKind
    payment: str
    reference: str
    status: ProviderStatus
    amount: str
    currency: str
    at: datetime


class RecordsBody(msgspec.Struct, frozen=True):
    """One page of records, with the cursor of the next one where there is one."""

    items: list[RecordBody]
    next: str | None = None


def money_of(raw: bytes) -> str:
    """Return a message with only those members that say what is paid, as sent. Raises NotStrictJson.

    They are texts of 200 characters at most; anything else says nothing.
    """
    document = strict_json.decode(raw)
    said = {name: document[name] for name in _MONEY if isinstance(document.get(name), str)}
    return json.dumps({name: each for name, each in said.items() if len(each) <= _MAX_TEXT_LENGTH})


def payment_of(raw: bytes) -> UUID | None:
    """Return the payment that a message names, None if it names none. Raises NotStrictJson."""
    payment = strict_json.decode(raw).get("payment")
    try:
        return UUID(payment) if isinstance(payment, str) else None
    except ValueError:
        return None


def parse_report(raw: bytes) -> ProviderReport:
    """Parse a report. Raises ValueError."""
    body = msgspec.convert(strict_json.decode(raw), PaymentCallback)
    if body.reference:
        _require_references(body.reference)
    amount = _amount(body)
    return ProviderReport(
        body.kind, body.payment, body.reference, body.status, amount, body.currency, _salvaged(body.reason)
    )


def reason_of(raw: bytes) -> str:
    """Return the reason that a message gives, cut and cleaned; empty if it gives none or is no message."""
    try:
        return _salvaged(strict_json.decode(raw).get("reason"))
    except strict_json.NotStrictJson:
        return ""


def parse_records(raw: bytes) -> tuple[list[ProviderRecord], str | None]:
    """Parse a page of records and the next page's cursor. Raises ValueError."""
    page = msgspec.convert(strict_json.decode(raw), RecordsBody)
    return [_record(body) for body in page.items], page.next


def _record(body: RecordBody) -> ProviderRecord:
    _require_references(body.payment, body.reference)
    if body.at.tzinfo is None:
        raise ValueError("A record has a time without a zone.")
    amount = _amount(body)
    return ProviderRecord(body.kind, body.payment, body.reference, body.status, amount, body.currency, body.at)


def _salvaged(reason: object) -> str:
    return text.salvage(reason, limit=_MAX_TEXT_LENGTH) if isinstance(reason, str) else ""


def _require_references(*references: str) -> None:
    if not all(text.is_reference(each, limit=_MAX_TEXT_LENGTH) for each in references):
        raise ValueError("An id or reference is too long, or has control characters.")


def _amount(body: PaymentCallback | RecordBody) -> int:
    try:
        return money.parse_positive(body.amount, body.currency)
    except Refusal as refusal:
        raise ValueError(refusal.detail) from None


def encode_report(report: ProviderReport) -> bytes:
    """Encode a report as `parse_report` reads it."""
    amount = money.format_amount(report.amount, report.currency)
    body = PaymentCallback(
        report.kind, report.payment, report.reference, report.status, amount, report.currency, report.reason
    )
    return msgspec.json.encode(body)
