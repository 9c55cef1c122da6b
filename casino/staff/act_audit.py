"""Audit of acts: each row of a table that only acts change was written by one, and enough persons agreed on each.

An act that takes several persons at a live operator names the change on which they agreed: of this act, about the same
subject, confirmed before it by the persons that it names, and by no other act.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.sql import fetch
from casino.kernel.findings import Finding, Findings, failure
from casino.kernel.persons import is_shell
from casino.operators import changes
from casino.operators.acts import CHANGE_KEY
from casino.operators.change import agreed_by, change_stream
from casino.operators.change_audit import ChangeTraces
from casino.operators.changes import CHANGE_EVENTS
from casino.significant.act_log import ACT_EVENTS, ActDone, ChangedRow
from casino.staff import duties
from casino.staff.acts import MAKE_SUPERUSER
from casino.staff.people import FEWEST

UNDONE: Final = "row was changed by no act"
INVENTED: Final = "act names a change that was none"
ALONE: Final = "act by too few persons"
OTHERWISE: Final = "act differs from its change"
TWICE: Final = "change was used twice"
UNKNOWN: Final = "act that the policy does not have"

_EVENTS: Final = """
    SELECT id, stream, version, type, schema, data::text FROM events_event AS event
     WHERE "left"(stream, 6) <> ALL ('{round-,table-}'::text[]) AND type = ANY (%s::text[]) ORDER BY id
"""
_WRITTEN: Final = """
    SELECT number, table_name, row_key, encode(digest, 'hex') FROM events_rowdigest
     WHERE needs_act ORDER BY number
"""


def read() -> list[tuple[str, ActDone]]:
    """Return all acts with their streams, in their order."""
    return [(stream, act) for stream, _, act in _read(ActDone.__name__)]


def check() -> list[Finding]:
    """Compare the acts with the rows that were written, with the policy of duties, and with the changes they name."""
    findings = Findings()
    rows: dict[int, ChangedRow] = {}
    policy = _Policy()
    for stream, version, event in _read(ActDone.__name__, *(each.event.__name__ for each in CHANGE_EVENTS.types)):
        if isinstance(event, ActDone):
            rows |= {row.number: row for row in event.rows}
            findings.extend(policy.checked(event, stream))
        else:
            policy.follow(event, stream, version)
    findings.extend(_check_rows(rows))
    return findings


def _read(*types: str) -> Iterator[tuple[str, int, Any]]:
    """Yield events of no table with their streams and versions. One that can't be read is the log's finding."""
    for _, stream, version, kind, schema, data in fetch(_EVENTS, [list(types)]):
        events = ACT_EVENTS if kind in ACT_EVENTS else CHANGE_EVENTS
        try:
            yield stream, version, events.decode(kind, schema, data)
        except (MalformedEvent, UnknownEvent):
            continue


class _Policy:
    """The policy of duties, with the changes as of the events so far."""

    def __init__(self) -> None:
        self._with_key: set[UUID | None] = set()
        self._administrators: set[str] = set()
        self._changes = ChangeTraces()
        self._first = min(self._changes.live.values(), default=None)
        self._used: set[UUID] = set()

    def follow(self, event: Any, stream: str, version: int) -> None:
        """Follow a change; what contradicts its rules is the log's finding."""
        with suppress(Exception):
            list(self._changes.replay(event, stream=stream, version=version, where=""))

    def checked(self, act: ActDone, stream: str) -> Iterator[Finding]:
        """Check an act; an exception is a finding, too."""
        try:
            yield from self.check(act, stream)
        except Exception as error:  # noqa: BLE001  (one act ends no audit)
            yield failure(stream, error)

    def check(self, act: ActDone, stream: str) -> Iterator[Finding]:
        """Check an act against the policy, and against the change that it names."""
        try:
            duty = duties.find(act.act)
        except LookupError:
            yield Finding(UNKNOWN, stream, "an act of the policy", act.act)
            return
        where = f"{stream} {act.act} {act.subject}"
        persons, is_first = duty.persons + (duty.one_more == duties.TO_LOOSEN), self._is_first(act)
        if act.change is not None:
            yield from self._check_change(act, act.change, where)
        elif persons > 1 and not act.tightens and self._is_live(act) and not is_first:
            yield Finding(ALONE, where, f"a change by {persons} persons", ", ".join(act.persons) or "nobody")

    def _check_change(self, act: ActDone, change: UUID, where: str) -> Iterator[Finding]:
        state = self._changes.agreed(change_stream(change))
        if state is None:
            yield Finding(ALONE, where, "a confirmed change", f"{change} of {', '.join(act.persons)}")
            return
        asked, duty = state.requested, changes.act_of(state.requested.kind)
        due = (duty.name, asked.subject, asked.operator, agreed_by(state))
        if due != (act.act, act.subject, act.operator, act.persons):
            yield Finding(OTHERWISE, where, str(due), str((act.act, act.subject, act.operator, act.persons)))
        if change in self._used:
            yield Finding(TWICE, where, "one act of each change", str(change))
        self._used.add(change)

    def _is_live(self, act: ActDone) -> bool:
        if act.operator is not None:
            return act.operator in self._changes.live
        return self._first is not None and self._first <= act.at

    def _is_first(self, act: ActDone) -> bool:
        """Return whether a command does what nobody else could yet, each time as a critical significant event."""
        if act.act == MAKE_SUPERUSER.name and is_shell(act.actor):
            self._administrators.add(act.subject)
            return len(self._administrators) <= FEWEST
        if act.act != CHANGE_KEY.name or act.operator in self._with_key:
            return False
        self._with_key.add(act.operator)
        return is_shell(act.actor)


def _check_rows(named: Mapping[int, ChangedRow]) -> Iterator[Finding]:
    written = {row[0]: ChangedRow(*row) for row in fetch(_WRITTEN)}
    undone = [row for number, row in written.items() if number not in named]
    for row in undone:
        yield Finding(UNDONE, f"{row.table} {row.key}", "an act", f"digest {row.number} alone")
    for number in sorted(named):
        if written.get(number) != named[number]:
            yield Finding(INVENTED, f"digest {number}", str(written.get(number)), str(named[number]))
