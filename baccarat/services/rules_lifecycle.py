"""Use cases of rules: one person drafts a version, another publishes or rejects it, and rules in force are withdrawn.

Each is one transaction under the table's lock. A published version begins to hold when the next round (or shoe) opens.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.rules import versions
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import InvalidRules, check
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables import rules_lifecycle as tv
from baccarat.domain.tables.kill_switch_events import Scope
from baccarat.domain.tables.kill_switch_refusals import RulesAreStopped
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.rules_refusals import UnknownDraft
from baccarat.domain.unit_of_work import Journal
from baccarat.storage import kill_switches, projections, repository
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.significant import recorder

LONGEST_REASON: Final = tv.LONGEST_REASON
_FLOOR: Final = "SELECT return_floor FROM operators_operator WHERE id = %s"
_RULES: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_FIXED: Final = frozenset({"preset", "version", "currency"})


def floor_of(operator: UUID) -> int:
    """Return how little a spot may return for real money unless it is acknowledged (1/100 of a percent)."""
    found = fetch(_FLOOR, [operator])
    return found[0][0] if found else versions.FLOOR


def rules_of(*, table: UUID, operator: UUID) -> TableRules:
    """Read the rules in force at a table, without a lock. Raises UnknownTable."""
    found = fetch(_RULES, [table, operator])
    if not found:
        raise UnknownTable
    return projections.decode_table(found[0][0]).rules


def draft(
    *,
    table: UUID,
    operator: UUID,
    changes: Mapping[str, Any],
    acknowledgement: str = "",
    by: str,
    metadata: Metadata,
) -> int:
    """Propose the rules in force with other values of some fields, and return the version's number.

    `changes` are fields of TableRules, amounts in minor units; `by` is who proposes. Raises UnknownTable, InvalidRules,
    DraftWaits, RulesUnchanged, ShuffleIsFixed, SeatsAreTaken, PlayMoneyNotOffered, and for real money
    PlayerEdgeNotAccepted, ReturnUnderFloor, AcknowledgementDiffers, AcknowledgementNotNeeded.
    """
    floor = floor_of(operator)
    versions.returns(changed(rules_of(table=table, operator=operator), changes))  # before anybody waits for the lock
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        proposed = changed(journal.table.rules, changes)
        words = " ".join(acknowledgement.split())
        journal.on_table(tc.DraftRules(rules=proposed, floor=floor, acknowledgement=words, by=by, now=now))
        repository.write([(journal, metadata)])
    return journal.table.ruling().highest


def publish(*, table: UUID, operator: UUID, version: int, by: str, metadata: Metadata) -> None:
    """Let another person than its maker publish a draft: it holds from the next round or shoe on.

    Raises UnknownTable, UnknownDraft, RulesNeedAnother, ShuffleIsFixed, SeatsAreTaken, RulesAreStopped, and
    ReturnUnderFloor where the operator's floor was raised since and what returns less was not acknowledged.
    """
    with transaction.atomic():
        kill_switches.lock_out()
        journal, now = repository.lock_table(table=table, operator=operator)
        before = journal.table.rules
        waiting = journal.table.ruling().draft
        journal.on_table(tc.PublishRules(version=version, by=by, now=now, floor=floor_of(operator)))
        _require_not_stopped(journal)
        repository.write([(journal, metadata)])
        after = journal.table.ruling().next
        if waiting is None or after is None:
            raise AssertionError("what is published was drafted, and waits")
        recorder.record(
            kind=recorder.Kind.RULES_PUBLISHED,
            operator=operator,
            subject=f"table:{table}",
            actor=waiting.by,
            authorised_by=by,
            reason=waiting.acknowledgement,
            before={"rules": before.label},
            after={
                "rules": after.rules.label,
                "from": after.waits_for.value,
                "changes": list(versions.differences(before, after.rules)),
            },
        )


def reject(*, table: UUID, operator: UUID, version: int, reason: str, by: str, metadata: Metadata) -> None:
    """Refuse a draft, or take the own one back. Raises UnknownTable, UnknownDraft, VersionReasonMissing."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        journal.on_table(tc.RejectRules(version=version, reason=reason, by=by, now=now))
        repository.write([(journal, metadata)])


def take_back(*, table: UUID, operator: UUID, version: int, by: str, metadata: Metadata) -> None:
    """Take the own draft back. Raises UnknownTable, UnknownDraft where there is none of this person."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        waiting = journal.table.ruling().draft
        if waiting is None or waiting.by != by:
            raise UnknownDraft
        journal.on_table(tc.RejectRules(version=version, reason="taken back", by=by, now=now))
        repository.write([(journal, metadata)])


def decommission(*, table: UUID, operator: UUID, version: int, reason: str, by: str, metadata: Metadata) -> None:
    """Withdraw the rules in force, of this version: no round opens at the table until others are published.

    Raises UnknownTable, RulesWithdrawn, VersionNotInForce, VersionReasonMissing.
    """
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        label = journal.table.rules.label
        journal.on_table(tc.DecommissionRules(version=version, reason=reason, by=by, now=now))
        repository.write([(journal, metadata)])
        recorder.record(
            kind=recorder.Kind.CONFIG_CHANGED,
            operator=operator,
            subject=f"table:{table}",
            actor=by,
            reason=reason,
            before={"rules": label, "status": "in_force"},
            after={"rules": label, "status": "decommissioned"},
        )


def changed(rules: TableRules, changes: Mapping[str, Any]) -> TableRules:
    """Return rules with other values of some fields. Raises InvalidRules with each fault's code."""
    rules_for(rules.preset, currency=rules.currency)  # a preset that this release still knows
    fixed = dict.fromkeys(sorted(changes.keys() & _FIXED), "is not a field that a table can set")
    if fixed:
        raise InvalidRules(f"No table can set {', '.join(fixed)}.", fields=fixed)
    return check(replace(rules, **changes))


def _require_not_stopped(journal: Journal) -> None:
    waiting, facts = journal.table.ruling().next, journal.table.facts()
    label = "" if waiting is None else waiting.rules.label
    for held in kill_switches.holding(operator=facts.operator, rules=label):
        if held.scope == Scope.RULES:
            raise RulesAreStopped(held.says, since=held.at)
