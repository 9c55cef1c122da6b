"""Threads with connections of their own: several that start together, and those of streams; servers in a thread."""

import contextlib
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from socketserver import BaseServer
from typing import TypeVar

import pytest
from django.db import connections

from casino.api.streaming import hub

Result = TypeVar("Result")
Server = TypeVar("Server", bound=BaseServer)


def in_threads(count: int, function: Callable[[int], Result]) -> list[Result | Exception]:
    """Run function(0) … function(count - 1) at the same time; what one raises takes its result's place."""
    together = threading.Barrier(count)

    def run(number: int) -> Result | Exception:
        try:
            together.wait()
            return function(number)
        except Exception as error:  # noqa: BLE001  (it is the result)
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@contextlib.contextmanager
def serving(server: Server) -> Generator[Server]:
    """Serve until the block ends; half a second, the default interval, would be most of what a test waits for."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def stream_threads() -> Generator[None]:
    """Let streams and senders query in new threads, because the process's keep connections to an earlier database."""
    gate = threading.Barrier(4)

    def close() -> None:
        gate.wait(60)
        connections.close_all()

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(gate.parties) as threads:
        patch.setattr(hub, "DATABASE_THREADS", threads)
        try:
            yield
        finally:
            for each in [threads.submit(close) for _ in range(gate.parties)]:
                each.result(90)
