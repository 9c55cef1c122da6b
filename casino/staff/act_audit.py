"""Audit of acts: each row of a table that only acts change was written by one, and enough persons agreed on each."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from casino.events import payloads
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.kernel.persons import is_another_person, is_shell
from casino.operators.acts import CHANGE_KEY
from casino.operators.models import Operator
from casino.significant.act_log import ACT_EVENTS, ActDone, ChangedRow
from casino.staff import duties
from casino.staff.acts import MAKE_SUPERUSER
from casino.staff.people import FEWEST

UNDONE: Final = "row was changed by no act"
INVENTED: Final = "act names a change that was none"
ALONE: Final = "act by too few persons"
UNKNOWN: Final = "act that the policy does not have"
MAX_FINDINGS: Final = 1000
"""The most findings of one kind."""

_ACTS: Final = """
    SELECT id, stream, schema, data::text FROM events_event AS event
     WHERE "left"(stream, 6) <> ALL ('{round-,table-}'::text[]) AND type = 'ActDone' ORDER BY id
"""
_WRITTEN: Final = """
    SELECT number, table_name, row_key, encode(digest, 'hex') FROM events_rowdigest
     WHERE needs_act ORDER BY number
"""


def read() -> list[tuple[str, ActDone]]:
    """Return all acts with their streams, in their order. Raises ArchiveUnavailable."""
    rows = payloads.fill(fetch(_ACTS), event=0, data=3)
    return [(stream, ACT_EVENTS.decode(ActDone.__name__, schema, data)) for _, stream, schema, data in rows]


def check() -> list[Finding]:
    """Compare the acts with the rows that were written, and with the policy of duties."""
    done = read()
    live = dict(Operator.objects.filter(sandbox=False).values_list("pk", "created_at"))
    first = min(live.values(), default=None)
    findings: list[Finding] = []
    issued: set[UUID | None] = set()
    administrators: set[str] = set()
    for stream, act in done:
        if act.act == CHANGE_KEY.name and act.operator not in issued:
            issued.add(act.operator)
            if is_shell(act.actor):  # a command makes an operator's first key, as a critical significant event
                continue
        if act.act == MAKE_SUPERUSER.name and is_shell(act.actor):  # so are the first administrators made
            administrators.add(act.subject)
            if len(administrators) <= FEWEST:
                continue
        is_live = act.operator in live if act.operator is not None else first is not None and first <= act.at
        findings.extend(_check_persons(act, stream, is_live=is_live))
    return [*findings[:MAX_FINDINGS], *_check_rows({row.number: row for _, act in done for row in act.rows})]


def _check_persons(act: ActDone, stream: str, *, is_live: bool) -> Iterator[Finding]:
    try:
        policy = duties.find(act.act)
    except LookupError:
        yield Finding(UNKNOWN, stream, "an act of the policy", act.act)
        return
    persons = policy.persons + (policy.one_more == duties.TO_LOOSEN)
    others = [
        person
        for number, person in enumerate(act.persons)
        if all(is_another_person(person, earlier) for earlier in act.persons[:number])
    ]
    if is_live and persons > 1 and not act.tightens and len(others) < persons:
        yield Finding(
            ALONE, f"{stream} {act.act} {act.subject}", f"{persons} persons", ", ".join(act.persons) or "nobody"
        )


def _check_rows(named: Mapping[int, ChangedRow]) -> Iterator[Finding]:
    written = {row[0]: ChangedRow(*row) for row in fetch(_WRITTEN)}
    undone = [row for number, row in written.items() if number not in named]
    for row in undone[:MAX_FINDINGS]:
        yield Finding(UNDONE, f"{row.table} {row.key}", "an act", f"digest {row.number} alone")
    for number in sorted(named):
        if written.get(number) != named[number]:
            yield Finding(INVENTED, f"digest {number}", str(written.get(number)), str(named[number]))
