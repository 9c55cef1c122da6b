"""Cells of sheets: what a spreadsheet would take for a formula is made plain text."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def escape_cell(cell: str) -> str:
    """Keep a spreadsheet from reading text as a formula; plain numbers stay numbers.

    What begins like a formula gets an apostrophe before it, as OWASP's page on CSV injection advises.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
