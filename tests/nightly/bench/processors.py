"""Processor time that processes have used, and that the machine had left, from Linux's /proc."""

import os
from collections.abc import Iterable
from pathlib import Path

from tests.nightly.bench.databases import Connection

PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _OWN = 1, slice(11, 13)
"""Fields after the command's name: the parent's id, and ticks in user and system mode."""
_IDLE = slice(3, 5)
"""Fields of the machine's line after its name: ticks without work, and those that waited for a disk."""
_ALL = slice(8)
"""The same, of all kinds; guests' ticks after them are counted in the first ones, too."""
_BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() OR datname IS NULL"


def seconds_of_trees(roots: Iterable[int]) -> float:
    """Return what these processes and all below them have used."""
    fields = {int(folder.name): _fields(folder) for folder in PROC.glob("[0-9]*")}
    tree = set(roots)
    while below := {pid for pid, each in fields.items() if each and int(each[_PARENT]) in tree} - tree:
        tree |= below
    return sum(_seconds(fields.get(pid, [])) for pid in tree)


def seconds_of_backends(connection: Connection) -> float:
    """Return what the processes of PostgreSQL have used that serve this database, or all."""
    return sum(_seconds(_fields(PROC / str(pid))) for (pid,) in connection.execute(_BACKENDS).fetchall())


def idle_share(before: list[int], after: list[int]) -> float:
    """Return the share of all processors' time, 0 to 1, in which nobody used them; 1 where there is no /proc."""
    ticks = [new - old for old, new in zip(before, after, strict=True)]
    total = sum(ticks[_ALL])
    return sum(ticks[_IDLE]) / total if total else 1.0


def machine_ticks() -> list[int]:
    """Return the ticks of the whole machine by kind, for `idle_share`; none where there is no /proc."""
    try:
        return [int(ticks) for ticks in (PROC / "stat").read_text(encoding="utf-8").splitlines()[0].split()[1:]]
    except OSError:
        return []


def _fields(folder: Path) -> list[str]:
    try:
        return (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # it has ended, or there is no /proc
        return []


def _seconds(fields: list[str]) -> float:
    return sum(map(int, fields[_OWN])) / _TICKS
