"""HTTP to witnesses: connections that are kept, limits of time and size that hold, and who is away.

One thread of each process runs an event loop, so that no witness, however it answers, holds up its caller for longer
than the limits, nor the other witnesses at all.
"""

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

import httpcore

from casino.observability.process import ssl_context
from casino.witness.addresses import WitnessAddress

CONNECT_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 2.0
PING_SECONDS: Final = 2.0
MAX_ANSWER: Final = 2 * 1024 * 1024
MAX_CONNECTIONS: Final = 32
KEEP_SECONDS: Final = 30.0


class WitnessAway(Exception):
    """No answer within the limits; whether the witness acted is unknown. Send the same again."""


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """An answer: its status, its body, and the members of a JSON object in it, if that is what it is."""

    status: int
    body: bytes
    members: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Health:
    away_since: float | None = None
    last_attempt: float = 0.0


class Transport:
    """Sends requests from any thread. Starts its own thread when it is first used in a process, also after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._thread = threading.current_thread()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool: httpcore.AsyncConnectionPool | None = None
        self._health: dict[str, _Health] = {}
        self._watched: set[str] = set()

    def send(self, address: WitnessAddress, method: str, path: str, body: bytes | None) -> Future[WitnessAnswer]:
        """Send a request; its result raises WitnessAway."""
        return self._submit(self._exchange(address, method, path, body))

    def away_since(self, address: WitnessAddress, *, waits: bool = False) -> float | None:
        """Return since when a witness has not answered; from the first call on, ask it every other second.

        One that was never asked has not been away yet, unless this call `waits` for its first answer.
        """
        self._running_loop()
        if waits and address.url not in self._health:
            with contextlib.suppress(WitnessAway):  # which is recorded
                self.send(address, "GET", "/", None).result()
        if address.url not in self._watched:
            self._watched.add(address.url)
            self._submit(self._watch(address))
        return self._health.get(address.url, _Health()).away_since

    def close(self) -> None:
        """End the thread."""
        if self._loop is not None and self._pid == os.getpid():
            self._submit(self._close_pool()).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop = None

    def _submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._running_loop())

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                self._pool = httpcore.AsyncConnectionPool(
                    ssl_context=ssl_context(), max_connections=MAX_CONNECTIONS, keepalive_expiry=KEEP_SECONDS
                )
                self._watched.clear()
                self._thread = threading.Thread(target=_run, args=[self._loop], name="witness-client", daemon=True)
                self._thread.start()
            return self._loop

    async def _exchange(self, address: WitnessAddress, method: str, path: str, body: bytes | None) -> WitnessAnswer:
        health = self._health.setdefault(address.url, _Health())
        health.last_attempt = time.time()
        try:
            async with asyncio.timeout(CONNECT_SECONDS + ANSWER_SECONDS):
                answer = await self._request(address.url + path, method, body)
        except (TimeoutError, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            health.away_since = health.away_since or time.time()
            raise WitnessAway(f"{address.name} did not answer: {type(error).__name__} {error}".strip()) from error
        if answer.status < 500:
            health.away_since = None
        else:
            health.away_since = health.away_since or time.time()
        return answer

    async def _request(self, url: str, method: str, body: bytes | None) -> WitnessAnswer:
        """Send, once more if a kept connection was closed meanwhile."""
        try:
            return await self._request_once(url, method, body)
        except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError):
            return await self._request_once(url, method, body)

    async def _request_once(self, url: str, method: str, body: bytes | None) -> WitnessAnswer:
        assert self._pool is not None  # noqa: S101  (made with the loop that runs this)
        limits = {"connect": CONNECT_SECONDS, "read": ANSWER_SECONDS, "write": ANSWER_SECONDS, "pool": ANSWER_SECONDS}
        async with self._pool.stream(method, url, content=body, extensions={"timeout": limits}) as response:
            content = bytearray()
            async for chunk in response.aiter_stream():
                content += chunk
                if len(content) > MAX_ANSWER:
                    raise httpcore.RemoteProtocolError("The answer is too large.")
        return WitnessAnswer(response.status, bytes(content), _object(bytes(content)))

    async def _watch(self, address: WitnessAddress) -> None:
        while True:
            health = self._health.setdefault(address.url, _Health())
            if time.time() - health.last_attempt >= PING_SECONDS:
                with contextlib.suppress(WitnessAway):  # which is recorded
                    await self._exchange(address, "GET", "/", None)
            await asyncio.sleep(PING_SECONDS / 2)

    async def _close_pool(self) -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        if self._pool is not None:
            await self._pool.aclose()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
