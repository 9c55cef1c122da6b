"""Threads that start together, each with connections of its own, and servers in a thread."""

import contextlib
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from socketserver import BaseServer
from typing import TypeVar

from django.db import connections

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
