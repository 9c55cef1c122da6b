"""Apply the rules to what sealed events add: each finding is an alert, and belongs to a case about the player.

Every window ends with a quarter of an hour in which something was added, so a replay of the log finds the same. A rule
finds the same player again after its own number of hours.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from baccarat.risk import activity, networks
from baccarat.risk.activity import Moved, Opposed, PairKey, Sums, Touched
from baccarat.risk.models import RiskAlert
from baccarat.risk.rules import TEXTS, RuleKind, RuleTerms, rules_for
from casino.compliance import case_entries, cases
from casino.compliance.models import CaseEntryKind, CaseKind
from casino.events import subscriptions
from casino.events.records import SealedEvent
from casino.events.sql import database_now, fetch
from casino.kernel.event_amounts import format_amounts
from casino.kernel.money import format_amount

BATCH: Final = 1000
MAX_BATCHES: Final = 20
"""The most batches in one call; the next call continues."""
SYSTEM: Final = "system"
_LISTED: Final = 20
"""Deposits that an alert about structuring names."""

_STRUCTURED: Final = """
    SELECT touched.player, touched.slot, count(*), sum(deposit.amount)::bigint,
           (array_agg(deposit.id ORDER BY deposit.id))[:%(listed)s]
      FROM unnest(%(players)s::uuid[], %(slots)s::timestamptz[]) AS touched (player, slot)
      JOIN wallet_deposit AS deposit ON deposit.player_id = touched.player AND deposit.currency = %(currency)s
       AND deposit.status = 'completed' AND deposit.amount >= %(least)s AND deposit.amount < %(amount)s
       AND deposit.ended_at >= touched.slot - %(window)s AND deposit.ended_at < touched.slot + %(quarter)s
     GROUP BY 1, 2 HAVING count(*) >= %(count)s ORDER BY 2, 1
"""
_PAIRED: Final = """
    SELECT touched.one, touched.other, touched.place, touched.slot, sum(pair.rounds)::bigint,
           sum(pair.opposed)::bigint, sum(pair.amount)::bigint, sum(pair.staked)::bigint
      FROM unnest(%(ones)s::uuid[], %(others)s::uuid[], %(tables)s::uuid[], %(slots)s::timestamptz[])
           AS touched (one, other, place, slot)
      JOIN risk_playerpair AS pair ON pair.player_id = touched.one AND pair.other_id = touched.other
       AND pair.table_id = touched.place AND pair.currency = %(currency)s
       AND pair.slot BETWEEN touched.slot - %(window)s AND touched.slot
     GROUP BY 1, 2, 3, 4 HAVING sum(pair.opposed) >= %(count)s ORDER BY 4, 1, 2, 3
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskFinding:
    """What a rule found about a player, or about two."""

    kind: RuleKind
    player: UUID
    slot: datetime
    other: UUID | None = None
    amount: int | None = None
    count: int | None = None
    facts: Mapping[str, str | int | None]


Keys = Collection[tuple[UUID, datetime]]
"""Players with the quarters of an hour in which something was added."""


def watch() -> int:
    """Read what was sealed since the last call; return the number of events read.

    The position moves in the transaction of the sums, alerts and cases, so each event counts exactly once.
    """
    total = 0
    for _ in range(MAX_BATCHES):
        count = subscriptions.run_once(activity.SUBSCRIBER, handle, limit=BATCH)
        total += count
        if count < BATCH:
            break
    return total


def handle(batch: Sequence[SealedEvent]) -> None:
    """Add a batch to the sums, and raise an alert for each rule that finds something."""
    touched = activity.project(batch)
    for (operator, currency), keys in _grouped(touched).items():
        rules = {kind: terms for kind, terms in rules_for(operator, currency).items() if terms.enabled}
        pairs = {key: pair for key, pair in touched.pairs.items() if (pair.operator, key[3]) == (operator, currency)}
        findings = [*_about_players(rules, currency, keys), *_about_pairs(rules, currency, pairs)]
        for finding in sorted(findings, key=lambda each: each.slot):
            _raise_alert(finding, operator=operator, currency=currency, rules=rules)


def _grouped(touched: Touched) -> dict[tuple[UUID, str], dict[tuple[UUID, datetime], Moved]]:
    groups: defaultdict[tuple[UUID, str], dict[tuple[UUID, datetime], Moved]] = defaultdict(dict)
    for (player, currency, slot), moved in touched.activity.items():
        groups[moved.operator, currency][player, slot] = moved
    return groups


def _amount_of(measure: str) -> Callable[[Sums, RuleTerms], bool]:
    return lambda sums, terms: getattr(sums, measure) >= (terms.amount or 0)


def _is_without_play(sums: Sums, terms: RuleTerms) -> bool:
    moved = min(sums.deposited, sums.withdrawn)
    return moved >= (terms.amount or 0) and sums.staked * 100 < sums.deposited * (terms.share or 0)


_BY_SUMS: Final[Mapping[RuleKind, tuple[str, str, Callable[[Sums, RuleTerms], bool]]]] = {
    RuleKind.DEPOSIT_SUM: ("deposits", "deposited", _amount_of("deposited")),
    RuleKind.DEPOSIT_COUNT: ("deposits", "deposited", lambda sums, terms: sums.deposits >= (terms.count or 0)),
    RuleKind.WITHDRAWAL_SUM: ("withdrawals", "withdrawn", _amount_of("withdrawn")),
    RuleKind.STAKE_SUM: ("rounds", "staked", _amount_of("staked")),
    RuleKind.WITHOUT_PLAY: ("withdrawals", "withdrawn", _is_without_play),
    RuleKind.MANY_METHODS: ("deposits", "deposited", lambda sums, terms: sums.methods >= (terms.count or 0)),
}
"""Rules over the sums: which addition makes them look, what the alert shows as its amount, and the condition."""


def _about_players(
    rules: Mapping[RuleKind, RuleTerms], currency: str, keys: Mapping[tuple[UUID, datetime], Moved]
) -> Iterator[RiskFinding]:
    for kind, (cause, shown, applies) in _BY_SUMS.items():
        due = [key for key, moved in keys.items() if getattr(moved, cause) > 0]
        if kind not in rules or not due:
            continue
        terms = rules[kind]
        for player, slot, sums in activity.sums_at(due, currency=currency, window=timedelta(hours=terms.hours)):
            if applies(sums, terms):
                amount = getattr(sums, shown)
                count = getattr(sums, "methods" if kind is RuleKind.MANY_METHODS else cause)
                yield RiskFinding(kind=kind, player=player, slot=slot, amount=amount, count=count, facts=asdict(sums))
    deposited = [key for key, moved in keys.items() if moved.deposits > 0]
    if RuleKind.STRUCTURING in rules and deposited:
        yield from _structured(rules[RuleKind.STRUCTURING], currency, deposited)


def _structured(terms: RuleTerms, currency: str, keys: Keys) -> Iterator[RiskFinding]:
    amount = terms.amount or 0
    values = {
        "players": [player for player, _ in keys],
        "slots": [slot for _, slot in keys],
        "currency": currency,
        "least": -(-amount * (terms.share or 0) // 100),
        "amount": amount,
        "count": terms.count,
        "window": timedelta(hours=terms.hours),
        "quarter": activity.SLOT,
        "listed": _LISTED,
    }
    for player, slot, count, total, deposits in fetch(_STRUCTURED, values):
        facts = {"deposits": ", ".join(map(str, deposits))}
        yield RiskFinding(kind=RuleKind.STRUCTURING, player=player, slot=slot, amount=total, count=count, facts=facts)


def _about_pairs(
    rules: Mapping[RuleKind, RuleTerms], currency: str, pairs: Mapping[PairKey, Opposed]
) -> Iterator[RiskFinding]:
    due = [key for key, pair in pairs.items() if pair.opposed]
    shared = networks.sharing(sorted({key[:2] for key in due})) if RuleKind.SHARED_NETWORK in rules else set()
    for kind in (RuleKind.CHIP_DUMPING, RuleKind.SHARED_NETWORK):
        keys = [key for key in due if kind is RuleKind.CHIP_DUMPING or key[:2] in shared]
        if kind not in rules or not keys:
            continue
        terms = rules[kind]
        for one, other, table, slot, *sums in fetch(_PAIRED, _pair_values(terms, currency, keys)):
            rounds, opposed, amount, staked = sums
            share = terms.share or 0
            # Who only happens to prefer the other side does not stake the same.
            if opposed * 100 >= rounds * share and 2 * amount * 100 >= staked * share:
                facts = {"table": str(table), "rounds": rounds, "opposed": opposed, "staked": staked}
                yield RiskFinding(
                    kind=kind, player=one, other=other, slot=slot, amount=amount, count=opposed, facts=facts
                )


def _pair_values(terms: RuleTerms, currency: str, keys: Sequence[PairKey]) -> dict[str, Any]:
    return {
        "ones": [key[0] for key in keys],
        "others": [key[1] for key in keys],
        "tables": [key[2] for key in keys],
        "slots": [key[4] for key in keys],
        "currency": currency,
        "count": terms.count,
        "window": timedelta(hours=terms.hours),
    }


def _raise_alert(finding: RiskFinding, *, operator: UUID, currency: str, rules: Mapping[RuleKind, RuleTerms]) -> None:
    """Record an alert and have a case about it, unless the rule found this within its hours."""
    terms = rules[finding.kind]
    window = timedelta(hours=terms.hours)
    alike = RiskAlert.objects.filter(
        player_id=finding.player,
        other_id=finding.other,
        kind=finding.kind,
        currency=currency,
        slot__gt=finding.slot - window,
        slot__lt=finding.slot + window,
    )
    if alike.exists():
        return
    rule = {f"rule_{name}": value for name, value in asdict(terms).items() if name != "enabled"}
    details = format_amounts({**finding.facts, **rule}, currency)
    shown = {
        "rule": finding.kind.value,
        "currency": currency,
        "amount": None if finding.amount is None else format_amount(finding.amount, currency),
        "count": finding.count,
        "other": None if finding.other is None else str(finding.other),
        **details,
    }
    if finding.other is not None:
        # It is about both: the other's money leaves before this, or not at all.
        cases.lock_subject(operator=operator, subject=f"player:{finding.other}")
    case = open_case_about(finding.player, operator=operator, details=shown, rules=rules)
    RiskAlert.objects.create(
        operator_id=operator,
        player_id=finding.player,
        other_id=finding.other,
        kind=finding.kind,
        currency=currency,
        amount=finding.amount,
        count=finding.count,
        hours=terms.hours,
        details=details,
        slot=finding.slot,
        case_id=case,
    )


def open_case_about(
    player: UUID, *, operator: UUID, details: Mapping[str, Any], rules: Mapping[RuleKind, RuleTerms]
) -> UUID:
    """Return the open case about a player's alerts, or open one with its deadline."""
    subject = f"player:{player}"
    opened = cases.open_case(
        operator=operator, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=subject, details=dict(details)
    )
    if opened is None:
        existing = cases.find_open_case(operator=operator, subject=subject)
        if existing is None:
            raise LookupError(f"The case about {subject} was resolved at this moment.")
        return existing
    deadline = rules.get(RuleKind.SUSPICION_DEADLINE)
    if deadline is not None:
        set_deadline(opened, operator=operator, kind=RuleKind.SUSPICION_DEADLINE, terms=deadline, since=database_now())
    return opened


def set_deadline(case: UUID, *, operator: UUID, kind: RuleKind, terms: RuleTerms, since: datetime) -> None:
    """Give a case the deadline that a rule leaves."""
    case_entries.add_entry(
        case,
        operator=operator,
        kind=CaseEntryKind.DEADLINE,
        text=f"{TEXTS[kind].title}: {terms.hours} hours.",
        by=SYSTEM,
        due_at=since + timedelta(hours=terms.hours),
        is_personal=False,
    )


def is_other_of_case(player: UUID) -> Q:
    """Return the condition that an alert of a case is about another player and this one."""
    # A list, not a subquery: PostgreSQL then joins the indexes of both conditions.
    return Q(pk__in=set(RiskAlert.objects.filter(other_id=player).values_list("case_id", flat=True)))


def alerts_about(player: UUID) -> Iterable[RiskAlert]:
    """Return a player's alerts, also those about another player and this one, the newest first."""
    own = RiskAlert.objects.filter(player_id=player)
    return own.union(RiskAlert.objects.filter(other_id=player)).order_by("-id")
