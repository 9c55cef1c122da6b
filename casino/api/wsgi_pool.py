"""Serve the WSGI application from an ASGI server: every request in one thread of a bounded pool, live streams in none.

Django's own ASGI handler moves a synchronous request between the event loop and a thread for every middleware; here a
request moves once. Its body is read on the event loop, up to a limit, before it takes a place in the queue. A response
whose content is an asynchronous iterator, such as a live stream, is sent by the event loop after its thread is free.
"""

import asyncio
import contextlib
import io
import logging
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import msgspec
from django.core.handlers.wsgi import WSGIRequest

from casino.api.error_catalogue import BAD_REQUEST, BODY_TOO_LARGE, OVERLOADED, REQUEST_TIMEOUT, ProblemType
from casino.api.errors import MEDIA_TYPE, Problem
from casino.observability import figures
from casino.observability.logging import HEADER, request_id

BODY_TIMEOUT: Final = 10.0
"""Seconds in which the whole body of a request has to arrive."""
CHUNK_TIMEOUT: Final = 15.0
"""Seconds in which a client has to read one chunk of a download."""
MAX_WAIT: Final = 0.9
"""Seconds in the queue after which a request is refused, so that who has to try again knows it within one."""
SERVER: Final = (b"server", b"casino")
"""In each response, instead of the name of the software that serves it."""
MAX_BUFFERED: Final = 4 * 1024 * 1024
"""Bytes up to which a response of known length leaves its thread at once, however slowly its client reads."""
_WITHOUT_CONTENT: Final = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_log: Final = logging.getLogger(__name__)

Message = Mapping[str, Any]
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Any]
LogRefusal = Callable[[WSGIRequest, int, float], None]
"""Receives a request that the pool refused, the status, and the seconds that it took."""


class RequestRefused(Exception):
    """The request is answered without the application."""

    def __init__(self, problem: ProblemType) -> None:
        super().__init__(problem.title)
        self.problem = problem


class WsgiPool:
    """An ASGI application that runs a WSGI one in `threads` threads, with at most `queue` requests waiting."""

    def __init__(
        self,
        application: WsgiApplication,
        *,
        name: str,
        threads: int,
        queue: int,
        max_body: int,
        max_wait: float = MAX_WAIT,
        refuses_after: float = 0.0,
        prefix: str = "",
        log_refusal: LogRefusal | None = None,
    ) -> None:
        """Start no thread yet.

        Without a free place a request is refused `refuses_after` seconds after it came: refusals that are repeated at
        once would load the machine by themselves.
        """
        self._application = application
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._downloads = threading.Semaphore(max(1, threads // 2))
        self._capacity = threads + queue
        self._accepted = 0
        self._max_body = max_body
        self._max_wait = max_wait
        self._refuses_after = refuses_after
        self._log_refusal = log_refusal
        self._prefix = prefix
        self._streams = 0
        figures.gauge(figures.OPEN_STREAMS, name, lambda: self._streams)
        figures.gauge(figures.POOL_REQUESTS, name, lambda: self._accepted)
        figures.gauge(figures.POOL_THREADS, name, lambda: threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        began = time.perf_counter()
        try:
            body = await self._body(scope, receive)
            response = await self._respond(wsgi_environ(scope, body, self._prefix), send)
        except RequestRefused as refusal:
            if refusal.problem is OVERLOADED:
                await asyncio.sleep(self._refuses_after - (time.perf_counter() - began))
            await self._refuse(scope, send, refusal.problem, began)
        else:
            self._streams += response.is_stream
            try:
                await response.finish(receive, send)
            finally:
                self._streams -= response.is_stream

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Read the body. Raises RequestRefused if it is too large, too slow or incomplete, or if the queue is full."""
        if self._accepted >= self._capacity:
            raise RequestRefused(OVERLOADED)
        length = _content_length(scope)
        if length > self._max_body:
            raise RequestRefused(BODY_TOO_LARGE)
        body: bytes = b""
        try:
            async with _timeout_in_two_steps(BODY_TIMEOUT):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > self._max_body:
                        raise RequestRefused(BODY_TOO_LARGE)
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise RequestRefused(REQUEST_TIMEOUT) from None
        if len(body) < length:  # the client has gone
            raise RequestRefused(BAD_REQUEST)
        return body

    async def _respond(self, environ: dict[str, Any], send: Send) -> "_Response":
        if self._accepted >= self._capacity:
            raise RequestRefused(OVERLOADED)
        loop = asyncio.get_running_loop()
        response, sender, claim = _Response(), _sender(send, loop), threading.Lock()

        def run() -> None:
            if claim.acquire(blocking=False):
                response.run(self._application, environ, downloads=self._downloads, send=sender)

        done = loop.run_in_executor(self._executor, run)
        self._accepted += 1
        done.add_done_callback(self._leave)
        try:
            for _ in range(2):  # in two steps, for a process that wakes up after a long pause
                await asyncio.wait((done,), timeout=self._max_wait / 2)
            if claim.acquire(blocking=False):  # no thread has claimed it, and now none can
                raise RequestRefused(OVERLOADED)
            await done
        finally:
            del done  # its exception refers to this frame: a cycle would keep the response open
        return response

    def _leave(self, _done: object) -> None:
        """Count a request no more. One that was refused counts until a thread has dropped it from the queue."""
        self._accepted -= 1

    async def _refuse(self, scope: Scope, send: Send, problem: ProblemType, began: float) -> None:
        request = WSGIRequest(wsgi_environ(scope, b"", self._prefix))
        document = Problem.of(problem, request=request)
        headers = [
            SERVER,
            (b"content-type", MEDIA_TYPE.encode()),
            (b"cache-control", b"no-store"),
            (HEADER.lower().encode(), request_id(request).encode()),
            (b"connection", b"close"),  # the rest of the body is not read
        ]
        if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await send({"type": "http.response.body", "body": msgspec.json.encode(document)})
        if self._log_refusal is not None:
            self._log_refusal(request, problem.status, time.perf_counter() - began)


class _Response:
    """A response of the application: one piece of content, a download that its thread sends, or a live stream."""

    def __init__(self) -> None:
        self._start: dict[str, Any] = {}
        self._content: bytes | None = b""
        self._stream: Any = None

    @property
    def is_stream(self) -> bool:
        return self._stream is not None

    def run(
        self,
        application: WsgiApplication,
        environ: dict[str, Any],
        *,
        downloads: threading.Semaphore,
        send: Callable[[Message], None],
    ) -> None:
        """Call the application, in a thread of the pool. Raises RequestRefused."""
        response = application(environ, self._start_response)
        if getattr(response, "is_async", False):
            self._content, self._stream = None, response
            return
        try:
            if not getattr(response, "streaming", False) or self._is_short():
                self._content = b"".join(response)
                return
            self._content = None
            if not downloads.acquire(blocking=False):
                raise RequestRefused(OVERLOADED)
            try:
                self._download(iter(response), send)
            finally:
                downloads.release()
        finally:
            response.close()

    async def finish(self, receive: Receive, send: Send) -> None:
        """Send what is not sent yet."""
        if self._content is not None:
            headers = self._start["headers"]
            if self._start["status"] not in _WITHOUT_CONTENT and not any(
                name == b"content-length" for name, _ in headers
            ):
                headers.append((b"content-length", b"%d" % len(self._content)))
            await send(self._start)
            await send({"type": "http.response.body", "body": self._content})
        elif self._stream is not None:
            try:
                await send(self._start)
                await _stream_until_disconnect(aiter(self._stream), receive, send)
            finally:
                self._stream.close()

    def _start_response(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self._start = {"type": "http.response.start", "status": int(status[:3]), "headers": [SERVER, *encoded]}

    def _is_short(self) -> bool:
        if self._start["status"] in _WITHOUT_CONTENT:  # also of a file, which has not changed
            return True
        length = next((value for name, value in self._start["headers"] if name == b"content-length"), b"")
        return length.isdigit() and int(length) <= MAX_BUFFERED

    def _download(self, chunks: Iterator[bytes], send: Callable[[Message], None]) -> None:
        send(self._start)
        for chunk in chunks:
            send({"type": "http.response.body", "body": chunk, "more_body": True})
        send({"type": "http.response.body", "body": b""})


def _sender(send: Send, loop: asyncio.AbstractEventLoop) -> Callable[[Message], None]:
    """Return a function that sends from a thread, and waits until the client has room. Raises TimeoutError."""

    async def send_in_time(message: Message) -> None:
        async with asyncio.timeout(CHUNK_TIMEOUT):
            await send(message)

    def send_and_wait(message: Message) -> None:
        asyncio.run_coroutine_threadsafe(send_in_time(message), loop).result()

    return send_and_wait


async def _stream_until_disconnect(content: AsyncGenerator[bytes], receive: Receive, send: Send) -> None:
    """Send an asynchronous generator to its end, or until the client disconnects, and close it."""

    async def send_all() -> None:
        async with contextlib.aclosing(content) as chunks:
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    sending = asyncio.create_task(send_all())
    disconnect = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((sending, disconnect), return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnect.cancel()
        sending.cancel()
        (outcome,) = await asyncio.gather(sending, return_exceptions=True)
        if isinstance(outcome, Exception):
            _log.error("A stream failed.", exc_info=outcome)


@contextlib.asynccontextmanager
async def _timeout_in_two_steps(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError in the block after `seconds`, not at once in a process that wakes up after a long pause."""
    loop, half = asyncio.get_running_loop(), seconds / 2
    async with asyncio.timeout(None) as limit:
        first = loop.call_later(half, lambda: limit.reschedule(loop.time() + half))
        try:
            yield
        finally:
            first.cancel()


def _content_length(scope: Scope) -> int:
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not length.isdigit():
        raise RequestRefused(BAD_REQUEST)
    return int(length)


def wsgi_environ(scope: Scope, body: bytes, prefix: str = "") -> dict[str, Any]:
    """Translate an ASGI scope into a WSGI environment (PEP 3333); `prefix` is cut off the path if it is there."""
    host, port = scope.get("server") or ("127.0.0.1", 80)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": path_without(prefix, scope),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if "_" in name:  # X_Forwarded_For would count as X-Forwarded-For
            continue
        name = name.upper().replace("-", "_")
        key = name if name in {"CONTENT_LENGTH", "CONTENT_TYPE"} else f"HTTP_{name}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    if "HTTP_TRANSFER_ENCODING" in environ:
        del environ["HTTP_TRANSFER_ENCODING"]
        environ["CONTENT_LENGTH"] = str(len(body))
    return environ


def path_without(prefix: str, scope: Scope) -> str:
    """Return the decoded path as WSGI has it, in Latin-1, without the prefix under which a proxy publishes us."""
    path = unquote_to_bytes(scope["raw_path"]).decode("latin-1")
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path
