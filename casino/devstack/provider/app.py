"""The sandbox provider's own small HTTP service, as plain ASGI: it moves no money and knows nothing of us.

    POST /v1/deposits, /v1/payouts   {"payment", "amount", "currency"}; the same payment again answers the same
    GET  /v1/deposits/{payment}, /v1/payouts/{payment}
    GET  /v1/payments                everything
    GET  /v1/records?account=&from=&to=&cursor=&limit=   what was taken on in a period, in pages, for a reconciliation
    POST /v1/records                 sandbox only: a record that nobody asked for
    POST /v1/records/{kind}s/{payment}   sandbox only: {"omit", "amount", "status"}: what the records say of it instead
    POST /v1/{kind}s/{payment}/{status}   sandbox only: turn a payment, such as to `reversed`, and report it
    GET  /livez

Requests are signed as callbacks are; /livez is not.
"""

import asyncio
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs

from casino.devstack.provider.behaviour import PaymentPlan, StartBehaviour, StatusStep, plan_for
from casino.devstack.provider.book import PaymentStore, SandboxPayment
from casino.devstack.provider.records import Records, now
from casino.devstack.provider.reporting import CallbackSender
from wallet.payments import signatures

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, object]

HANG: Final = 6.0
MAX_BODY_BYTES: Final = 16 * 1024
_KIND: Final = {"deposits": "deposit", "payouts": "payout"}
_AMOUNT: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,3})?", re.ASCII)
_STATUSES: Final = frozenset({"pending", "failed", "completed", "reversed"})
_NOT_FOUND: Final[Answer] = (404, {"error": "not found"})


class App:
    """The service: a book of payments, and tasks that turn and report them."""

    def __init__(self, *, payments: PaymentStore, reporter: CallbackSender, secret: str) -> None:
        self._book = payments
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
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(payload)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": payload})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                for payment in self._book.pending():
                    self._begin(payment, plan_for(payment.amount))
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
            return 200, {"payments": len(self._book)}
        if not self._signed(scope, body):
            return 401, {"error": "not signed"}
        answer = _NOT_FOUND
        match scope["method"], path:
            case method, ["v1", "records", *rest] if method in {"GET", "POST"}:
                answer = self._tell_records(scope, method, rest, body)
            case "POST", ["v1", kind] if kind in _KIND:
                answer = await self._start(_KIND[kind], body)
            case "POST", ["v1", kind, payment, status] if kind in _KIND and status in _STATUSES:
                answer = self._turn(_KIND[kind], payment, status)
            case "GET", ["v1", *rest]:
                answer = self._show(rest)
        return answer

    def _tell_records(self, scope: Message, method: str, path: list[str], body: bytes) -> Answer:
        if method == "POST":
            return self._records.distort(path, body)
        return self._records.page(parse_qs(scope.get("query_string", b"").decode("latin-1")))

    def _signed(self, scope: Message, body: bytes) -> bool:
        given = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        timestamp = given.get(signatures.TIMESTAMP.lower(), "")
        nonce = given.get(signatures.NONCE.lower(), "")
        signature = given.get(signatures.SIGNATURE.lower(), "")
        if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > signatures.TOLERANCE_SECONDS:
            return False
        return signatures.verify(keys=[self._secret], timestamp=timestamp, nonce=nonce, body=body, signature=signature)

    def _show(self, path: list[str]) -> Answer:
        if path == ["payments"]:
            return 200, {"items": [payment.callback_body() for payment in self._book.all()]}
        found = self._book.find(_KIND[path[0]], path[1]) if len(path) == 2 and path[0] in _KIND else None
        if found is None or self._records.is_omitted(found):
            return _NOT_FOUND
        return 200, found.callback_body()

    def _turn(self, kind: str, payment: str, status: str) -> Answer:
        found = self._book.find(kind, payment)
        if found is None:
            return _NOT_FOUND
        turned = self._book.set_status(found, status)
        self._run(self._tell(turned, StatusStep(status)))
        return 200, turned.callback_body()

    async def _start(self, kind: str, body: bytes) -> Answer:
        wanted = _wanted(kind, body)
        if wanted is None:
            return 400, {"error": "malformed"}
        known = self._book.find(kind, wanted.payment)
        if known is not None:
            same = (known.amount, known.currency) == (wanted.amount, wanted.currency)
            return (200, known.callback_body()) if same else (422, {"error": "known with another amount"})
        plan = plan_for(wanted.amount)
        if plan.start is StartBehaviour.REFUSE:
            return 422, {"error": "refused"}
        if plan.start is StartBehaviour.FAIL_ONCE and wanted.payment not in self._failed:
            self._failed.add(wanted.payment)
            return 503, {"error": "try later"}
        self._book.add(wanted)
        self._begin(wanted, plan)
        if plan.start is StartBehaviour.HANG_ONCE:
            await asyncio.sleep(HANG)
        return 201, wanted.callback_body()

    def _begin(self, payment: SandboxPayment, plan: PaymentPlan) -> None:
        self._run(self._follow(payment, plan))

    async def _follow(self, payment: SandboxPayment, plan: PaymentPlan) -> None:
        """Goes through the plan's steps, turning and reporting."""
        for step in plan.steps:
            await asyncio.sleep(step.after)
            if step.is_stored:
                payment = self._book.set_status(payment, step.status)
            await self._tell(payment, step)

    async def _tell(self, payment: SandboxPayment, step: StatusStep) -> None:
        for _ in range(step.times):
            await self._reporter.send(payment, step.status, step.signature)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _wanted(kind: str, body: bytes) -> SandboxPayment | None:
    """The payment that a body asks for, None where it is malformed."""
    try:
        given = json.loads(body)
        payment, amount, currency = given["payment"], given["amount"], given["currency"]
        account = given.get("account", "")
    except (ValueError, KeyError, TypeError):
        return None
    texts = all(isinstance(each, str) and 0 < len(each) <= 64 for each in (payment, amount, currency)) and isinstance(
        account, str
    )
    if not texts or _AMOUNT.fullmatch(amount) is None:
        return None
    reference = f"sbx-{secrets.token_hex(8)}"
    return SandboxPayment(kind, payment, reference, "pending", amount, currency, account=account, at=now())


async def _body(receive: Receive) -> bytes:
    found = b""
    while len(found) <= MAX_BODY_BYTES:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return found
