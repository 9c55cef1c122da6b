"""A dealer that kills itself: for each MOMENT on a line of input it forks, deals once, and prints how that ended.

MOMENT is the number of the statement before which it dies, or `commit`, or `committed`, or `dealt`: all is done but
nobody has been told. Run by test_moments.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402

from baccarat.operations import dealing  # noqa: E402


def die() -> None:
    """This will end the process as kill -9 does."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying_commit(moment: str, commit: Callable[[], None]) -> Callable[[], None]:
    """This will wrap the commit so that the process dies just before or just after it."""

    def dying() -> None:
        if moment == "commit":
            die()
        commit()
        if moment == "committed":
            die()

    return dying


def counting(moment: str) -> Callable[..., Any]:
    """This will wrap the statements so that the process dies before the one of this number."""
    seen = 0

    def wrapper(execute: Callable[..., Any], *statement: Any) -> Any:
        nonlocal seen
        seen += 1
        if str(seen) == moment:
            die()
        return execute(*statement)

    return wrapper


def deal(moment: str) -> None:
    """This will deal one batch, if it lives so long."""
    connection.ensure_connection()
    connection._commit = dying_commit(moment, connection._commit)  # type: ignore[attr-defined]
    with connection.execute_wrapper(counting(moment)):
        dealing.deal_due()
    if moment == "dealt":
        die()
    os._exit(0)


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if not child:
            deal(line.strip())
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
