"""Replay versions of rules: recomputed returns, two persons per publication, and the version of each round."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from baccarat.audit.traces import OUT_OF_PLACE, TableTrace
from baccarat.domain.rules import versions
from baccarat.domain.rules.recorded import RecordedRules, digest_of
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from baccarat.domain.tables import events as e
from baccarat.domain.tables.evolve import evolve_rules
from baccarat.domain.tables.state import PendingRules, RulesLifecycle
from baccarat.storage import rules_versions
from casino.kernel.findings import Finding
from casino.kernel.money import MoneyType

RETURNS: Final = "theoretical return differs"
OTHER_TIME: Final = "version takes effect at another time"
UNACKNOWLEDGED: Final = "return not acknowledged"
OTHER_DIGEST: Final = "rules differ from their digest"


def find_version_faults(
    rules: TableRules, returns: tuple[versions.SpotReturn, ...], *, floor: int, acknowledgement: str, real: bool
) -> Iterator[tuple[str, object, object]]:
    """Check a table's first rules: their returns, and what had to be acknowledged for real money."""
    expected = versions.theoretical_returns(rules)
    if expected != returns:
        yield RETURNS, expected, returns
    under = [doubt.spot for doubt in versions.return_warnings(rules, floor=floor) if not doubt.player_edge]
    if real and under and not versions.is_acknowledged(rules, floor=floor, acknowledgement=acknowledgement):
        yield UNACKNOWLEDGED, ", ".join(under), acknowledgement or "nothing"


def find_digest_faults(recorded: RecordedRules) -> Iterator[tuple[str, object, object]]:
    """Check that the digest by which rules are named is that of their recorded JSON."""
    digest = digest_of(recorded.values)
    if digest != recorded.digest:
        yield OTHER_DIGEST, digest, recorded.digest


def version_rows_of(table: TableTrace) -> rules_versions.VersionRows:
    """Return the rows of the table's versions; the first row may not be written yet."""
    if not table.versions:
        rules_versions.apply_events(table.versions, [table.opened], table.opened)
    return table.versions


def replay_rules_drafted(table: TableTrace, event: e.RulesDrafted) -> None:
    """Check drafted rules: a new number, playable, correct returns, acknowledged where required."""
    lifecycle = _lifecycle(table)
    if (
        lifecycle.draft is not None
        or event.version != lifecycle.latest_version + 1
        or event.rules.decoded.version != event.version
    ):
        table.record_difference(
            OUT_OF_PLACE, f"version {lifecycle.latest_version + 1} and no other draft", f"version {event.version}"
        )
    rules = event.rules.decoded
    for fault in find_digest_faults(event.rules):
        table.record_difference(*fault)
    if (rules.preset, rules.currency, rules.shuffle) != (table.rules.preset, table.rules.currency, table.rules.shuffle):
        table.record_difference("rules of another table", table.label, rules.label)
    try:
        validate(rules)
    except InvalidRules as wrong:
        table.record_difference("rules are not playable", wrong.detail, rules)
    else:
        _require_returns(table, rules, event.returns)
        acknowledged = versions.is_acknowledged(rules, floor=event.return_floor, acknowledgement=event.acknowledgement)
        if MoneyType.REAL in table.opened.money_types and not acknowledged:
            expected = versions.acknowledgement_sentence(rules, floor=event.return_floor)
            table.record_difference(UNACKNOWLEDGED, expected or "nothing", event.acknowledgement or "nothing")
    _apply(table, event)


def replay_rules_rejected(table: TableTrace, event: e.RulesRejected) -> None:
    """Record that a draft was rejected."""
    if _drafted_version(table) == event.version:
        _apply(table, event)
    else:
        table.record_difference(OUT_OF_PLACE, f"draft {_drafted_version(table)}", f"draft {event.version}")


def replay_rules_published(table: TableTrace, event: e.RulesPublished) -> None:
    """Check a publication: of an unchanged draft, approved by another person."""
    draft = _lifecycle(table).draft
    if draft is None or draft.rules != event.rules or draft.rules.decoded.version != event.version:
        table.record_difference(OUT_OF_PLACE, f"draft {_drafted_version(table)}", f"draft {event.version}")
        return
    if event.by == draft.by or event.drafted_by != draft.by:
        table.record_difference(
            "published by one person", f"another one than {draft.by}", f"{event.drafted_by}, {event.by}"
        )
    choices = _effective_choices(table, event.rules.decoded)
    if event.effective_from not in choices:
        table.record_difference(
            OTHER_TIME, " or ".join(choices) or "no version: the next shoe is bound", event.effective_from
        )
    _apply(table, event)


def replay_rules_took_effect(table: TableTrace, event: e.RulesTookEffect) -> None:
    """Check that published rules take effect between rounds, or between shoes if they wait for one."""
    pending = _lifecycle(table).pending
    if pending is None or pending.rules != event.rules or event.version != event.rules.decoded.version:
        table.record_difference(OUT_OF_PLACE, "the rules that were published", event.rules.decoded.label)
        return
    if table.round is not None or (
        pending.effective_from is not e.EffectiveFrom.NEXT_ROUND and _is_early(table, pending)
    ):
        table.record_difference(OTHER_TIME, pending.effective_from, "before it")
    if event.first_round != table.rounds + 1:
        table.record_difference("round number differs", table.rounds + 1, event.first_round)
    table.end_show(event.at)
    _apply(table, event)
    table.apply_rules(event.rules)
    table.marks.clear()
    for table_seat in table.seats.values():
        table_seat.last_wager = None


def replay_rules_retired(table: TableTrace, event: e.RulesRetired) -> None:
    """Record that rules were retired."""
    if event.version != table.rules.version or _lifecycle(table).retired:
        table.record_difference(OUT_OF_PLACE, f"version {table.rules.version} in force", event.version)
    if not event.reason.strip():
        table.record_difference("version withdrawn without a reason", "why", "nothing")
    _apply(table, event)


def check_rules_in_force(table: TableTrace) -> None:
    """Record a round by retired rules, or opened while others had to take effect."""
    lifecycle = table.rules_lifecycle
    if lifecycle is None:
        return
    if lifecycle.retired:
        table.record_difference("round by withdrawn rules", "no round", table.label)
    if lifecycle.pending is not None and _is_superseded(table, lifecycle.pending):
        table.record_difference("round by superseded rules", lifecycle.pending.rules.decoded.label, table.label)


def _is_superseded(table: TableTrace, pending: PendingRules) -> bool:
    """Return whether pending rules had to take effect before a round that opens now."""
    if pending.effective_from is e.EffectiveFrom.NEXT_ROUND:
        return True
    return table.shoe is None and (table.has_long_shoe or not _is_early(table, pending))


def check_shoe_rules_in_force(table: TableTrace) -> None:
    """Record a shoe that starts by rules that others should have replaced."""
    pending = None if table.rules_lifecycle is None else table.rules_lifecycle.pending
    if pending is None or pending.effective_from is not e.EffectiveFrom.NEXT_SHOE or table.shoe is not None:
        return
    if table.next_shoe is None or pending.rules.decoded.shape == table.next_shoe.shape:
        table.record_difference("shoe by superseded rules", pending.rules.decoded.label, table.label)


def compare_versions(tables: Iterable[TableTrace]) -> Iterator[Finding]:
    """Compare every version with its row."""
    expected = {table.opened.table: version_rows_of(table) for table in tables}
    stored = rules_versions.load(expected)
    for identity, rows in expected.items():
        yield from _differences(identity, rows, stored[identity])


def _differences(
    table: UUID, expected: rules_versions.VersionRows, stored: rules_versions.VersionRows
) -> Iterator[Finding]:
    for number in sorted(expected.keys() | stored.keys()):
        expected_row, actual_row = expected.get(number), stored.get(number)
        where = f"{rules_versions.VERSIONS.table} {table}/{number}"
        if expected_row is None or actual_row is None:
            what = "row is extra" if expected_row is None else "row is missing"
            yield Finding(
                what, where, "none" if expected_row is None else "a row", "none" if actual_row is None else "a row"
            )
            continue
        for (name, _), expected_value, actual_value in zip(
            rules_versions.VERSIONS.columns, expected_row, actual_row, strict=True
        ):
            if expected_value != actual_value:
                yield Finding("row differs", f"{where} {name}", str(expected_value), str(actual_value))


def _lifecycle(table: TableTrace) -> RulesLifecycle:
    return table.rules_lifecycle or RulesLifecycle(in_force=table.recorded_rules, latest_version=table.rules.version)


def _effective_choices(table: TableTrace, rules: TableRules) -> tuple[e.EffectiveFrom, ...]:
    """Return what rules published now may wait for."""
    late = table.shoe is not None and versions.waits_for_shoe(table.rules, rules)
    usual = e.EffectiveFrom.NEXT_SHOE if late else e.EffectiveFrom.NEXT_ROUND
    committed = [shoe.shape for shoe in (table.coming_shoe, table.next_shoe) if shoe is not None]
    if all(shape == rules.shape for shape in committed):
        return (usual,)
    return (e.EffectiveFrom.NEW_SHOE,) if committed[-1] in (table.rules.shape, rules.shape) else ()


def _is_early(table: TableTrace, pending: PendingRules) -> bool:
    """Return whether a shoe must end before pending rules: the one in play, or one committed to by other rules."""
    next_shoe = table.coming_shoe or table.next_shoe
    if table.shoe is not None or next_shoe is None:
        return table.shoe is not None
    return pending.rules.decoded.shape != next_shoe.shape


def _drafted_version(table: TableTrace) -> int | None:
    draft = _lifecycle(table).draft
    return None if draft is None else draft.rules.decoded.version


def _apply(table: TableTrace, event: e.VersionEvent) -> None:
    table.rules_lifecycle = evolve_rules(_lifecycle(table), event)
    try:
        rules_versions.apply_events(version_rows_of(table), [event], table.opened)
    except KeyError:
        table.record_difference(OUT_OF_PLACE, "a version that was drafted", event.version)


def _require_returns(table: TableTrace, rules: TableRules, actual: tuple[versions.SpotReturn, ...]) -> None:
    expected = versions.theoretical_returns(rules)
    if expected != actual:
        table.record_difference(RETURNS, expected, actual)


STEPS: Final[dict[type, Callable[[TableTrace, Any], None]]] = {
    e.RulesDrafted: replay_rules_drafted,
    e.RulesRejected: replay_rules_rejected,
    e.RulesPublished: replay_rules_published,
    e.RulesTookEffect: replay_rules_took_effect,
    e.RulesRetired: replay_rules_retired,
}
