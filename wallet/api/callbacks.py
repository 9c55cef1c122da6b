"""Callbacks of payment providers."""

from datetime import UTC, datetime
from typing import Annotated, Final

from drf_spectacular.utils import OpenApiParameter
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.client_ip import client_ip
from casino.api.openapi import operation
from casino.api.shapes import Shape
from casino.api.views import BaseApiView
from casino.kernel.errors import Refusal
from casino.significant import recorder
from wallet.payments import callbacks, signatures
from wallet.payments.provider_messages import PaymentCallback
from wallet.payments.refusals import InvalidSignature, MalformedCallback, NonceReused, StaleTimestamp, UnknownProvider

_CALLBACK: Final = {
    "kind": "deposit",
    "payment": "0199f3a2-9e20-7b02-8c22-4d6e8f0a2b3c",
    "reference": "tx-71",
    "status": "completed",
    "amount": "50.00",
    "currency": "EUR",
}
_HEADERS: Final = {
    signatures.TIMESTAMP: "Whole seconds since 1970.",
    signatures.NONCE: "8 to 128 characters, used once.",
    signatures.SIGNATURE: (
        "`v1=` and the hexadecimal HMAC-SHA256 of four lines: timestamp, nonce, `POST` with the path, and the raw body."
    ),
}


class PaymentCallbackAccepted(Shape):
    """The callback is stored."""

    applied: Annotated[bool, Meta(description="Whether it is applied; false for a repeat.")]


class ProviderCallbacksView(BaseApiView):
    """Callbacks of one provider, authenticated by their signature."""

    @operation(
        "receivePaymentCallback",
        "Report the state of a payment, signed with the secret shared with this provider",
        request=PaymentCallback,
        example=_CALLBACK,
        returns=PaymentCallbackAccepted,
        status=202,
        auth=[{"providerSignature": []}],
        parameters=[
            OpenApiParameter(name, str, OpenApiParameter.HEADER, required=True, description=description)
            for name, description in _HEADERS.items()
        ],
        description=(
            "For payment providers. The same report may come again; it is applied once. The body is "
            "covered by the signature, byte for byte. Only the members that say what is paid are checked: what is "
            "signed and cannot be applied is accepted, stored, and shown to staff."
        ),
        refusals=(
            InvalidSignature,
            MalformedCallback,
            NonceReused,
            StaleTimestamp,
            UnknownProvider,
        ),
    )
    def post(self, request: Request, provider: str) -> Response:
        """Verify the signature and store the callback."""
        sent = request._request  # noqa: SLF001  (the signature is over the bytes, not over what they parse to)
        try:
            applied = callbacks.receive(
                provider=provider,
                subject=f"{sent.method} {sent.get_full_path()}",
                timestamp=sent.headers.get(signatures.TIMESTAMP, ""),
                nonce=sent.headers.get(signatures.NONCE, ""),
                signature=sent.headers.get(signatures.SIGNATURE, ""),
                body=sent.body,
            )
        except (InvalidSignature, StaleTimestamp, NonceReused, MalformedCallback) as refusal:
            _record_failure(provider, refusal, client_ip(sent) or "")
            raise
        return Response(PaymentCallbackAccepted(applied), status=202)


def _record_failure(provider: str, refusal: Refusal, address: str) -> None:
    """Record a callback that its provider may not have sent; those of a provider within an hour count as one."""
    subject = f"provider:{provider}"
    recorder.record(
        kind=recorder.SignificantEventKind.LOGIN_FAILED,
        operator=None,
        subject=subject,
        actor=subject,
        reason=refusal.title,
        address=address,
        dedup_key=f"callback_refused:{provider}:{datetime.now(UTC):%Y-%m-%dT%H}",
    )
