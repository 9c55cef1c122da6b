"""Use cases of rules: one person drafts a version, another confirms that it is published; rules can be retired.

Each is one transaction under the table's lock. A published version takes effect when the next round (or shoe) opens.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat import acts
from baccarat.domain.rules import versions
from baccarat.domain.rules.odds import odds_sheet
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.spots import spot_in_words
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import change
from baccarat.domain.tables import rules_lifecycle
from baccarat.domain.tables import rules_lifecycle as tv
from baccarat.domain.tables.kill_switch import RulesAreStopped, StopScope
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import kill_switch
from baccarat.storage import repository
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.kernel.text import isolate
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator
from casino.significant import recorder

KIND: Final = ChangeName.RULES
MAX_REASON_LENGTH: Final = tv.MAX_REASON_LENGTH


def floor_of(operator: UUID) -> int:
    """Return the lowest return of a spot for real money without acknowledgement (1/100 of a percent)."""
    floor = Operator.objects.filter(pk=operator).values_list("return_floor", flat=True).first()
    return versions.DEFAULT_FLOOR if floor is None else floor


def draft(
    *,
    table: UUID,
    operator: UUID,
    differences: Mapping[str, Any],
    acknowledgement: str = "",
    reason: str = "",
    by: str,
    metadata: Metadata,
) -> int:
    """Propose the rules in force with differences in some fields, and return the version's number.

    The change that publishes it waits for another person. `differences` are fields of TableRules, amounts in minor
    units; `by` is the author. Raises UnknownTable, InvalidRules,
    DraftPending, RulesUnchanged, ShuffleIsFixed, SeatsAreTaken, PlayMoneyNotOffered, and for real money OddsTooHigh,
    WinTooLarge, PlayerEdgeNotAccepted, ReturnUnderFloor, AcknowledgementDiffers, AcknowledgementNotNeeded.
    """
    floor = floor_of(operator)
    current = repository.read_table(table=table, operator=operator).rules
    versions.theoretical_returns(apply_changes(current, differences))  # cached: computed before waiting for the lock
    with transaction.atomic():
        kill_switch.lock_shared()  # before the table, as whoever stops play
        uow, now = repository.lock_table(table=table, operator=operator)
        proposed = apply_changes(uow.table.rules, differences)
        acknowledgement = " ".join(acknowledgement.split())
        uow.on_table(
            rules_lifecycle.draft_rules,
            rules=proposed,
            floor=floor,
            acknowledgement=acknowledgement,
            reason=reason,
            by=by,
            at=now,
        )
        repository.save([(uow, metadata)])
        version = uow.table.current_rules_lifecycle().latest_version
        changes.request(
            operator=operator,
            kind=KIND,
            subject=subject_of(table, version),
            summary=f"Publish version {version} of the rules of {isolate(uow.table.require_opened().name)}",
            details={"table": str(table), "version": version},
            by=by,
        )
    return version


def subject_of(table: UUID, version: int) -> str:
    """Return the subject of the change that publishes a draft."""
    return f"rules:{table}/{version}"


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(KIND, acts.PUBLISH_RULES, _publish, silent=True, shown=True, drop=_drop))


def _publish(change: Change) -> None:
    """Publish a draft. It takes effect from the next round or shoe.

    Raises UnknownDraft, ShuffleIsFixed, SeatsAreTaken, RulesAreStopped, and ReturnUnderFloor if the operator's floor
    was raised and a lower return was not acknowledged.
    """
    with transaction.atomic():
        kill_switch.lock_shared()
        operator, table, version = _draft_of(change)
        uow, now = repository.lock_table(table=table, operator=operator)
        before = uow.table.recorded_rules
        pending_draft = uow.table.current_rules_lifecycle().draft
        by = change.decided_by
        uow.on_table(rules_lifecycle.publish_rules, version=version, by=by, at=now, floor=floor_of(operator))
        _require_not_stopped(uow)
        repository.save([(uow, changes.metadata(change))])
        after = uow.table.current_rules_lifecycle().pending
        if pending_draft is None or after is None:
            raise AssertionError("a published version was drafted before, and is pending")
        recorder.record(
            kind=recorder.SignificantEventKind.RULES_PUBLISHED,
            operator=operator,
            subject=f"table:{table}",
            actor=pending_draft.by,
            authorised_by=by,
            reason=" ".join(filter(None, (pending_draft.reason, pending_draft.acknowledgement))),
            before=_named(before),
            after={
                **_named(after.rules),
                "from": after.effective_from.value,
                "changes": list(versions.describe_differences(before.decoded, after.rules.decoded)),
            },
        )
        record_player_edge(uow, after.rules, actor=pending_draft.by, authorised_by=by)


def record_player_edge(uow: UnitOfWork, recorded: RecordedRules, *, actor: str, authorised_by: str) -> None:
    """Record a critical significant event if players have the edge by a table's new rules, for real money."""
    opened, rules = uow.table.require_opened(), recorded.decoded
    sheet = odds_sheet(rules)
    if MoneyType.REAL not in opened.money_types or not sheet.player_edge:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.PLAYER_EDGE,
        operator=opened.operator,
        subject=f"table:{opened.table}",
        actor=actor,
        authorised_by=authorised_by,
        reason=f"Players have the edge on {', '.join(sheet.player_edge)}",
        after={
            **_named(recorded),
            "odds": {spot.name: spot_in_words(spot) for spot in rules.spots},
            "returns": {each.spot: versions.format_percent(each.exact.rtp) for each in sheet.spots},
        },
    )


def _drop(change: Change) -> None:
    """Drop the draft of a change that ended without effect."""
    operator, table, version = _draft_of(change)
    uow, now = repository.lock_table(table=table, operator=operator)
    by = change.decided_by or change.requested_by
    uow.on_table(rules_lifecycle.reject_rules, version=version, reason=change.status, by=by, at=now)
    repository.save([(uow, changes.metadata(change))])


def _draft_of(change: Change) -> tuple[UUID, UUID, int]:
    return changes.operator_of(change), UUID(change.details["table"]), change.details["version"]


def retire(*, table: UUID, operator: UUID, version: int, reason: str, by: str, metadata: Metadata) -> None:
    """Retire this version, which is in force: no round opens at the table until another is published.

    Raises UnknownTable, RulesAreRetired, VersionNotInForce, VersionReasonMissing.
    """
    with transaction.atomic():
        uow, now = repository.lock_table(table=table, operator=operator)
        rules = _named(uow.table.recorded_rules)
        uow.on_table(rules_lifecycle.retire_rules, version=version, reason=reason, by=by, at=now)
        repository.save([(uow, metadata)])
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=f"table:{table}",
            actor=by,
            reason=reason,
            before={**rules, "status": "in_force"},
            after={**rules, "status": "retired"},
        )


def apply_changes(rules: TableRules, changes: Mapping[str, Any]) -> TableRules:
    """Return the rules with changes to some fields. Raises InvalidRules with each fault's code."""
    rules_for(rules.preset, currency=rules.currency)  # a preset that this release still has
    return change(rules, changes)


def _named(rules: RecordedRules) -> dict[str, Any]:
    return {"rules": rules.digest, "label": rules.decoded.label}


def _require_not_stopped(uow: UnitOfWork) -> None:
    pending, opened = uow.table.current_rules_lifecycle().pending, uow.table.require_opened()
    rules = "" if pending is None else pending.rules.digest
    for switch in kill_switch.active_stops(operator=opened.operator, rules=rules):
        if switch.scope == StopScope.RULES:
            raise RulesAreStopped(switch.message, since=switch.at)
