"""What a report is: named columns, rows, and sums that never add up what does not belong together. Pure.

Money is integers in minor units of the `currency` of its row. `money_type` says which kind it is: `real`, `play`, or
`sandbox` where an operator's real money_type is a test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

Row = tuple[Any, ...]


class ColumnType(StrEnum):
    """What a column holds: text, a whole number, minor units, a share of one, a moment, or yes and no."""

    TEXT = "text"
    COUNT = "count"
    MONEY = "money"
    RATE = "rate"
    MOMENT = "moment"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for programs, its title for people, what it holds, and whether sums of it mean anything."""

    name: str
    title: str
    kind: ColumnType = ColumnType.TEXT
    sums: bool = False


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Which facts: an operator's, recorded from `since` until before `until`, sealed up to `position`."""

    operator: UUID
    sandbox: bool
    since: datetime
    until: datetime
    position: int

    def values(self) -> dict[str, Any]:
        """Name them as the statements of reports do."""
        return {
            "operator": self.operator,
            "since": self.since,
            "until": self.until,
            "position": self.position,
        }

    def money_type_label(self, money_type: str) -> str:
        """Name the kind of money of this operator's."""
        return "sandbox" if self.sandbox and money_type == "real" else money_type


@dataclass(frozen=True, slots=True)
class ReportData:
    """What was read: rows in the order of the columns, and the same in numbers for plots and watches.

    `figures` are sums per kind of money and currency, in minor units; without them the sums of the columns serve.
    """

    rows: Sequence[Row]
    figures: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """A report that can be asked for. `point_in_time` tells one about how things stood from one about what happened;
    one that is `repeatable` follows from what is sealed alone, and says the same whenever it is read as of a position.
    """

    name: str
    title: str
    description: str
    columns: tuple[Column, ...]
    read: Callable[[ReportScope], ReportData]
    as_of_end: bool = False
    repeatable: bool = True
    watch: Callable[[ReportScope, ReportData], None] | None = None

    def column_index(self, name: str) -> int:
        """Return where a column stands."""
        return next(place for place, column in enumerate(self.columns) if column.name == name)


MONEY_TYPE: Final = Column("money_type", "Money")
CURRENCY: Final = Column("currency", "Currency")


def count(name: str, title: str, *, sums: bool = True) -> Column:
    return Column(name, title, ColumnType.COUNT, sums)


def amount(name: str, title: str, *, sums: bool = True) -> Column:
    """Make a column of minor units."""
    return Column(name, title, ColumnType.MONEY, sums)


def rate(name: str, title: str) -> Column:
    return Column(name, title, ColumnType.RATE)


def moment(name: str, title: str) -> Column:
    return Column(name, title, ColumnType.MOMENT)


def flag(name: str, title: str) -> Column:
    """Make a column of yes and no."""
    return Column(name, title, ColumnType.FLAG)


def sums(columns: Sequence[Column], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Add up the columns that can be, for each kind of money and currency by itself.

    Return `money_type`, `currency` and the sum of each column; nothing if no column can be summed.
    """
    summed = [(place, column.name) for place, column in enumerate(columns) if column.sums]
    names = [column.name for column in columns]
    if not summed or MONEY_TYPE.name not in names:
        return []
    by, of = names.index(MONEY_TYPE.name), names.index(CURRENCY.name)
    totals: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        empty = {MONEY_TYPE.name: row[by], CURRENCY.name: row[of], **{name: 0 for _, name in summed}}
        total = totals.setdefault((row[by], row[of]), empty)
        for place, name in summed:
            total[name] += row[place] or 0
    return [totals[key] for key in sorted(totals)]
