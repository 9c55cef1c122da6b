"""Lines that say what must not change by accident: `name: value`, in files of `tests/frozen`.

A test compares each line where it has its value. With FREEZE=1 it writes the line instead: `make frozen`.
"""

import fcntl
import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "frozen"
FREEZES: Final = bool(os.environ.get("FREEZE"))


@cache
def lines(file: str) -> dict[str, str]:
    """Return the values of a file by their names, in the order of the names."""
    text = (FOLDER / file).read_text(encoding="utf-8") if (FOLDER / file).exists() else ""
    return dict(line.split(": ", 1) for line in text.splitlines())


def require(file: str, name: str, value: str) -> None:
    """Compare a value with its line."""
    if FREEZES:
        _write(file, {name: value})
    assert lines(file).get(name) == value, f"tests/frozen/{file}: {name}"


def require_no_others(file: str, names: Collection[str]) -> None:
    """Compare the names of all lines with these."""
    if FREEZES:
        _write(file, {}, among=names)
        return  # further tests write what is missing
    assert set(lines(file)) == set(names), f"tests/frozen/{file}"


def _write(file: str, new: dict[str, str], among: Collection[str] | None = None) -> None:
    """Write lines, leaving out those that are not `among` names; other processes may write others."""
    lock = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines.cache_clear()
        kept = sorted((lines(file) | new).items())
        text = "".join(f"{name}: {value}\n" for name, value in kept if among is None or name in among)
        (FOLDER / file).write_text(text, encoding="utf-8")
        lines.cache_clear()
    finally:
        os.close(lock)
