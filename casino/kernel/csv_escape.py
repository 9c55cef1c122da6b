"""Escape CSV cells against formula injection."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")


def escape_cell(cell: str) -> str:
    """Put an apostrophe before text that a spreadsheet would read as a formula; plain numbers stay numbers.

    Source: OWASP, "CSV Injection".
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
