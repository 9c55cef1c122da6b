"""Callbacks for the start of a long-running process; apps register theirs in AppConfig.ready()."""

from collections.abc import Callable
from typing import Final

_callbacks: Final[list[Callable[[str], object]]] = []


def on_process_start(callback: Callable[[str], object]) -> None:
    """Call `callback` with the kind of process (web, worker or sealer) when one starts."""
    _callbacks.append(callback)


def process_started(process: str) -> None:
    for callback in _callbacks:
        callback(process)
