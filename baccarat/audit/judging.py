"""What the events have led to by now, against what the database holds: tables, all else, the database itself."""

from collections.abc import Collection, Sequence
from uuid import UUID

from baccarat.audit import money, pending, read_models, reading, versioning
from baccarat.audit.fold import Fold, Followed
from baccarat.audit.notes import Notes
from baccarat.audit.plain import states
from baccarat.audit.plain.tracing import traced
from baccarat.audit.touched import Touched
from casino.events.inspection import inspect


def judge_batch(fold: Fold, followed: Sequence[Followed]) -> None:
    """This will judge what the last batch of events moved, and the rows of the rounds that ended in it."""
    notes, plain = fold.notes, fold.plain
    money.compare(followed, notes, causes=fold.causes, entries=plain.entries)
    read_models.compare_rounds([*fold.ended, *map(traced, states.different(plain.ended))], notes)


def judge_tables(fold: Fold, notes: Notes, *, oldest: float) -> Collection[UUID]:
    """This will judge tables, the rounds that are not over, and their secrets; returns the shoes in play."""
    now, _ = reading.now()
    fold.conclude()
    read_models.compare_rounds([*fold.running.values(), *fold.held.values()], notes)
    read_models.compare_tables(list(fold.tables.values()), notes)
    notes.findings.extend(fold.switches.check_tables(fold.tables.values()))
    notes.findings.extend(versioning.compare(fold.tables.values()))
    pending.check_rounds(fold, notes, now=now, oldest=oldest)
    return pending.check_secrets(fold, notes)


def judge_others(fold: Fold, notes: Notes) -> None:
    """This will judge wallets, chats and switches."""
    read_models.compare_switches(fold.switches.rows.values(), notes)
    fold.wallets.check_state()
    for finding in fold.chats.check_state():
        notes.add(finding.what, finding.where, finding.expected, finding.found)


def judge_database(notes: Notes, *, oldest: float, touched: Touched | None = None) -> None:
    """This will ask the database what needs no event to be read: queue and streams, rows of nothing, the ledger.

    With `touched`, of streams and accounts only these, and nothing of rows that no event stands behind.
    """
    _, age = reading.now()
    if touched is not None:
        notes.findings.extend(inspect(oldest=oldest + age, streams=touched.streams))
        money.check_itself(notes, since=touched.since)
        return
    notes.findings.extend(inspect(oldest=oldest + age))
    read_models.find_extra(notes)
    money.check_itself(notes)
