"""Payment provider over HTTP: signed requests with time-outs, and signed, strictly checked responses."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Final, NoReturn
from urllib.parse import urlencode
from uuid import UUID

import httpx
import msgspec

from casino.kernel import money, text
from casino.observability.process import ssl_context
from wallet.payments import provider_messages, signatures
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport
from wallet.payments.providers import AnswerNotUnderstood, PaymentRefused, ProviderUnavailable, UnknownPayment

TIMEOUT: Final = httpx.Timeout(3.0, connect=1.0)
_PATHS: Final = {PaymentKind.DEPOSIT: "deposits", PaymentKind.PAYOUT: "payouts"}
MAX_PAGES: Final = 2000
_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_REFUSED_STATUSES: Final = frozenset({400, 422})
"""Statuses that refuse the payment itself; any other failure may be temporary."""


@dataclass(frozen=True, slots=True)
class HttpProvider:
    """Adapter for providers with the sandbox's protocol (`casino.devstack.provider`).

    The first of the shared secrets signs, all of them verify.
    """

    url: str
    secrets: Sequence[str]

    def start_deposit(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """POST the deposit. Raises ProviderUnavailable, PaymentRefused."""
        return self._start(PaymentKind.DEPOSIT, payment, amount, currency, account)

    def start_payout(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """POST the payout. Raises ProviderUnavailable, PaymentRefused."""
        return self._start(PaymentKind.PAYOUT, payment, amount, currency, account)

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """GET the records of a period, page by page. Raises ProviderUnavailable."""
        query = {"account": account, "from": since.isoformat(), "to": until.isoformat(), "limit": "500"}
        result, cursor = self._page(query)
        for _ in range(MAX_PAGES):
            if cursor is None:
                return result
            records, cursor = self._page({**query, "cursor": cursor})
            result.extend(records)
        raise ProviderUnavailable(f"more than {MAX_PAGES} pages")

    def _page(self, query: dict[str, str]) -> tuple[list[ProviderRecord], str | None]:
        response = self._request("GET", f"records?{urlencode(query)}", b"")
        if response.status_code != 200:
            _unavailable(f"status {response.status_code}")
        try:
            return provider_messages.parse_records(response.content)
        except ValueError as error:
            _unavailable(str(error))

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """GET the payment. Raises ProviderUnavailable, UnknownPayment."""
        response = self._request("GET", f"{_PATHS[kind]}/{payment}", b"")
        if response.status_code == 404:
            raise UnknownPayment
        return _report(response, kind, payment)

    def _start(self, kind: PaymentKind, payment: UUID, amount: int, currency: str, account: str) -> ProviderReport:
        body = {"payment": str(payment), "amount": money.format_amount(amount, currency), "currency": currency}
        body |= {"account": account} if account else {}
        response = self._request("POST", _PATHS[kind], msgspec.json.encode(body))
        if response.status_code in _REFUSED_STATUSES:
            raise PaymentRefused(_reason(response))
        return _report(response, kind, payment)

    def _request(self, method: str, path: str, body: bytes) -> httpx.Response:
        """Send a signed request and return the verified response. Raises ProviderUnavailable."""
        nonce, timestamp = token_hex(16), str(int(time.time()))
        try:
            url = httpx.URL(f"{self.url}/v1/{path}")
            subject = f"{method} {url.raw_path.decode()}"
            signed = signatures.headers(
                secret=self.secrets[0], timestamp=timestamp, nonce=nonce, subject=subject, body=body
            )
            # The signature is over the bytes as they are sent: no compression.
            headers = {**signed, "Content-Type": "application/json", "Accept-Encoding": "identity"}
            response = httpx.request(method, url, content=body, headers=headers, timeout=TIMEOUT, verify=ssl_context())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProviderUnavailable(f"{type(error).__name__}: {error}") from error
        if not self._is_signed(response, nonce):
            _unavailable(f"status {response.status_code}, without a valid signature")
        return response

    def _is_signed(self, response: httpx.Response, nonce: str) -> bool:
        """Return whether the provider signed this response to the request with this nonce, just now."""
        timestamp = response.headers.get(signatures.TIMESTAMP, "")
        return (
            response.headers.get(signatures.NONCE, "") == nonce
            and _TIMESTAMP.fullmatch(timestamp) is not None
            and abs(time.time() - int(timestamp)) <= signatures.TOLERANCE_SECONDS
            and signatures.verify(
                keys=self.secrets,
                timestamp=timestamp,
                nonce=nonce,
                subject=str(response.status_code),
                body=response.content,
                signature=response.headers.get(signatures.SIGNATURE, ""),
            )
        )


def _report(response: httpx.Response, kind: PaymentKind, payment: UUID) -> ProviderReport:
    if response.status_code not in {200, 201}:
        _unavailable(f"status {response.status_code}")
    try:
        report = provider_messages.parse_report(response.content)
    except ValueError:
        raise AnswerNotUnderstood(response.content) from None
    if (report.kind, report.payment) != (kind, payment):
        raise AnswerNotUnderstood(response.content)
    return report


def _reason(response: httpx.Response) -> str:
    return text.salvage(response.text, limit=200) or f"status {response.status_code}"


def _unavailable(reason: str) -> NoReturn:
    raise ProviderUnavailable(reason)
