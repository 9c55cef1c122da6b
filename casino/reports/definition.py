"""Define reports: named columns, rows and totals. Apps register their reports in AppConfig.ready().

Money is integers in minor units of the `currency` of its row. `money_type` is `real`, `play`, or `sandbox` for the real
money of a test operator; amounts of different money types or currencies are never added up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from casino.api.sheets import ColumnType
from casino.events.sql import fetch
from casino.reports.refusals import UnknownOperatorReport

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in files, its title for people, its type, and whether it has a total."""

    name: str
    title: str
    kind: ColumnType = ColumnType.TEXT
    summed: bool = False


@dataclass(frozen=True, slots=True)
class ReportScope:
    """The facts that a report covers: an operator's, recorded from `since` until before `until`, up to `position`."""

    operator: UUID
    sandbox: bool
    since: datetime
    until: datetime
    position: int

    def values(self) -> dict[str, Any]:
        """Return the parameters of the reports' SQL statements."""
        return {
            "operator": self.operator,
            "since": self.since,
            "until": self.until,
            "position": self.position,
        }

    def money_type_label(self, money_type: str) -> str:
        """Return the money type as reports show it: a test operator's real money is `sandbox`."""
        return "sandbox" if self.sandbox and money_type == "real" else money_type


@dataclass(frozen=True, slots=True)
class ReportData:
    """The rows of a report, and its figures for plots and watches.

    `figures` are totals by money type and currency, in minor units; None stands for the totals of the columns.
    """

    rows: Sequence[Row]
    figures: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """A report that can be generated.

    `as_of_end`: it shows the state at the end of the interval rather than what happened within it. `repeatable`: it
    depends on sealed events alone, so reading it again at the same position gives the same rows. `watch` is called
    once for each new version, in the transaction that stores it. `key_columns` are those that pages show first, after
    money type and currency; files have `columns` in their own order, which stored versions are compared by.
    """

    name: str
    title: str
    description: str
    columns: tuple[Column, ...]
    read: Callable[[ReportScope], ReportData]
    as_of_end: bool = False
    repeatable: bool = True
    watch: Callable[[ReportScope, ReportData], None] | None = None
    key_columns: tuple[str, ...] = ()

    def column_index(self, name: str) -> int:
        return next(index for index, column in enumerate(self.columns) if column.name == name)


def rows_of(statement: str) -> Callable[[ReportScope], ReportData]:
    """Return the reading of a report whose rows are a statement's, whose first column is the kind of money."""

    def read(scope: ReportScope) -> ReportData:
        rows = fetch(statement, scope.values())
        return ReportData([(scope.money_type_label(money_type), *rest) for money_type, *rest in rows])

    return read


MONEY_TYPE: Final = Column("money_type", "Money")
CURRENCY: Final = Column("currency", "Currency")


def integer(name: str, title: str, *, summed: bool = True) -> Column:
    return Column(name, title, ColumnType.INTEGER, summed)


def amount(name: str, title: str, *, summed: bool = True) -> Column:
    """Return a column of minor units."""
    return Column(name, title, ColumnType.MONEY, summed)


def rate(name: str, title: str) -> Column:
    return Column(name, title, ColumnType.RATE)


def timestamp(name: str, title: str) -> Column:
    return Column(name, title, ColumnType.TIMESTAMP)


def boolean(name: str, title: str) -> Column:
    return Column(name, title, ColumnType.BOOLEAN)


def column_totals(columns: Sequence[Column], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return one total by money type and currency: `money_type`, `currency` and the sum of each summed column.

    The list is empty if no column is summed.
    """
    summable = [(index, column.name) for index, column in enumerate(columns) if column.summed]
    names = [column.name for column in columns]
    if not summable or MONEY_TYPE.name not in names:
        return []
    money_type_index, currency_index = names.index(MONEY_TYPE.name), names.index(CURRENCY.name)
    totals: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        money_type, currency = row[money_type_index], row[currency_index]
        zeros = {MONEY_TYPE.name: money_type, CURRENCY.name: currency, **{name: 0 for _, name in summable}}
        total = totals.setdefault((money_type, currency), zeros)
        for index, name in summable:
            total[name] += row[index] or 0
    return [totals[key] for key in sorted(totals)]


_definitions: Final[dict[str, ReportDefinition]] = {}
report_names: Final[list[str]] = []
"""The names of all registered reports. Shapes name this list, so that it is filled in place."""


def register_reports(*definitions: ReportDefinition) -> None:
    _definitions.update((definition.name, definition) for definition in definitions)
    report_names[:] = sorted(_definitions)


def report_definitions() -> Mapping[str, ReportDefinition]:
    """Return all registered reports by name."""
    return MappingProxyType(_definitions)


def find_definition(name: str) -> ReportDefinition:
    """Return a report by name. Raises UnknownOperatorReport."""
    definition = _definitions.get(name)
    if definition is None:
        raise UnknownOperatorReport(f"{name[:40]!r} is none of {', '.join(_definitions)}.")
    return definition
