"""Periods of lists whose ids ascend with time."""

from datetime import datetime
from typing import Any
from uuid import UUID

from casino.events.ids import first_id, last_id
from casino.kernel.errors import Invalid


class PeriodReversed(Invalid):
    title = "The period ends before it begins"
    remedy = "Send a `to` after `from`."


def period_conditions(
    column: str, *, since: datetime | None, until: datetime | None, before: UUID | None
) -> dict[str, Any]:
    """Return conditions for Django's ORM on rows whose ids sort by a column: of a period, and before an id.

    The bounds on ids let PostgreSQL use the index by which the rows are listed. Raises PeriodReversed.
    """
    if since is not None and until is not None and since >= until:
        raise PeriodReversed
    conditions = {
        "id__gte": None if since is None else first_id(since),
        f"{column}__gte": since,
        "id__lte": None if until is None else last_id(until),
        f"{column}__lt": until,
        "id__lt": before,
    }
    return {name: value for name, value in conditions.items() if value is not None}
