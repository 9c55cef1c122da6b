"""What happens to winnings that were spent before their round is voided, on which two persons agree."""

from typing import Final
from uuid import UUID

from baccarat import acts
from baccarat.services import voiding
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName

KIND: Final = ChangeName.VOID_POLICY


def request_policy(*, operator: UUID, forgive: bool, by: str) -> Change:
    """Request that the house bears them, or that they become the player's debt. Raises ChangeNeedsSecondPerson."""
    bearer = "The house bears" if forgive else "Players owe"
    return changes.request(
        operator=operator,
        kind=KIND,
        subject=f"operator:{operator}",
        summary=f"{bearer} winnings that were spent before their round is voided",
        details={"forgive": forgive},
        by=by,
    )


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(KIND, acts.SET_VOID_POLICY, _apply))


def _apply(change: Change) -> None:
    operator = changes.operator_of(change)
    voiding.set_policy(operator=operator, forgive=change.details["forgive"], actor=change.requested_by)
