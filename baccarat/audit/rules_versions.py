"""Versions of rules as an audit follows them: returns computed again, two persons, and every round by the right one."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from baccarat.audit.traces import TableTrace
from baccarat.domain.rules import versions
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import InvalidRules, check
from baccarat.domain.tables import rules_events as e
from baccarat.domain.tables.rules_state import Next, Ruled, after
from baccarat.storage import rules_versions
from casino.kernel.findings import Finding
from casino.kernel.money import Book

OUT_OF_PLACE: Final = "event out of place"
RETURNS: Final = "theoretical return differs"
OTHER_TIME: Final = "version takes effect at another time"
UNACKNOWLEDGED: Final = "return not acknowledged"


def faults(
    rules: TableRules, returns: tuple[versions.SpotReturn, ...], *, floor: int, words: str, real: bool
) -> Iterator[tuple[str, object, object]]:
    """Judge a table's first rules: what they return, and what of it had to be acknowledged for real money."""
    due = versions.returns(rules)
    if due != returns:
        yield RETURNS, due, returns
    under = [doubt.spot for doubt in versions.doubts(rules, floor=floor) if not doubt.players_edge]
    if real and under and not versions.is_acknowledged(rules, floor=floor, words=words):
        yield UNACKNOWLEDGED, ", ".join(under), words or "nothing"


def rows(table: TableTrace) -> rules_versions.Rows:
    """Return the rows of the table's versions: the first is written when somebody asks."""
    if not table.versions:
        rules_versions.follow(table.versions, [table.opened], table.opened)
    return table.versions


def drafted(table: TableTrace, event: e.RulesDrafted) -> None:
    """Follow proposed rules: a new number, playable, their returns right, and acknowledged where due."""
    ruled = _ruling(table)
    if ruled.draft is not None or event.version != ruled.highest + 1 or event.rules.version != event.version:
        table.differs(OUT_OF_PLACE, f"version {ruled.highest + 1} and no other draft", f"version {event.version}")
    rules = event.rules
    if (rules.preset, rules.currency, rules.shuffle) != (table.rules.preset, table.rules.currency, table.rules.shuffle):
        table.differs("rules of another table", table.label, rules.label)
    try:
        check(rules)
    except InvalidRules as wrong:
        table.differs("rules are not playable", wrong.detail, rules)
    else:
        _require_returns(table, rules, event.returns)
        words = versions.is_acknowledged(rules, floor=event.floor, words=event.acknowledgement)
        if Book.REAL in table.opened.books and not words:
            due = versions.sentence(rules, floor=event.floor)
            table.differs(UNACKNOWLEDGED, due or "nothing", event.acknowledgement or "nothing")
    _follow(table, event)


def rejected(table: TableTrace, event: e.RulesRejected) -> None:
    """Follow a draft that was refused."""
    if _drafted_version(table) == event.version:
        _follow(table, event)
    else:
        table.differs(OUT_OF_PLACE, f"draft {_drafted_version(table)}", f"draft {event.version}")


def published(table: TableTrace, event: e.RulesPublished) -> None:
    """Follow a draft to which another person agreed, as it was drafted."""
    draft = _ruling(table).draft
    if draft is None or draft.rules != event.rules or draft.rules.version != event.version:
        table.differs(OUT_OF_PLACE, f"draft {_drafted_version(table)}", f"draft {event.version}")
        return
    if event.by == draft.by or event.drafted_by != draft.by:
        table.differs("published by one person", f"another one than {draft.by}", f"{event.drafted_by}, {event.by}")
    due = _waits(table, event.rules)
    if event.waits_for not in due:
        table.differs(OTHER_TIME, " or ".join(due) or "no version: the next shoe is bound", event.waits_for)
    _follow(table, event)


def took_effect(table: TableTrace, event: e.RulesTookEffect) -> None:
    """Follow published rules to where they hold: between rounds, or between shoes where they wait for one."""
    waiting = _ruling(table).next
    if waiting is None or waiting.rules != event.rules or event.version != event.rules.version:
        table.differs(OUT_OF_PLACE, "the rules that were published", event.rules.label)
        return
    if table.round is not None or (waiting.waits_for is not e.Waits.NEXT_ROUND and _is_early(table, waiting)):
        table.differs(OTHER_TIME, waiting.waits_for, "before it")
    if event.first_round != table.rounds + 1:
        table.differs("round number differs", table.rounds + 1, event.first_round)
    _follow(table, event)
    table.play_by(event.rules)
    table.marks.clear()
    for guest in table.guests.values():
        guest.last_wager = None


def decommissioned(table: TableTrace, event: e.RulesDecommissioned) -> None:
    """Follow rules that were withdrawn."""
    if event.version != table.rules.version or _ruling(table).withdrawn:
        table.differs(OUT_OF_PLACE, f"version {table.rules.version} in force", event.version)
    if not event.reason.strip():
        table.differs("version withdrawn without a reason", "why", "nothing")
    _follow(table, event)


def require_in_force(table: TableTrace) -> None:
    """Note a round by rules that are withdrawn, or opened while others had to take effect."""
    ruled = table.ruled
    if ruled is None:
        return
    if ruled.withdrawn:
        table.differs("round by withdrawn rules", "no round", table.label)
    if ruled.next is not None and _is_superseded(table, ruled.next):
        table.differs("round by superseded rules", ruled.next.rules.label, table.label)


def _is_superseded(table: TableTrace, waiting: Next) -> bool:
    """Whether rules that wait had to take effect before a round that opens now."""
    if waiting.waits_for is e.Waits.NEXT_ROUND:
        return True
    return table.shoe is None and (table.long or not _is_early(table, waiting))


def require_shoe_in_force(table: TableTrace) -> None:
    """Note a shoe that starts by rules in whose place others had to take effect."""
    waiting = None if table.ruled is None else table.ruled.next
    if waiting is None or waiting.waits_for is not e.Waits.NEXT_SHOE or table.shoe is not None:
        return
    if table.coming is None or waiting.rules.shape == (table.coming.shape or table.rules.shape):
        table.differs("shoe by superseded rules", waiting.rules.label, table.label)


def compare(tables: Iterable[TableTrace]) -> Iterator[Finding]:
    """Compare every version with its row."""
    known = {table.opened.table: rows(table) for table in tables}
    stored = rules_versions.load(known)
    for identity, wanted in known.items():
        yield from _differences(identity, wanted, stored[identity])


def _differences(table: UUID, wanted: rules_versions.Rows, stored: rules_versions.Rows) -> Iterator[Finding]:
    for number in sorted(wanted.keys() | stored.keys()):
        due, has = wanted.get(number), stored.get(number)
        where = f"{rules_versions.VERSIONS.table} {table}/{number}"
        if due is None or has is None:
            what = "row is extra" if due is None else "row is missing"
            yield Finding(what, where, "none" if due is None else "a row", "none" if has is None else "a row")
            continue
        for (name, _), right, found in zip(rules_versions.VERSIONS.columns, due, has, strict=True):
            if right != found:
                yield Finding("row differs", f"{where} {name}", str(right), str(found))


def _ruling(table: TableTrace) -> Ruled:
    return table.ruled or Ruled(in_force=table.rules, highest=table.rules.version)


def _waits(table: TableTrace, rules: TableRules) -> tuple[e.Waits, ...]:
    """What rules published now may wait for. A shoe from before shapes were bound has that of its table's rules."""
    late = table.shoe is not None and versions.waits_for_shoe(table.rules, rules)
    usual, coming = e.Waits.NEXT_SHOE if late else e.Waits.NEXT_ROUND, table.coming
    if coming is None or rules.shape == (coming.shape or table.rules.shape):
        return (usual,)
    if coming.shape is None:
        return (usual, e.Waits.NEW_SHOE)
    return (e.Waits.NEW_SHOE,) if coming.shape == table.rules.shape else ()


def _is_early(table: TableTrace, waiting: Next) -> bool:
    """Whether a shoe still stands before rules that wait for one: that in play, or one committed to otherwise."""
    coming = table.coming
    if table.shoe is not None or coming is None:
        return table.shoe is not None
    if coming.shape is None and waiting.waits_for is e.Waits.NEXT_SHOE:  # as it was before shapes were bound
        return False
    return waiting.rules.shape != (coming.shape or table.rules.shape)


def _drafted_version(table: TableTrace) -> int | None:
    draft = _ruling(table).draft
    return None if draft is None else draft.rules.version


def _follow(table: TableTrace, event: e.VersionEvent) -> None:
    table.ruled = after(_ruling(table), event)
    try:
        rules_versions.follow(rows(table), [event], table.opened)
    except KeyError:
        table.differs(OUT_OF_PLACE, "a version that was drafted", event.version)


def _require_returns(table: TableTrace, rules: TableRules, found: tuple[versions.SpotReturn, ...]) -> None:
    due = versions.returns(rules)
    if due != found:
        table.differs(RETURNS, due, found)


STEPS: Final[dict[type, Callable[[TableTrace, Any], None]]] = {
    e.RulesDrafted: drafted,
    e.RulesRejected: rejected,
    e.RulesPublished: published,
    e.RulesTookEffect: took_effect,
    e.RulesDecommissioned: decommissioned,
}
