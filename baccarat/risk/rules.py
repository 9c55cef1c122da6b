"""Rules of the risk desk as data: defaults, and versions for an operator or for a jurisdiction's operators."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.risk.models import RiskRule
from baccarat.risk.refusals import InvalidRiskRule
from casino.events.sql import fetch
from casino.kernel import money
from casino.operators.models import Operator
from casino.significant import act_log

MAX_HOURS: Final = 31 * 24
"""The longest time that a rule looks back, or that it leaves for an answer."""
MAX_COUNT: Final = 1_000_000


class RuleKind(StrEnum):
    """What a rule looks for, or the time that it gives. Values may be added."""

    DEPOSIT_SUM = "deposit_sum"
    DEPOSIT_COUNT = "deposit_count"
    WITHDRAWAL_SUM = "withdrawal_sum"
    STAKE_SUM = "stake_sum"
    STRUCTURING = "structuring"
    WITHOUT_PLAY = "without_play"
    MANY_METHODS = "many_methods"
    CHIP_DUMPING = "chip_dumping"
    SHARED_NETWORK = "shared_network"
    SUSPICION_DEADLINE = "suspicion_deadline"
    COMPLAINT_DEADLINE = "complaint_deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTerms:
    """The terms of a rule. `amount` is in minor units, `share` in per cent; those that a kind doesn't use are None."""

    hours: int
    amount: int | None = None
    count: int | None = None
    share: int | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule's title, and what its terms mean."""

    title: str
    meaning: str


TEXTS: Final[Mapping[RuleKind, RuleText]] = {
    RuleKind.DEPOSIT_SUM: RuleText("Sum of deposits", "A player deposited at least `amount`."),
    RuleKind.DEPOSIT_COUNT: RuleText("Number of deposits", "A player made at least `count` deposits."),
    RuleKind.WITHDRAWAL_SUM: RuleText("Sum of withdrawals", "A player requested withdrawals of at least `amount`."),
    RuleKind.STAKE_SUM: RuleText("Sum of wagers", "A player staked at least `amount`."),
    RuleKind.STRUCTURING: RuleText(
        "Structuring",
        "A player made at least `count` deposits just below `amount`, of at least `share` per cent of it each.",
    ),
    RuleKind.WITHOUT_PLAY: RuleText(
        "In and out without play",
        "A player deposited and withdrew at least `amount`, and staked less than `share` per cent of the deposits.",
    ),
    RuleKind.MANY_METHODS: RuleText("Many payment methods", "A player deposited by at least `count` payment methods."),
    RuleKind.CHIP_DUMPING: RuleText(
        "Chip dumping",
        "Two players bet on opposite sides in at least `count` rounds and in at least `share` per cent of the rounds "
        "that they share, and at least `share` per cent of what they staked there was against each other.",
    ),
    RuleKind.SHARED_NETWORK: RuleText(
        "Both sides from one network",
        "Two players who used the same network bet on opposite sides in at least `count` rounds.",
    ),
    RuleKind.SUSPICION_DEADLINE: RuleText(
        "Time to decide on a suspicion", "Hours from the first alert of a case to its decision."
    ),
    RuleKind.COMPLAINT_DEADLINE: RuleText(
        "Time to answer a complaint", "Hours from the receipt of a complaint to its answer."
    ),
}
_WHOLE: Final[Mapping[RuleKind, RuleTerms]] = {
    RuleKind.DEPOSIT_SUM: RuleTerms(hours=24, amount=2_000),
    RuleKind.DEPOSIT_COUNT: RuleTerms(hours=24, count=10),
    RuleKind.WITHDRAWAL_SUM: RuleTerms(hours=168, amount=10_000),
    RuleKind.STAKE_SUM: RuleTerms(hours=24, amount=50_000),
    RuleKind.STRUCTURING: RuleTerms(hours=24, amount=1_000, count=3, share=85),
    RuleKind.WITHOUT_PLAY: RuleTerms(hours=72, amount=1_000, share=30),
    RuleKind.MANY_METHODS: RuleTerms(hours=168, count=3),
    RuleKind.CHIP_DUMPING: RuleTerms(hours=24, count=20, share=80),
    RuleKind.SHARED_NETWORK: RuleTerms(hours=24, count=5),
    RuleKind.SUSPICION_DEADLINE: RuleTerms(hours=72),
    RuleKind.COMPLAINT_DEADLINE: RuleTerms(hours=240),
}
"""The rules of an operator that set none; amounts in whole units of the currency."""
_TIGHTER: Final[Mapping[RuleKind, Mapping[str, int]]] = {
    RuleKind.STRUCTURING: {"amount": 0},
    RuleKind.WITHOUT_PLAY: {"share": 1},
    RuleKind.SUSPICION_DEADLINE: {"hours": -1},
    RuleKind.COMPLAINT_DEADLINE: {"hours": -1},
}
"""Where a rule differs: 1 if more of a term is tighter, -1 if less is, 0 if neither. Else longer and less are."""
_NEWEST: Final = """
    SELECT DISTINCT ON (rule.kind) rule.kind, rule.hours, rule.amount, rule.count, rule.share, rule.enabled
      FROM (SELECT DISTINCT ON (operator_id, jurisdiction, kind, currency) *
              FROM risk_riskrule ORDER BY operator_id, jurisdiction, kind, currency, id DESC) AS rule
      JOIN operators_operator AS operator ON operator.id = %(operator)s
     WHERE (rule.operator_id = operator.id
            OR (rule.operator_id IS NULL AND rule.jurisdiction = operator.jurisdiction))
       AND rule.currency IN ('', %(currency)s)
     ORDER BY rule.kind, (rule.operator_id IS NULL), (rule.currency = '')
"""


def default_rules(currency: str) -> dict[RuleKind, RuleTerms]:
    """Return the rules of an operator that set none. Raises UnknownCurrency."""
    unit = money.unit(currency)
    return {
        kind: terms if terms.amount is None else replace(terms, amount=terms.amount * unit)
        for kind, terms in _WHOLE.items()
    }


def rules_for(operator: UUID, currency: str) -> dict[RuleKind, RuleTerms]:
    """Return the rules in force: the operator's own, then its jurisdiction's, then the defaults."""
    set_rules = {
        RuleKind(kind): RuleTerms(hours=hours, amount=amount, count=count, share=share, enabled=enabled)
        for kind, hours, amount, count, share, enabled in fetch(_NEWEST, {"operator": operator, "currency": currency})
        if kind in set(RuleKind)
    }
    return default_rules(currency) | set_rules


def used_terms(kind: RuleKind) -> frozenset[str]:
    """Return the names of the terms that a kind uses beside its hours."""
    return frozenset(name for name in ("amount", "count", "share") if getattr(_WHOLE[kind], name) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRule:
    """A rule of one operator or of one jurisdiction, and why it is set."""

    kind: RuleKind
    terms: RuleTerms
    reason: str
    currency: str = ""
    operator: UUID | None = None
    jurisdiction: str = ""

    @property
    def subject(self) -> str:
        return f"jurisdiction:{self.jurisdiction}" if self.operator is None else f"operator:{self.operator}"


def check_reach(rule: NewRule, allowed: Collection[UUID] | None) -> None:
    """Check that a rule is for one operator or jurisdiction, and inside what somebody works for.

    A rule without an operator may concern any, so `allowed` operators have to be None for it. Raises InvalidRiskRule.
    """
    if (rule.operator is None) == (not rule.jurisdiction):
        raise InvalidRiskRule("A rule is for one operator or for one jurisdiction.")
    if allowed is not None and rule.operator not in allowed:
        raise InvalidRiskRule("You do not work for all the operators that the rule is for.")


def is_looser(rule: NewRule) -> bool:
    """Return whether a rule would find less than one that it replaces, or other things."""
    replaced = _rules_before(rule.kind, rule.operator, rule.jurisdiction, rule.currency)
    return any(_finds_less(rule.kind, before, rule.terms) for before in replaced)


def _finds_less(kind: RuleKind, before: RuleTerms, terms: RuleTerms) -> bool:
    if not (before.enabled and terms.enabled):
        return before.enabled
    tighter = {"hours": 1, "amount": -1, "count": -1, "share": -1, **_TIGHTER.get(kind, {})}
    more = {name: (getattr(terms, name) or 0) - (getattr(before, name) or 0) for name in tighter}
    return any(more[name] and more[name] * way <= 0 for name, way in tighter.items())


def _rules_before(kind: RuleKind, operator: UUID | None, jurisdiction: str, currency: str) -> list[RuleTerms]:
    """Return what is in force in the rule's currency, or in each of the operator's if it has none."""
    if operator is not None:
        currencies = [currency] if currency else Operator.objects.get(pk=operator).currencies
        return [rules_for(operator, each)[kind] for each in currencies]
    rows = RiskRule.objects.filter(operator_id=None, jurisdiction=jurisdiction, kind=kind, currency__in=("", currency))
    row = rows.order_by("-currency", "-id").first()
    if row is None:
        return [(default_rules(currency) if currency else _WHOLE)[kind]]
    return [RuleTerms(hours=row.hours, amount=row.amount, count=row.count, share=row.share, enabled=row.enabled)]


def change_rule(rule: NewRule, *, by: str, authorised_by: str = "") -> None:
    """Set a rule, and record the change. Raises InvalidRiskRule, UnknownCurrency."""
    check_reach(rule, None)
    _check(rule.kind, rule.terms, rule.currency, rule.reason)
    with transaction.atomic():
        tightens, reason = not is_looser(rule), rule.reason.strip()
        RiskRule.objects.create(
            operator_id=rule.operator,
            jurisdiction=rule.jurisdiction,
            kind=rule.kind,
            currency=rule.currency,
            reason=reason,
            by=by,
            **asdict(rule.terms),
        )
        act_log.done(
            "risk.add_riskrule",
            operator=rule.operator,
            subject=rule.subject,
            actor=by,
            authorised_by=authorised_by,
            tightens=tightens,
            reason=f"Risk rule, {TEXTS[rule.kind].title.lower()}: {reason}",
            after=asdict(rule.terms),
            currency=rule.currency,
        )


def _check(kind: RuleKind, terms: RuleTerms, currency: str, reason: str) -> None:
    used = used_terms(kind)
    given = {name for name in ("amount", "count", "share") if getattr(terms, name) is not None}
    if given != used:
        names = ", ".join(["hours", *sorted(used)])
        raise InvalidRiskRule(f"{TEXTS[kind].title} needs exactly these terms: {names}.")
    if currency:
        money.exponent(currency)
    elif "amount" in used:
        raise InvalidRiskRule("A rule with an amount needs its currency.")
    limits = {"hours": MAX_HOURS, "amount": money.MAX_AMOUNT, "count": MAX_COUNT, "share": 100}
    for name, most in limits.items():
        value = getattr(terms, name)
        if value is not None and not 0 < value <= most:
            raise InvalidRiskRule(f"The {name} has to be from 1 to {most}.")
    if not reason.strip():
        raise InvalidRiskRule("Give the reason of the change.")


def set_jurisdiction(operator: Operator, *, jurisdiction: str, by: str, authorised_by: str = "") -> None:
    """Say under which jurisdiction's rules an operator is, and record the change."""
    act_log.changed(
        operator,
        "risk.add_riskrule",
        by=by,
        authorised_by=authorised_by,
        reason="Jurisdiction",
        jurisdiction=jurisdiction.strip().upper(),
    )
