"""The web application, which kills itself once: at the MOMENT that the file DIE_AT names, in the next POST.

MOMENT is the number of the statement before which it dies, or `commit`, or `committed`. Run by test_web.
"""

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from casino.asgi import application as sound

ORDER = Path(os.environ["DIE_AT"])
COMMIT = BaseDatabaseWrapper._commit  # type: ignore[attr-defined]
EXECUTE = CursorWrapper.execute


class Death:
    """What is to come, read from the file when a POST begins."""

    moment = ""
    statements = 0


def reaches(moment: str) -> None:
    """End the process as kill -9 does, if this is the moment."""
    if moment == Death.moment:
        os.kill(os.getpid(), signal.SIGKILL)


def commit(wrapper: BaseDatabaseWrapper) -> None:
    """The commit, with a moment on either side."""
    reaches("commit")
    COMMIT(wrapper)
    reaches("committed")


def execute(cursor: CursorWrapper, sql: Any, params: Any = None) -> Any:
    """A statement, with a moment before it."""
    Death.statements += 1
    reaches(str(Death.statements))
    return EXECUTE(cursor, sql, params)


setattr(BaseDatabaseWrapper, "_commit", commit)  # noqa: B010  (not part of its stubs)
setattr(CursorWrapper, "execute", execute)  # noqa: B010


async def application(
    scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    """The sound application; a POST first looks whether it is to die, and leaves no such word for the next."""
    if scope["type"] == "http" and scope["method"] == "POST" and ORDER.exists():
        Death.moment, Death.statements = ORDER.read_text(encoding="utf-8"), 0
        ORDER.unlink()
    await sound(scope, receive, send)
