"""Changes that several persons agree on: one that waits, and a day that passes."""

from datetime import timedelta
from uuid import UUID

import pytest

from casino.events.ids import new_id
from casino.operators import change, changes
from casino.operators.models import Change


def waiting_change(kind: str, *, operator: UUID | None, subject: str = "x", summary: str = "", by: str) -> Change:
    """Record a request of a kind that nothing is to be applied of."""
    now = changes.database_now()
    event = change.request(
        new_id(now),
        operator=operator,
        kind=kind,
        subject=subject,
        summary=summary,
        details={},
        persons=2,
        by=by,
        at=now,
    )
    return changes._write(None, event, by=by)


def pass_hours(monkeypatch: pytest.MonkeyPatch, hours: int = 24) -> None:
    """Let changes take place so much later from now on."""
    now = changes.database_now
    monkeypatch.setattr(changes, "database_now", lambda: now() + timedelta(hours=hours))
