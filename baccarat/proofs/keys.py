"""Parses the trusted public keys of a command line."""

import re
from pathlib import Path
from typing import Final

_KEY: Final = re.compile(r"\b[0-9a-f]{64}\b", re.ASCII)


class InvalidKey(ValueError):
    """The argument is not a key."""


def parse_keys(given: str) -> tuple[str, ...]:
    """Read 64 hex digits, or all the keys in a file that holds them or the answer of /api/v1/log/keys.

    Raises NoKey, and OSError for a file that can't be read.
    """
    if _KEY.fullmatch(given):
        return (given,)
    found = tuple(_KEY.findall(Path(given).read_text(encoding="utf-8")))
    if not found:
        raise InvalidKey(f"There is no key of 64 hex digits in {given}.")
    return found
