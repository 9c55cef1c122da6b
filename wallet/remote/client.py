"""Calls of operators' wallets over HTTP: signed both ways, bounded in time and size, to checked addresses.

Whatever is not a whole, signed answer is no answer: nobody knows then what the wallet did.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlencode
from uuid import UUID

import httpcore
import msgspec

from casino.api.error_catalogue import RequestRejected
from casino.feed.destinations import WebhookClient, WholeAnswer
from casino.operators.request_signatures import SignedAnswer, check_answer
from wallet.remote import signing

logger = logging.getLogger(__name__)

MAX_ANSWER: Final = 256 * 1024
_SLACK: Final = 1.0
"""Seconds that the loop may take to give a call up, beyond the call's own limit."""
Result = TypeVar("Result")


class NotAnswered(Exception):
    """There was no answer, or not a whole one, or nobody knows whose it is."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An operator's wallet."""

    operator: UUID
    url: str


async def call(
    client: WebhookClient, wallet: Endpoint, path: str, document: Mapping[str, Any], *, seconds: float
) -> WholeAnswer:
    """Post a message and return the answer, which is not verified yet. Raises NotAnswered."""
    return await _ask(client, "POST", f"{wallet.url}/v1/{path}", msgspec.json.encode(document), seconds)


async def get(
    client: WebhookClient, wallet: Endpoint, path: str, query: Mapping[str, str], *, seconds: float
) -> WholeAnswer:
    """Get something and return the answer, which is not verified yet. Raises NotAnswered."""
    return await _ask(client, "GET", f"{wallet.url}/v1/{path}?{urlencode(query)}", b"", seconds)


async def _ask(client: WebhookClient, method: str, url: str, body: bytes, seconds: float) -> WholeAnswer:
    try:
        headers = signing.signed_headers(method, url, body)
        return await client.ask(method, url, headers=headers, body=body, seconds=seconds, limit=MAX_ANSWER)
    except (TimeoutError, httpcore.TimeoutException):
        raise NotAnswered("There was no answer in time.") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        raise NotAnswered(f"There was no answer: {type(error).__name__} {error}") from None


def verified(answer: WholeAnswer, wallet: Endpoint, *, now: datetime) -> Any:
    """Return what an answer says, if it is whole and the operator signed it. Raises NotAnswered."""
    return read_whole(answer, partial(check_answer, operator=wallet.operator, now=now))


def read_whole(answer: WholeAnswer, check: Callable[[SignedAnswer, bytes], None]) -> Any:
    """Return what an answer says, if it is whole and `check` takes its signature. Raises NotAnswered."""
    if answer.status != 200:
        raise NotAnswered(f"The status is {answer.status}.")
    try:
        headers = {name.title(): value for name, value in answer.headers.items()}
        check(SignedAnswer(answer.status, headers), answer.body)
        return msgspec.json.decode(answer.body)
    except RequestRejected as error:
        raise NotAnswered(f"The signature of the answer: {error.detail}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotAnswered(f"The answer is no JSON: {error}") from None


class _Loop:
    """An event loop in a thread of its own, with one client, for callers in other threads. Starts when it is used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: tuple[asyncio.AbstractEventLoop, WebhookClient] | None = None

    def run(self, work: "Coroutine[Any, Any, Result]", *, seconds: float) -> Result:
        """Run a coroutine to its end and return its result. Raises TimeoutError."""
        loop, _ = self._start()
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result(seconds + _SLACK)
        except TimeoutError:
            future.cancel()
            raise

    @property
    def client(self) -> WebhookClient:
        return self._start()[1]

    def _start(self) -> tuple[asyncio.AbstractEventLoop, WebhookClient]:
        with self._lock:
            if self._started is None:
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name="remote-wallets", daemon=True).start()
                client = asyncio.run_coroutine_threadsafe(WebhookClient().__aenter__(), loop).result()
                self._started = loop, client
            return self._started


_loop: Final = _Loop()


def call_and_wait(wallet: Endpoint, path: str, document: Mapping[str, Any], *, seconds: float) -> WholeAnswer:
    """Post a message from a thread and wait for the answer. Raises NotAnswered."""
    try:
        return _loop.run(call(_loop.client, wallet, path, document, seconds=seconds), seconds=seconds)
    except TimeoutError:
        raise NotAnswered("There was no answer in time.") from None


def get_and_wait(wallet: Endpoint, path: str, query: Mapping[str, str], *, seconds: float) -> WholeAnswer:
    """Get something from a thread and wait for the answer. Raises NotAnswered."""
    try:
        return _loop.run(get(_loop.client, wallet, path, query, seconds=seconds), seconds=seconds)
    except TimeoutError:
        raise NotAnswered("There was no answer in time.") from None
