"""A small WSGI application in a pool of two threads and a queue of two, for test_wsgi_pool; granian serves it.

POST /echo      the path and the body
GET  /wait      answers after a second
GET  /hang      answers after ten seconds, a line of the log when it ends
GET  /held/hang the same in a pool of one thread, which refuses after HELD seconds
GET  /download  64 MiB of unknown length, a line of the log for every MiB
GET  /unchanged the answer to who has the file already
GET  /live      a stream from the event loop, a line of the log when it ends
GET  /count     how many requests reached a thread
"""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from casino.api.wsgi_pool import Receive, Scope, Send, WsgiPool

MAX_BODY = 1000
HELD = 1.0
MEGABYTE = b"x" * 1024 * 1024
counted = itertools.count(1)


class Content:
    """What a response of Django looks like from outside."""

    def __init__(self, content: Any, *, streaming: bool = False, is_async: bool = False) -> None:
        self._content = content
        self.streaming, self.is_async = streaming, is_async

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._content)

    def __aiter__(self) -> AsyncIterator[bytes]:
        iterator: AsyncIterator[bytes] = aiter(self._content)
        return iterator

    def close(self) -> None:
        """Do nothing."""


def write(line: str) -> None:
    """Write a line to the log."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def download() -> Iterator[bytes]:
    """Yield 64 MiB."""
    try:
        for number in range(64):
            write(f"megabyte {number}")
            yield MEGABYTE
    finally:
        write("download ended")


async def live() -> AsyncIterator[bytes]:
    """Yield a byte four times a second."""
    try:
        while True:
            yield b"."
            await asyncio.sleep(0.25)
    finally:
        write("stream ended")


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Content:
    """Answer one request."""
    number, path = next(counted), environ["PATH_INFO"]
    if path == "/unchanged":
        start_response("304 Not Modified", [("ETag", '"1"')])
        return Content((), streaming=True)
    start_response("200 OK", [("Content-Type", "text/plain")])
    if path == "/wait":
        time.sleep(1)
    if path.endswith("/hang"):
        time.sleep(10)
        write("hang ended")
    if path == "/download":
        return Content(download(), streaming=True)
    if path == "/live":
        return Content(live(), streaming=True, is_async=True)
    body = environ["wsgi.input"].read()
    answer = {"path": path, "length": environ.get("CONTENT_LENGTH"), "body": body.decode(), "number": number}
    answer["client"], answer["forwarded"] = environ["REMOTE_ADDR"], environ.get("HTTP_X_FORWARDED_FOR")
    return Content([json.dumps(answer).encode()])


pool = WsgiPool(wsgi, name="test", threads=2, queue=2, max_body=MAX_BODY, prefix="/casino")
held = WsgiPool(wsgi, name="held", threads=1, queue=0, max_body=MAX_BODY, prefix="/casino", refuses_after=HELD)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Choose the pool by the path."""
    await (held if "/held/" in scope["path"] else pool)(scope, receive, send)
