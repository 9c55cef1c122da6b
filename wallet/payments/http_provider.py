"""Payment provider over HTTP: signed requests with time-outs, and strictly checked responses."""

import secrets
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn
from urllib.parse import urlencode
from uuid import UUID

import httpx
import msgspec

from casino.kernel import money
from casino.observability import http
from wallet.payments import provider_messages, signatures
from wallet.payments.provider import PaymentRefused, ProviderUnavailable, UnknownPayment
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport

TIMEOUT: Final = httpx.Timeout(3.0, connect=1.0)
_PATHS: Final = {PaymentKind.DEPOSIT: "deposits", PaymentKind.PAYOUT: "payouts"}
MAX_PAGES: Final = 2000
_REFUSED_STATUSES: Final = frozenset({400, 422})
"""Statuses that refuse the payment itself; any other failure may be temporary."""


@dataclass(frozen=True, slots=True)
class HttpProvider:
    """Adapter for providers with the sandbox's protocol (`casino.devstack.provider`)."""

    url: str
    secret: str

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
        nonce, timestamp = secrets.token_hex(16), str(int(time.time()))
        signed = signatures.headers(secret=self.secret, timestamp=timestamp, nonce=nonce, body=body)
        headers = {**signed, "Content-Type": "application/json"}
        try:
            return httpx.request(
                method,
                f"{self.url}/v1/{path}",
                content=body,
                headers=headers,
                timeout=TIMEOUT,
                verify=http.ssl_context(),
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProviderUnavailable(f"{type(error).__name__}: {error}") from error


def _report(response: httpx.Response, kind: PaymentKind, payment: UUID) -> ProviderReport:
    if response.status_code not in {200, 201}:
        _unavailable(f"status {response.status_code}")
    try:
        report = provider_messages.parse_report(response.content)
    except ValueError as error:
        _unavailable(str(error))
    if (report.kind, report.payment) != (kind, payment):
        _unavailable("the response is about another payment")
    return report


def _reason(response: httpx.Response) -> str:
    text = response.text[:200]
    return text if text.isprintable() and text else f"status {response.status_code}"


def _unavailable(reason: str) -> NoReturn:
    raise ProviderUnavailable(reason)
