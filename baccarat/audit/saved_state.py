"""The state of all tables after an audit, as bytes to sign and to keep, so that a later audit continues from there.

The bytes are a pickle: whoever writes them can run code, so they are only read after their signature was verified.
"""

import io
import pickle
import typing
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.storage.projections import SITTINGS
from baccarat.storage.rules_versions import VERSIONS
from casino.events.projections import Row

_PACKAGES: Final = ("baccarat.", "casino.", "wallet.")
_BUILTINS: Final = frozenset({("uuid", "UUID"), ("datetime", "datetime"), ("datetime", "timedelta")} | {
    ("datetime", "timezone"), ("datetime", "date"), ("builtins", "frozenset"), ("builtins", "set"),
    ("builtins", "getattr"), ("collections", "deque"), ("copyreg", "_reconstructor"), ("copyreg", "__newobj__"),
    ("builtins", "object"), ("fractions", "Fraction"), ("decimal", "Decimal"),
})  # fmt: skip


@dataclass(slots=True)
class PlayState:
    """Tables and their rounds after some events, and what players owe after voids: {(operator, player, currency)}."""

    tables: dict[str, TableTrace]
    running: dict[str, RoundTrace]
    disputed: dict[str, RoundTrace]
    owed: dict[tuple[UUID, UUID, str], int]

    def summary(self) -> dict[str, object]:
        """Return what two replays of the same events must agree on, by the stream that it is of.

        Rounds that have ended are left out: which of them are disputed is known only later.
        """
        tables: dict[str, object] = {stream: _table_summary(table) for stream, table in self.tables.items()}
        return tables | {stream: round_.state() for stream, round_ in self.running.items()}


def _table_summary(table: TableTrace) -> object:
    seats = [(seat.seat, seat.player, seat.balance) for seat in table.list_seats()]
    return table.version, table.state(), seats, table.sittings, table.links_given, table.versions


_ROWS: Final = {table.table: table.row for table in (SITTINGS, VERSIONS)}
_TABLES: Final = {row: table for table, row in _ROWS.items()}


def restore_row(table: str, values: tuple[Any, ...]) -> Row:
    """Return a row of a read model, whose type has no name of its own."""
    return _ROWS[table](*values)


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        table = _TABLES.get(type(obj))
        return NotImplemented if table is None else (restore_row, (table, tuple(obj)))

    def persistent_id(self, obj: Any) -> str | None:
        return "collector" if isinstance(obj, FindingCollector) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, collector: FindingCollector) -> None:
        super().__init__(io.BytesIO(data))
        self._collector = collector

    def persistent_load(self, pid: Any) -> FindingCollector:
        del pid
        return self._collector

    def find_class(self, module_name: str, global_name: str) -> Any:
        if (module_name, global_name) in _BUILTINS or module_name.startswith(_PACKAGES):
            return super().find_class(module_name, global_name)
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a state")


def dump(state: PlayState) -> bytes:
    """Return a state as bytes."""
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(state)
    return zlib.compress(file.getvalue())


def load(data: bytes, collector: FindingCollector) -> PlayState:
    """Return the state of verified bytes of this `state_format()`, whose traces record findings in `collector`."""
    state: PlayState = _Unpickler(zlib.decompress(data), collector).load()
    return state


@cache
def state_format() -> str:
    """Return a digest of the fields of all classes that a state consists of: other code can't read it."""
    shapes = sorted(_shapes(PlayState, {}).values())
    return sha256("\n".join(shapes).encode()).hexdigest()[:32]


def _shapes(kind: Any, seen: dict[str, str]) -> dict[str, str]:
    """Add the shape of a type, and of those that its fields name, to `seen`."""
    name = f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', kind)}"
    if isinstance(kind, type) and name.startswith(_PACKAGES) and name not in seen:
        if is_dataclass(kind):
            seen[name] = f"{name} {', '.join(f'{each.name}: {each.type}' for each in fields(kind))}"
            for hint in typing.get_type_hints(kind).values():
                _shapes(hint, seen)
        elif issubclass(kind, Enum):
            seen[name] = f"{name} {', '.join(each.name for each in kind)}"
        else:
            seen[name] = f"{name} {', '.join(_fields(kind))}"
    for argument in typing.get_args(kind):
        _shapes(argument, seen)
    return seen


def _fields(kind: type) -> Iterator[str]:
    yield from getattr(kind, "__struct_fields__", None) or getattr(kind, "_fields", None) or ()
