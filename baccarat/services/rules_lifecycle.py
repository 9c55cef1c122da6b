"""Use cases of rules: one person drafts a version, another publishes or rejects it; rules in force can be retired.

Each is one transaction under the table's lock. A published version takes effect when the next round (or shoe) opens.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.rules import versions
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables import rules_lifecycle as tv
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.kill_switch_refusals import RulesAreStopped
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.rules_refusals import UnknownDraft
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.storage import kill_switches, projections, repository
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.significant import recorder

MAX_REASON_LENGTH: Final = tv.MAX_REASON_LENGTH
_FLOOR: Final = "SELECT return_floor FROM operators_operator WHERE id = %s"
_RULES: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_FIXED: Final = frozenset({"preset", "version", "currency"})


def floor_of(operator: UUID) -> int:
    """Return the lowest return of a spot for real money without acknowledgement (1/100 of a percent)."""
    rows = fetch(_FLOOR, [operator])
    return rows[0][0] if rows else versions.DEFAULT_FLOOR


def rules_of(*, table: UUID, operator: UUID) -> TableRules:
    """Return the rules in force at a table, without locking it. Raises UnknownTable."""
    rows = fetch(_RULES, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0]).rules


def draft(
    *,
    table: UUID,
    operator: UUID,
    changes: Mapping[str, Any],
    acknowledgement: str = "",
    by: str,
    metadata: Metadata,
) -> int:
    """Propose the rules in force with changes to some fields, and return the version's number.

    `changes` are fields of TableRules, amounts in minor units; `by` is the author. Raises UnknownTable, InvalidRules,
    DraftPending, RulesUnchanged, ShuffleIsFixed, SeatsAreTaken, PlayMoneyNotOffered, and for real money
    PlayerEdgeNotAccepted, ReturnUnderFloor, AcknowledgementDiffers, AcknowledgementNotNeeded.
    """
    floor = floor_of(operator)
    versions.theoretical_returns(
        apply_changes(rules_of(table=table, operator=operator), changes)
    )  # before waiting for the lock
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        proposed = apply_changes(journal.table.rules, changes)
        words = " ".join(acknowledgement.split())
        journal.decide_on_table(tc.DraftRules(rules=proposed, floor=floor, acknowledgement=words, by=by, now=now))
        repository.save([(journal, metadata)])
    return journal.table.current_rules_lifecycle().latest_version


def publish(*, table: UUID, operator: UUID, version: int, by: str, metadata: Metadata) -> None:
    """Publish a draft by a person other than its author. It takes effect from the next round or shoe.

    Raises UnknownTable, UnknownDraft, RulesNeedSecondPerson, ShuffleIsFixed, SeatsAreTaken, RulesAreStopped, and
    ReturnUnderFloor if the operator's floor was raised and a lower return was not acknowledged.
    """
    with transaction.atomic():
        kill_switches.lock_shared()
        journal, now = repository.lock_table(table=table, operator=operator)
        before = journal.table.rules
        waiting = journal.table.current_rules_lifecycle().draft
        journal.decide_on_table(tc.PublishRules(version=version, by=by, now=now, floor=floor_of(operator)))
        _require_not_stopped(journal)
        repository.save([(journal, metadata)])
        after = journal.table.current_rules_lifecycle().pending
        if waiting is None or after is None:
            raise AssertionError("what is published was drafted, and waits")
        recorder.record(
            kind=recorder.SignificantEventKind.RULES_PUBLISHED,
            operator=operator,
            subject=f"table:{table}",
            actor=waiting.by,
            authorised_by=by,
            reason=waiting.acknowledgement,
            before={"rules": before.label},
            after={
                "rules": after.rules.label,
                "from": after.effective_from.value,
                "changes": list(versions.describe_differences(before, after.rules)),
            },
        )


def reject(*, table: UUID, operator: UUID, version: int, reason: str, by: str, metadata: Metadata) -> None:
    """Reject a draft, or withdraw one's own. Raises UnknownTable, UnknownDraft, VersionReasonMissing."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        journal.decide_on_table(tc.RejectRules(version=version, reason=reason, by=by, now=now))
        repository.save([(journal, metadata)])


def discard_own_draft(*, table: UUID, operator: UUID, version: int, by: str, metadata: Metadata) -> None:
    """Withdraw one's own draft. Raises UnknownTable, UnknownDraft if this person has none."""
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        waiting = journal.table.current_rules_lifecycle().draft
        if waiting is None or waiting.by != by:
            raise UnknownDraft
        journal.decide_on_table(tc.RejectRules(version=version, reason="taken back", by=by, now=now))
        repository.save([(journal, metadata)])


def retire(*, table: UUID, operator: UUID, version: int, reason: str, by: str, metadata: Metadata) -> None:
    """Retire this version, which is in force: no round opens at the table until another is published.

    Raises UnknownTable, RulesAreRetired, VersionNotInForce, VersionReasonMissing.
    """
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        label = journal.table.rules.label
        journal.decide_on_table(tc.RetireRules(version=version, reason=reason, by=by, now=now))
        repository.save([(journal, metadata)])
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=f"table:{table}",
            actor=by,
            reason=reason,
            before={"rules": label, "status": "in_force"},
            after={"rules": label, "status": "retired"},
        )


def apply_changes(rules: TableRules, changes: Mapping[str, Any]) -> TableRules:
    """Return the rules with changes to some fields. Raises InvalidRules with each fault's code."""
    rules_for(rules.preset, currency=rules.currency)  # a preset that this release still has
    fixed = dict.fromkeys(sorted(changes.keys() & _FIXED), "is not a field that a table can set")
    if fixed:
        raise InvalidRules(f"No table can set {', '.join(fixed)}.", fields=fixed)
    return validate(replace(rules, **changes))


def _require_not_stopped(journal: UnitOfWork) -> None:
    waiting, facts = journal.table.current_rules_lifecycle().pending, journal.table.require_opened()
    label = "" if waiting is None else waiting.rules.label
    for held in kill_switches.active_stops(operator=facts.operator, rules=label):
        if held.scope == StopScope.RULES:
            raise RulesAreStopped(held.message, since=held.at)
