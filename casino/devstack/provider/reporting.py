"""How the sandbox provider reports: callbacks signed well, wrongly or not, tried again when nobody takes them."""

import asyncio
import json
import logging
import secrets
import time
from typing import Final

import httpx

from casino.devstack.provider.behaviour import SignatureBehaviour
from casino.devstack.provider.book import SandboxPayment
from casino.observability import http
from wallet.payments import signatures

logger = logging.getLogger(__name__)

TRIES: Final = 3
PAUSE: Final = 0.5
TIMEOUT: Final = 5.0


class CallbackSender:
    """Sends reports to one address under one secret."""

    def __init__(self, *, url: str, secret: str) -> None:
        self._url = url
        self._secret = secret
        self._client = httpx.AsyncClient(timeout=TIMEOUT, verify=http.ssl_context())

    async def send(self, payment: SandboxPayment, status: str, signed: SignatureBehaviour) -> None:
        """Report a status, up to three times while it can't be delivered; a definite no is not repeated."""
        body = json.dumps({**payment.callback_body(), "status": status}).encode()
        for _ in range(TRIES):
            try:
                answer = await self._client.post(self._url, content=body, headers=self._headers(body, signed))
            except httpx.HTTPError as trouble:
                logger.info("No report of %s could be delivered: %s", payment.payment, trouble)
            else:
                if answer.status_code < 500:
                    return
            await asyncio.sleep(PAUSE)

    async def close(self) -> None:
        await self._client.aclose()

    def _headers(self, body: bytes, signed: SignatureBehaviour) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if signed is SignatureBehaviour.MISSING:
            return headers
        secret = self._secret if signed is SignatureBehaviour.VALID else secrets.token_hex(16)
        made = signatures.headers(
            secret=secret, timestamp=str(int(time.time())), nonce=secrets.token_hex(16), body=body
        )
        return {**headers, **made}
