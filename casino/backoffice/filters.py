"""Filters of lists. Those by time use indexes of ids, because ids ascend with time."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.admin import SimpleListFilter
from django.db import connection
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from baccarat.storage.models import Table
from casino.backoffice import scope
from casino.backoffice.forms import label
from casino.events.ids import first_id
from casino.kernel.money import MoneyType
from casino.operators.models import Player

SPANS: Final = {
    "1h": ("Last hour", timedelta(hours=1)),
    "24h": ("Last 24 hours", timedelta(days=1)),
    "7d": ("Last 7 days", timedelta(days=7)),
    "30d": ("Last 30 days", timedelta(days=30)),
}
Choices = Mapping[str, str]
ChoicesForRequest = Callable[[HttpRequest], Choices]

# Bisects the ids: some thirty look-ups by primary key, instead of an index on the time that every insert would pay for.
_FIRST_SINCE: Final = """
WITH RECURSIVE span (low, high) AS (
    SELECT 0::bigint, (SELECT coalesce(max(id), 0) + 1 FROM {table})
    UNION ALL
    SELECT CASE WHEN late THEN low ELSE middle + 1 END, CASE WHEN late THEN middle ELSE high END
    FROM (
        SELECT low, high, (low + high) / 2 AS middle,
               (SELECT recorded_at >= %s FROM {table} WHERE id >= (low + high) / 2 ORDER BY id LIMIT 1) AS late
        FROM span WHERE low < high
    ) AS halved
)
SELECT min(high) FROM span
"""


def choice_filter(
    title: str, *, choices: Choices | ChoicesForRequest, where: Callable[[str], Q], parameter: str = ""
) -> Any:
    """Make a filter of choices, value to label; `where(value)` selects the rows. Choices may depend on the request."""
    heading, name = title, parameter or title

    class ChoiceFilter(SimpleListFilter):
        title = heading
        parameter_name = name

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return list((choices(request) if callable(choices) else choices).items())

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            value = self.value()
            known = {str(key) for key, _ in self.lookup_choices}
            return queryset.filter(where(value)) if value is not None and value in known else queryset

    return ChoiceFilter


def enum_filter(
    kind: Iterable[str], column: str = "status", *, title: str = "", labels: Mapping[Any, str] | None = None
) -> Any:
    """Make a filter of a column by the members of an enum."""
    return choice_filter(
        title or column,
        parameter=title or column,
        choices={str(member): labels[member] if labels else label(member) for member in kind},
        where=lambda value: Q(**{column: value}),
    )


def case_filter(title: str, cases: Mapping[str, tuple[str, Q]]) -> Any:
    """Make a filter of named conditions, value to (label, condition)."""
    return choice_filter(
        title, choices={value: text for value, (text, _) in cases.items()}, where=lambda value: cases[value][1]
    )


def operator_filter(column: str = "operator_id") -> Any:
    """Make a filter by operator on a column of operators' ids."""
    return choice_filter("operator", choices=scope.operator_slugs, where=lambda value: Q(**{column: value}))


def brand_filter(column: str = "") -> Any:
    """Make a filter by the players' own brand, of players or of rows with a `column` of players' ids.

    `none` selects the players of the operator itself.
    """

    def where(value: str) -> Q:
        own = Q(brand_id__isnull=True) if value == "none" else Q(brand_id=value)
        return Q(**{f"{column}__in": Player.objects.filter(own).values("id")}) if column else own

    return choice_filter("brand", choices=scope.brand_slugs, where=where)


def table_brand_filter(column: str = "") -> Any:
    """Make a filter of tables, or of rows with a `column` of tables' ids, by a brand that they are for.

    `none` selects tables that are for all players.
    """

    def where(value: str) -> Q:
        offered = Q(brands="") if value == "none" else Q(brands__contains=value)
        return Q(**{f"{column}__in": Table.objects.filter(offered).values("id")}) if column else offered

    return choice_filter("brand", choices=scope.brand_slugs, where=where)


def money_type_filter() -> Any:
    """Make a filter by real or play money."""
    return enum_filter(MoneyType, "money_type", labels={MoneyType.REAL: "Real money", MoneyType.PLAY: "Play money"})


def since_by_uuid(column: str = "id") -> Any:
    """Make a filter by time on a column of version-7 ids."""
    return _since(lambda when: Q(**{f"{column}__gte": first_id(when)}))


def since_by_serial(table: str) -> Any:
    """Make a filter by time on a table whose serial `id` ascends with `recorded_at`."""
    return _since(lambda when: Q(pk__gte=first_serial(table, when)))


def _since(where: Callable[[datetime], Q]) -> Any:
    return choice_filter(
        "time",
        parameter="within",
        choices={key: label for key, (label, _) in SPANS.items()},
        where=lambda key: where(timezone.now() - SPANS[key][1]),
    )


def first_serial(table: str, when: datetime) -> int:
    """Find the first id recorded at `when` or later, one more than the last id if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_SINCE.format(table=connection.ops.quote_name(table)), [when])
        row = cursor.fetchone()
    return 0 if row is None else int(row[0])
