"""Threads that start together, each with connections of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")


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
