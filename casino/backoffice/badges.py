"""Numbers in the side bar: how much of what one works on waits for a person. All are counted by one statement."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.module_loading import import_string

from casino.backoffice import scope

Within = Callable[[QuerySet[Any], HttpRequest], QuerySet[Any]]
MOST: Final = 100
"""Counted up to; from there on it says "100+"."""


class Waiting:
    """What waits of one kind, for those with a permission: `rows` that are of an operator each, made when asked for,
    and `within` leaves out those that are not for who asks.

    Called with a request it says its number, and nothing for none.
    """

    def __init__(self, permission: str, rows: Callable[[], QuerySet[Any]], within: Within = scope.within) -> None:
        self.permission = permission
        self._rows = rows
        self._within = within

    def __call__(self, request: HttpRequest) -> str:
        """Say how much waits for this person."""
        count = _counts(request).get(self, 0)
        return f"{MOST}+" if count >= MOST else str(count or "")

    def statement(self, request: HttpRequest) -> tuple[str, tuple[Any, ...]] | None:
        """Return what selects the rows that this person may see, with its values; None where nothing is."""
        if not request.user.has_perm(self.permission):
            return None
        try:
            return self._within(self._rows(), request).order_by().values("pk")[:MOST].query.sql_with_params()
        except EmptyResultSet:  # of one who works for no operator
            return None


def _counts(request: HttpRequest) -> Mapping[Waiting, int]:
    """How much waits of every kind; asked once per request."""
    if not hasattr(request, "casino_waiting"):
        request.casino_waiting = _counted(request, _kinds())  # type: ignore[attr-defined]
    found: Mapping[Waiting, int] = request.casino_waiting  # type: ignore[attr-defined]
    return found


def _counted(request: HttpRequest, kinds: Iterable[Waiting]) -> dict[Waiting, int]:
    asked = [(kind, told) for kind in kinds if (told := kind.statement(request)) is not None]
    if not asked:
        return {}
    counts = ", ".join(f"(SELECT count(*) FROM ({statement}) AS kept)" for _, (statement, _) in asked)  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}", [value for _, (_, values) in asked for value in values])
        row: tuple[int, ...] = cursor.fetchone()
    return dict(zip((kind for kind, _ in asked), row, strict=True))


@cache
def _kinds() -> tuple[Waiting, ...]:
    """Every kind that a line of the side bar names."""
    bar: Any = settings.UNFOLD["SIDEBAR"]
    lines = [line for group in bar["navigation"] for line in group["items"]]
    return tuple(import_string(line["badge"]) for line in lines if "badge" in line)
