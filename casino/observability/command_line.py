"""Django's commands on the database of the environment: as its owner where they change tables, and with patience."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from types import FrameType

from django.core.management import execute_from_command_line


def main(arguments: Sequence[str], run: Callable[[list[str]], None] = execute_from_command_line) -> None:
    """Run a command; it finds its database in DATABASE_URL."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    if os.environ.get("DATABASE_URL"):
        set_environment(arguments, dict(os.environ))
    try:
        with exit_on_signals():
            run(list(arguments))
    except KeyboardInterrupt:
        sys.exit(130)


def set_environment(arguments: Sequence[str], environment: dict[str, str]) -> None:
    """Set the environment in which a command runs."""
    as_owner = arguments[1] == "migrate" or (arguments[1] == "rebuild" and "--check" not in arguments)
    os.environ.update(owner_environment(environment) if as_owner else environment)
    os.environ.setdefault("DATABASE_TIMEOUTS", "long")  # also in the container of web


def owner_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process that acts as the database's owner."""
    owner_url = environment.get("DATABASE_OWNER_URL") or environment["DATABASE_URL"]
    return {**environment, "DATABASE_URL": owner_url, "DATABASE_ROLE": "owner"}


@contextlib.contextmanager
def exit_on_signals() -> Generator[None]:
    """Convert SIGTERM and SIGHUP to SystemExit, so that every `finally` runs.

    Ignored signals stay ignored: under nohup(1) the process should outlive the terminal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _raise_exit) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise_exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
