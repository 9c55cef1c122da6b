"""Drafts of rules that wait for another person."""

from uuid import UUID

from baccarat.services import rules_lifecycle
from casino.operators import changes
from casino.operators.models import Change


def waiting(table: UUID | str, version: int) -> UUID:
    """Return the change that publishes a draft: the newest, if it waits no more."""
    subject = f"rules:{table}/{version}"
    return Change.objects.filter(kind=rules_lifecycle.KIND, subject=subject).latest("id").pk


def publish(table: UUID | str, version: int, *, by: str = "staff:2") -> Change:
    return changes.confirm(waiting(table, version), by=by)
