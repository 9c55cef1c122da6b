"""JSON messages of providers: reports and records of payments."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from casino.kernel import money
from casino.kernel.errors import Refusal
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport, ProviderStatus

_MAX_TEXT_LENGTH: Final = 200


class PaymentCallback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider's report about one payment."""

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
    reason: str = ""


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


_decode_records: Final = msgspec.json.Decoder(RecordsBody).decode
_decode: Final = msgspec.json.Decoder(PaymentCallback).decode


def parse_report(raw: bytes | str) -> ProviderReport:
    """Parse a report. Raises ValueError."""
    body = _decode(raw)
    texts = (body.reference, body.reason)
    if any(len(text) > _MAX_TEXT_LENGTH or not text.isprintable() for text in texts):
        raise ValueError("A reference or reason is too long, or not printable.")
    try:
        amount = money.parse_positive(body.amount, body.currency)
    except Refusal as refusal:
        raise ValueError(refusal.detail) from None
    return ProviderReport(body.kind, body.payment, body.reference, body.status, amount, body.currency, body.reason)


def parse_records(raw: bytes) -> tuple[list[ProviderRecord], str | None]:
    """Parse a page of records and the next page's cursor. Raises ValueError."""
    page = _decode_records(raw)
    return [_record(body) for body in page.items], page.next


def _record(body: RecordBody) -> ProviderRecord:
    texts = (body.payment, body.reference)
    if any(len(text) > _MAX_TEXT_LENGTH or not text.isprintable() for text in texts) or body.at.tzinfo is None:
        raise ValueError("A record has an invalid id, reference or time.")
    try:
        amount = money.parse_positive(body.amount, body.currency)
    except Refusal as refusal:
        raise ValueError(refusal.detail) from None
    return ProviderRecord(body.kind, body.payment, body.reference, body.status, amount, body.currency, body.at)


def encode_report(report: ProviderReport) -> bytes:
    """Encode a report as `parse_report` reads it."""
    amount = money.format_amount(report.amount, report.currency)
    body = PaymentCallback(
        report.kind, report.payment, report.reference, report.status, amount, report.currency, report.reason
    )
    return msgspec.json.encode(body)
