"""JSON messages of providers: reports and records of payments.

Strict about money: kind, payment, reference, status, amount, currency. Nothing else in a message can refuse it.
"""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from casino.kernel import money, strict_json, text
from casino.kernel.errors import Refusal
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport, ProviderStatus

_MAX_TEXT_LENGTH: Final = 200


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
    reason = text.salvage(body.reason, limit=_MAX_TEXT_LENGTH) if isinstance(body.reason, str) else ""
    return ProviderReport(body.kind, body.payment, body.reference, body.status, amount, body.currency, reason)


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
