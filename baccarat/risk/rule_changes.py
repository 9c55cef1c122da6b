"""Risk rules: one person tightens them; at a live operator, another confirms looser ones and another jurisdiction."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Final
from uuid import UUID

from baccarat import acts
from baccarat.risk import rules
from baccarat.risk.rules import TEXTS, NewRule, RuleKind, RuleTerms
from casino.kernel.event_amounts import format_amounts
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator

RULE: Final = ChangeName.RISK_RULE
JURISDICTION: Final = ChangeName.JURISDICTION


def change_rule(rule: NewRule, *, by: str, allowed: Collection[UUID] | None = None) -> Change | None:
    """Set a rule, or request a looser one of live operators. Raises what `rules.change_rule` does."""
    rules.check_reach(rule, allowed)
    if not rules.is_looser(rule):
        rules.change_rule(rule, by=by)
        return None
    terms = format_amounts(asdict(rule.terms), rule.currency)
    given = ", ".join(f"{name} {value}" for name, value in terms.items() if value is not None)
    details = asdict(rule)
    operator = details.pop("operator")
    return changes.make(
        None if operator is None else Operator.objects.get(pk=operator),
        RULE,
        subject=rule.subject,
        summary=f"Loosen the risk rule {TEXTS[rule.kind].title.lower()} {rule.currency} to {given}: "
        f"{rule.reason.strip()}",
        details=details,
        by=by,
    )


def change_jurisdiction(operator: Operator, *, jurisdiction: str, by: str) -> Change | None:
    """Say under which jurisdiction's rules an operator is, or request it for a live one."""
    subject, details = f"operator:{operator.pk}", {"jurisdiction": jurisdiction}
    summary = f"Be under the jurisdiction {jurisdiction.strip().upper() or 'of none'}"
    return changes.make(operator, JURISDICTION, subject=subject, summary=summary, details=details, by=by)


def register() -> None:
    """Let two persons loosen rules."""
    changes.register(ChangeKind(RULE, acts.SET_RISK_RULES, _apply_rule))
    changes.register(ChangeKind(JURISDICTION, acts.SET_RISK_RULES, _apply_jurisdiction))


def _apply_rule(change: Change) -> None:
    details = dict(change.details)
    kind, terms = RuleKind(details.pop("kind")), RuleTerms(**details.pop("terms"))
    rule = NewRule(kind=kind, terms=terms, operator=change.operator_id, **details)
    rules.change_rule(rule, by=change.requested_by, authorised_by=change.decided_by)


def _apply_jurisdiction(change: Change) -> None:
    operator = Operator.objects.get(pk=changes.operator_of(change))
    jurisdiction = change.details["jurisdiction"]
    rules.set_jurisdiction(operator, jurisdiction=jurisdiction, by=change.requested_by, authorised_by=change.decided_by)
