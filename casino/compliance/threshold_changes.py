"""Thresholds of significant events: one person tightens them; at a live operator, another confirms looser ones."""

from dataclasses import asdict
from typing import Final

from casino.compliance import acts
from casino.kernel import money
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator
from casino.significant import thresholds as in_force
from casino.significant.thresholds import Thresholds

KIND: Final = ChangeName.THRESHOLDS


def change(*, operator: Operator, currency: str, thresholds: Thresholds, by: str) -> Change | None:
    """Set thresholds, or request looser ones of a live operator.

    Raises InvalidThreshold, UnknownCurrency, ChangeNeedsSecondPerson.
    """
    amounts = asdict(thresholds)
    if not in_force.are_looser(thresholds, operator=operator.pk, currency=currency):
        in_force.change(operator=operator.pk, currency=currency, thresholds=thresholds, actor=by)
        return None
    texts = (f"{name.replace('_', ' ')} {money.format_amount(amount, currency)}" for name, amount in amounts.items())
    summary, details = (
        f"Report less in {currency}, from: {', '.join(texts)}",
        {"currency": currency, "amounts": amounts},
    )
    return changes.make(operator, KIND, subject=f"operator:{operator.pk}", summary=summary, details=details, by=by)


def register() -> None:
    """Let two persons loosen thresholds."""
    changes.register(ChangeKind(KIND, acts.SET_THRESHOLDS, _apply))


def _apply(change: Change) -> None:
    in_force.change(
        operator=changes.operator_of(change),
        currency=change.details["currency"],
        thresholds=Thresholds(**change.details["amounts"]),
        actor=change.requested_by,
        authorised_by=change.decided_by,
    )
