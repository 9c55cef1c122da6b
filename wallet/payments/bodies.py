"""A provider's report as JSON: `{"kind", "payment", "reference", "status", "amount", "currency", "reason"}`."""

from typing import Final
from uuid import UUID

import msgspec

from casino.kernel import money
from casino.kernel.refusals import Refusal
from wallet.payments.reports import Kind, Report, Said

_LONGEST: Final = 200


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a report; the amount is a decimal string in `currency`."""

    kind: Kind
    payment: UUID
    reference: str
    status: Said
    amount: str
    currency: str
    reason: str = ""


_decode: Final = msgspec.json.Decoder(Body).decode


def parse(raw: bytes | str) -> Report:
    """This will read a report. Raises ValueError for anything else."""
    body = _decode(raw)
    texts = (body.reference, body.reason)
    if any(len(text) > _LONGEST or not text.isprintable() for text in texts):
        raise ValueError("A reference or reason is too long, or no plain text.")
    try:
        amount = money.parse_positive(body.amount, body.currency)
    except Refusal as refusal:
        raise ValueError(refusal.detail) from None
    return Report(body.kind, body.payment, body.reference, body.status, amount, body.currency, body.reason)


def write(report: Report) -> bytes:
    """This will write a report as `parse` reads it."""
    amount = money.text(report.amount, report.currency)
    body = Body(report.kind, report.payment, report.reference, report.said, amount, report.currency, report.reason)
    return msgspec.json.encode(body)
