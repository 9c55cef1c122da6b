"""A provider over HTTP: signed requests with time-outs, and answers that are believed only when they are whole."""

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
from wallet.payments.provider import PaymentNotFound, PaymentRefused, ProviderUnavailable
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport

TIMEOUT: Final = httpx.Timeout(3.0, connect=1.0)
_PATHS: Final = {PaymentKind.DEPOSIT: "deposits", PaymentKind.PAYOUT: "payouts"}
MAX_PAGES: Final = 2000
_NEVER: Final = frozenset({400, 422})
"""Statuses by which a provider refuses the payment itself; any other failure may be over the next time."""


@dataclass(frozen=True, slots=True)
class HttpProvider:
    """The adapter for providers that speak our sandbox's protocol (`casino.devstack.provider`)."""

    url: str
    secret: str

    def start_deposit(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """POST the deposit. Raises NoAnswer, Refused."""
        return self._start(PaymentKind.DEPOSIT, payment, amount, currency, account)

    def start_payout(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """POST the payout. Raises NoAnswer, Refused."""
        return self._start(PaymentKind.PAYOUT, payment, amount, currency, account)

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """GET the records of a period, page by page. Raises NoAnswer."""
        asked = {"account": account, "from": since.isoformat(), "to": until.isoformat(), "limit": "500"}
        found, more = self._page(asked)
        for _ in range(MAX_PAGES):
            if more is None:
                return found
            records, more = self._page({**asked, "cursor": more})
            found.extend(records)
        raise ProviderUnavailable(f"more than {MAX_PAGES} pages")

    def _page(self, asked: dict[str, str]) -> tuple[list[ProviderRecord], str | None]:
        answer = self._ask("GET", f"records?{urlencode(asked)}", b"")
        if answer.status_code != 200:
            _nothing(f"status {answer.status_code}")
        try:
            return provider_messages.parse_records(answer.content)
        except ValueError as trouble:
            _nothing(str(trouble))

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """GET the payment. Raises NoAnswer, NotThere."""
        answer = self._ask("GET", f"{_PATHS[kind]}/{payment}", b"")
        if answer.status_code == 404:
            raise PaymentNotFound
        return _report(answer, kind, payment)

    def _start(self, kind: PaymentKind, payment: UUID, amount: int, currency: str, account: str) -> ProviderReport:
        given = {"payment": str(payment), "amount": money.format_amount(amount, currency), "currency": currency}
        given |= {"account": account} if account else {}
        answer = self._ask("POST", _PATHS[kind], msgspec.json.encode(given))
        if answer.status_code in _NEVER:
            raise PaymentRefused(_reason(answer))
        return _report(answer, kind, payment)

    def _ask(self, method: str, path: str, body: bytes) -> httpx.Response:
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
        except (httpx.HTTPError, httpx.InvalidURL) as trouble:
            raise ProviderUnavailable(f"{type(trouble).__name__}: {trouble}") from trouble


def _report(answer: httpx.Response, kind: PaymentKind, payment: UUID) -> ProviderReport:
    if answer.status_code not in {200, 201}:
        _nothing(f"status {answer.status_code}")
    try:
        report = provider_messages.parse_report(answer.content)
    except ValueError as trouble:
        _nothing(str(trouble))
    if (report.kind, report.payment) != (kind, payment):
        _nothing("the answer is about another payment")
    return report


def _reason(answer: httpx.Response) -> str:
    text = answer.text[:200]
    return text if text.isprintable() and text else f"status {answer.status_code}"


def _nothing(why: str) -> NoReturn:
    raise ProviderUnavailable(why)
