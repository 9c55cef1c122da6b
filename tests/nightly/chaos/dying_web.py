"""The web application, which kills itself during the next POST at the moment written in the file DIE_AT.

The moment is the number of the statement before which it dies, or `commit`, or `committed`. Run by test_web.
"""

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from psycopg import Cursor

from casino.asgi import application as real_application
from casino.database.base import DatabaseWrapper

DIE_AT = Path(os.environ["DIE_AT"])
COMMIT = DatabaseWrapper._commit
EXECUTE = Cursor.execute


class Death:
    """The moment to die at, read from the file when a POST begins, and the statements executed since."""

    moment = ""
    statements = 0


def die_at(moment: str) -> None:
    """Kill the server with all its processes if this is the moment."""
    if moment == Death.moment:
        os.killpg(0, signal.SIGKILL)


def commit(wrapper: DatabaseWrapper) -> None:
    """Commit, with a moment before and after."""
    die_at("commit")
    COMMIT(wrapper)
    die_at("committed")


def execute(cursor: Cursor[Any], *arguments: Any, **options: Any) -> Any:
    """Execute a statement, with a moment before it."""
    Death.statements += 1
    die_at(str(Death.statements))
    return EXECUTE(cursor, *arguments, **options)


setattr(DatabaseWrapper, "_commit", commit)  # noqa: B010
setattr(Cursor, "execute", execute)  # noqa: B010


async def application(
    scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    """Call the real application; a POST first reads the moment to die at, and deletes the file."""
    if scope["type"] == "http" and scope["method"] == "POST" and DIE_AT.exists():
        Death.moment, Death.statements = DIE_AT.read_text(encoding="utf-8"), 0
        DIE_AT.unlink()
    await real_application(scope, receive, send)
