"""What logs may say of an error: where it happened, and not which values a database refused."""

import logging
import re
from types import TracebackType
from typing import Final

_ROW: Final = re.compile(r"^(DETAIL:|CONTEXT:).*$", re.MULTILINE)
"""PostgreSQL's words about a row that it refused: they hold the row."""


class RedactingFormatter(logging.Formatter):
    """Log lines without what a database's error says about a row."""

    def formatException(  # noqa: N802  (the library's name)
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """Write a traceback, with the rows of database errors left out."""
        return _ROW.sub(r"\1 left out", super().formatException(ei))
