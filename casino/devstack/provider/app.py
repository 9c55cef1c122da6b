"""The sandbox provider's own small HTTP service, as plain ASGI: it moves no money and knows nothing of the casino.

    POST /v1/deposits, /v1/payouts   {"payment", "amount", "currency"}; repeating a payment returns the same
    GET  /v1/deposits/{payment}, /v1/payouts/{payment}
    GET  /v1/payments                everything
    GET  /v1/records?account=&from=&to=&cursor=&limit=   payments accepted in a period, in pages, for reconciliation
    POST /v1/records                 sandbox only: invent a record
    POST /v1/records/{kind}s/{payment}   sandbox only: {"omit", "amount", "status"}: change its record
    POST /v1/{kind}s/{payment}/{status}   sandbox only: change its status, such as to `reversed`, and report it
    GET  /livez

Requests and responses are signed as callbacks are; /livez is not.
"""

import asyncio
import json
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs

import httpx

from casino.devstack.provider.behaviour import PaymentPlan, SignatureBehaviour, StartBehaviour, StatusStep, plan_for
from casino.devstack.provider.payments import Answer, PaymentStore, Records, SandboxPayment, now
from casino.observability.process import ssl_context
from wallet.payments import signatures

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

logger = logging.getLogger(__name__)

CALLBACK_ATTEMPTS: Final = 3
CALLBACK_PAUSE: Final = 0.5
CALLBACK_TIMEOUT: Final = 5.0
HANG_SECONDS: Final = 6.0
MAX_BODY_BYTES: Final = 16 * 1024
_KIND: Final = {"deposits": "deposit", "payouts": "payout"}
_AMOUNT: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,3})?", re.ASCII)
_STATUSES: Final = frozenset({"pending", "failed", "completed", "reversed"})
_NOT_FOUND: Final[Answer] = (404, {"error": "not found"})


class CallbackSender:
    """Sends callbacks to one URL, signed with one secret, wrongly, or not at all."""

    def __init__(self, *, url: str, secret: str) -> None:
        self._url = url
        self._secret = secret
        self._client = httpx.AsyncClient(timeout=CALLBACK_TIMEOUT, verify=ssl_context())

    async def send(self, payment: SandboxPayment, status: str, signature: SignatureBehaviour) -> None:
        """Report a status, up to three times while it can't be delivered; a definite refusal is not repeated."""
        body = json.dumps({**payment.callback_body(), "status": status}).encode()
        for _ in range(CALLBACK_ATTEMPTS):
            try:
                response = await self._client.post(self._url, content=body, headers=self._headers(body, signature))
            except httpx.HTTPError as error:
                logger.info("No callback for %s could be delivered: %s", payment.payment, error)
            else:
                if response.status_code < 500:
                    return
            await asyncio.sleep(CALLBACK_PAUSE)

    async def close(self) -> None:
        await self._client.aclose()

    def _headers(self, body: bytes, signature: SignatureBehaviour) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if signature is SignatureBehaviour.MISSING:
            return headers
        secret = self._secret if signature is SignatureBehaviour.VALID else secrets.token_hex(16)
        signature_headers = signatures.headers(
            secret=secret,
            timestamp=str(int(time.time())),
            nonce=secrets.token_hex(16),
            subject=f"POST {httpx.URL(self._url).raw_path.decode()}",
            body=body,
        )
        return {**headers, **signature_headers}


class App:
    """The service: stored payments, and tasks that change and report their statuses."""

    def __init__(self, *, payments: PaymentStore, reporter: CallbackSender, secret: str) -> None:
        self._store = payments
        self._records = Records(payments)
        self._reporter = reporter
        self._secret = secret
        self._failed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        body = await _body(receive)
        status, document = await self._route(scope, body)
        payload = json.dumps(document).encode()
        headers = {
            "content-type": "application/json",
            "content-length": str(len(payload)),
            **self._response_signature(scope, status, payload),
        }
        start = {"type": "http.response.start", "status": status}
        await send({**start, "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()]})
        await send({"type": "http.response.body", "body": payload})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                for payment in self._store.pending():
                    self._run(self._follow(payment, plan_for(payment.amount)))
                await send({"type": "lifespan.startup.complete"})
            else:
                for task in self._tasks:
                    task.cancel()
                await self._reporter.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _route(self, scope: Message, body: bytes) -> Answer:
        path = [part for part in scope["path"].split("/") if part]
        if path == ["livez"]:
            return 200, {"payments": len(self._store)}
        if not self._is_signed(scope, body):
            return 401, {"error": "not signed"}
        answer = _NOT_FOUND
        match scope["method"], path:
            case method, ["v1", "records", *rest] if method in {"GET", "POST"}:
                answer = self._answer_records(scope, method, rest, body)
            case "POST", ["v1", kind] if kind in _KIND:
                answer = await self._start(_KIND[kind], body)
            case "POST", ["v1", kind, payment, status] if kind in _KIND and status in _STATUSES:
                answer = self._change_status(_KIND[kind], payment, status)
            case "GET", ["v1", *rest]:
                answer = self._show(rest)
        return answer

    def _answer_records(self, scope: Message, method: str, path: list[str], body: bytes) -> Answer:
        if method == "POST":
            return self._records.distort(path, body)
        return self._records.page(parse_qs(scope.get("query_string", b"").decode("latin-1")))

    def _is_signed(self, scope: Message, body: bytes) -> bool:
        timestamp = _header(scope, signatures.TIMESTAMP)
        if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > signatures.TOLERANCE_SECONDS:
            return False
        query = scope.get("query_string", b"").decode("latin-1")
        return signatures.verify(
            keys=[self._secret],
            timestamp=timestamp,
            nonce=_header(scope, signatures.NONCE),
            subject=f"{scope['method']} {scope['path']}{'?' if query else ''}{query}",
            body=body,
            signature=_header(scope, signatures.SIGNATURE),
        )

    def _response_signature(self, scope: Message, status: int, payload: bytes) -> dict[str, str]:
        """Return the headers that sign the response to a request with a nonce."""
        nonce = _header(scope, signatures.NONCE)
        if not nonce:
            return {}
        timestamp = str(int(time.time()))
        return signatures.headers(
            secret=self._secret, timestamp=timestamp, nonce=nonce, subject=str(status), body=payload
        )

    def _show(self, path: list[str]) -> Answer:
        if path == ["payments"]:
            return 200, {"items": [payment.callback_body() for payment in self._store.all()]}
        payment = self._store.find(_KIND[path[0]], path[1]) if len(path) == 2 and path[0] in _KIND else None
        if payment is None or self._records.is_omitted(payment):
            return _NOT_FOUND
        return 200, payment.callback_body()

    def _change_status(self, kind: str, payment: str, status: str) -> Answer:
        stored = self._store.find(kind, payment)
        if stored is None:
            return _NOT_FOUND
        changed = self._store.set_status(stored, status)
        self._run(self._report(changed, StatusStep(status)))
        return 200, changed.callback_body()

    async def _start(self, kind: str, body: bytes) -> Answer:
        payment = _parse_payment(kind, body)
        if payment is None:
            return 400, {"error": "malformed"}
        existing = self._store.find(kind, payment.payment)
        if existing is not None:
            same = (existing.amount, existing.currency) == (payment.amount, payment.currency)
            return (200, existing.callback_body()) if same else (422, {"error": "known with another amount"})
        plan = plan_for(payment.amount)
        if plan.start is StartBehaviour.REFUSE:
            return 422, {"error": "refused"}
        if plan.start is StartBehaviour.FAIL_ONCE and payment.payment not in self._failed:
            self._failed.add(payment.payment)
            return 503, {"error": "try later"}
        self._store.add(payment)
        self._run(self._follow(payment, plan))
        if plan.start is StartBehaviour.HANG_ONCE:
            await asyncio.sleep(HANG_SECONDS)
        return 201, payment.callback_body()

    async def _follow(self, payment: SandboxPayment, plan: PaymentPlan) -> None:
        """Change and report the status, step by step."""
        for step in plan.steps:
            await asyncio.sleep(step.after)
            if step.is_stored:
                payment = self._store.set_status(payment, step.status)
            await self._report(payment, step)

    async def _report(self, payment: SandboxPayment, step: StatusStep) -> None:
        for _ in range(step.times):
            await self._reporter.send(payment, step.status, step.signature)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _header(scope: Message, name: str) -> str:
    """Return a request's header, empty if it has none."""
    wanted = name.lower().encode()
    return next((value.decode("latin-1") for header, value in scope["headers"] if header.lower() == wanted), "")


def _parse_payment(kind: str, body: bytes) -> SandboxPayment | None:
    """Return the payment that a body requests, or None if it is malformed."""
    try:
        document = json.loads(body)
        payment, amount, currency = document["payment"], document["amount"], document["currency"]
        account = document.get("account", "")
    except (ValueError, KeyError, TypeError):
        return None
    are_texts = all(
        isinstance(each, str) and 0 < len(each) <= 64 for each in (payment, amount, currency)
    ) and isinstance(account, str)
    if not are_texts or _AMOUNT.fullmatch(amount) is None:
        return None
    reference = f"sbx-{secrets.token_hex(8)}"
    return SandboxPayment(kind, payment, reference, "pending", amount, currency, account=account, at=now())


async def _body(receive: Receive) -> bytes:
    body = b""
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body
