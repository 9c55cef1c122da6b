"""The audits of a night: what happened since the last audited checkpoint, and some older part of the log again.

After an audit without findings the state of all tables at the newest checkpoint is signed and kept, for the next night
to continue from. The first night, and any after a release that changes what the audit keeps, audits everything: a long
log in steps, each of which ends with such a state, so that what is done stays done. Of the ranges between states, each
night replays those again that were replayed longest ago, so many that all are replayed within AUDIT_REPLAY_DAYS;
wallets, payments and chats are one part more. A sample of the day's rounds is judged by the published verifier. What
witnesses have signed in the last days is asked of themselves.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final, TypeVar

from django.conf import settings

from baccarat.audit import asked_witnesses, engine, ranges
from baccarat.audit.ranges import AuditStart
from baccarat.audit.report import AuditReport
from baccarat.audit.saved_state import state_format
from casino.checkpoints import audit_states, notes
from casino.checkpoints.audit import latest_trusted
from casino.checkpoints.audit_states import Replayed
from casino.checkpoints.models import AuditKind
from casino.checkpoints.records import SignedCheckpoint
from casino.events.sql import database_now
from casino.events.verification import current_head
from casino.kernel.findings import Finding, failure
from casino.significant import recorder

logger = logging.getLogger(__name__)

Made = TypeVar("Made")

MAX_RECORDED_FINDINGS: Final = 100
"""Maximum findings of one audit recorded one by one; their number is always recorded."""
STEP: Final = 2_000_000
"""The most positions in one step through an old log: some minutes."""
FORGED: Final = "audit state is forged"
MISSED: Final = timedelta(hours=25)
"""After this time without a nightly audit one is due at any hour."""


@dataclass(frozen=True, slots=True)
class NightReport:
    """The reports of a night's audits, that of the newest events first."""

    reports: tuple[tuple[AuditKind, AuditReport], ...]

    @property
    def ok(self) -> bool:
        """Return whether there are no findings."""
        return all(report.ok for _, report in self.reports)


def is_due(now: datetime) -> bool:
    """Return whether to audit now: once in AUDIT_HOUR, or when that was missed."""
    if audit_states.seconds_since_nightly() > MISSED.total_seconds():
        return True
    last, hour = audit_states.latest(*audit_states.NIGHTLY), now.astimezone(UTC)
    begin = hour.replace(minute=0, second=0, microsecond=0)
    return hour.hour == settings.AUDIT_HOUR and (last is None or last.started_at < begin)


Judge = Callable[[SignedCheckpoint, int], AuditReport]
"""Judges rounds that ended above a position, up to a trusted checkpoint."""


def run(judge: Judge) -> NightReport:
    """Run the audits of a night, with a judge of money from above. Call it outside of any transaction."""
    reports: list[tuple[AuditKind, AuditReport]] = []
    try:
        reports.extend(_run(judge))
    except Exception as error:  # whatever ends a night must not end it unseen
        logger.exception("The night ended")
        report = _unmade(0, failure("the rest of the night", error))
        _record(AuditKind.RANGE, report, since=0, started_at=database_now())
        reports.append((AuditKind.RANGE, report))
    return NightReport(tuple(reports))


def _run(judge: Judge) -> Iterator[tuple[AuditKind, AuditReport]]:
    for step in _catch_up():
        yield step
        if not step[1].ok:
            return
    yield _audit_newest()
    yield from _judge(judge)
    for part in parts_of_night(audit_states.list_ranges(state_format=state_format()), now=database_now()):
        yield _replay(part)
    if _others_due(database_now()):
        yield _step(AuditKind.OTHER_STREAMS, ranges.audit_other_streams)
    if settings.WITNESSES:
        yield _step(AuditKind.WITNESSES, lambda: asked_witnesses.audit(now=database_now()))


def _judge(judge: Judge) -> Iterator[tuple[AuditKind, AuditReport]]:
    """Have a sample of what ended since the last time judged by the verifier, drawn by the newest checkpoint."""
    last, goal = audit_states.latest(AuditKind.MONEY), _goal()
    since = 0 if last is None else last.upto
    if goal is not None and goal.size > since:
        yield _step(AuditKind.MONEY, partial(judge, goal, since), since=since)


def _step(kind: AuditKind, audit: Callable[[], AuditReport], *, since: int = 0) -> tuple[AuditKind, AuditReport]:
    """Make one audit of the night and record it; one that raises is recorded with that finding."""
    started_at = database_now()
    report = _attempt(str(kind), audit)
    if isinstance(report, Finding):
        report = _unmade(since, report)
    _record(kind, report, since=since, started_at=started_at)
    return kind, report


def _attempt(name: str, make: Callable[[], Made]) -> Made | Finding:
    """Return what is made, or the finding that it raised."""
    try:
        return make()
    except Exception as error:
        logger.exception("%s", name)
        return failure(f"{name} of the night", error)


def _unmade(since: int, finding: Finding) -> AuditReport:
    """Return the report of an audit that could not be made."""
    return ranges.unreadable(since, since, finding)


def _catch_up() -> Iterator[tuple[AuditKind, AuditReport]]:
    """Audit a log that is longer than a step since the newest state, step by step, until less is left."""
    while audit_states.can_sign():
        start, goal = newest_start(), _goal()
        since = 0 if start is None else start.checkpoint.size
        if goal is None or goal.size - since <= STEP:
            return
        end = latest_trusted(upto=since + STEP)
        if end is None or end.size <= since:
            return
        states, state = dict[int, bytes](), None if start is None else start.state
        step = partial(ranges.advance, since, end.size, state=state, save=states.__setitem__)
        kind, report = _step(AuditKind.RANGE, step, since=since)
        if report.ok:
            audit_states.save(end.size, states[end.size], state_format=state_format())
        yield kind, report
        if not report.ok:
            return


def _audit_newest() -> tuple[AuditKind, AuditReport]:
    """Audit what happened since the newest state; in full without one, or if that can't be done."""
    started_at, states = database_now(), dict[int, bytes]()
    start = _attempt("signed states", newest_start)
    goal = _attempt("checkpoints", _goal) if audit_states.can_sign() else None
    failures = [each for each in (start, goal) if isinstance(each, Finding)]
    kind, report = AuditKind.SINCE_CHECKPOINT, None
    if isinstance(start, AuditStart):
        save_at = goal.size if isinstance(goal, SignedCheckpoint) and goal.size > start.checkpoint.size else 0
        made = _attempt(str(kind), partial(ranges.audit_since, start, save_at=save_at, save=states.__setitem__))
        failures += [made] if isinstance(made, Finding) else []
        report = None if isinstance(made, Finding) else made
    if report is None:
        states.clear()
        kind, save_at = AuditKind.FULL, goal.size if isinstance(goal, SignedCheckpoint) else 0
        full = partial(engine.run_audit, with_schema=True, save_at=save_at, save=states.__setitem__)
        made = _attempt(str(kind), full)
        report = _unmade(0, made) if isinstance(made, Finding) else made
    report = replace(report, findings=(*failures, *report.findings))
    if report.ok:
        for position, state in states.items():
            audit_states.save(position, state, state_format=state_format())
    _record(kind, report, since=report.since, started_at=started_at)
    return kind, report


def newest_start() -> AuditStart | None:
    """Return the newest state that a trusted key signed at a trusted checkpoint, None if everything must be audited."""
    for each in reversed(audit_states.list_ranges(state_format=state_format())):
        checkpoint = latest_trusted(upto=each.upto)
        if checkpoint is not None and checkpoint.size == each.upto:
            state = audit_states.load(each.upto, state_format=state_format())
            if state is not None:
                return AuditStart(checkpoint, state)
    return None


def _goal() -> SignedCheckpoint | None:
    """Return the newest checkpoint that is trusted, and within what witnesses have cosigned if there are any."""
    head = current_head().position
    upto = min(head, notes.latest_cosigned().size) if settings.WITNESSES else head
    return latest_trusted(upto=upto)


def parts_of_night(every: Sequence[Replayed], *, now: datetime) -> list[Replayed]:
    """Return the ranges to replay tonight: the longest ago first, a share of the log that comes round in time.

    What would be too old by the next night comes along in any case.
    """
    days = timedelta(days=settings.AUDIT_REPLAY_DAYS)
    share = sum(each.upto - each.since for each in every) / settings.AUDIT_REPLAY_DAYS
    parts, read = list[Replayed](), 0
    for each in sorted(every, key=lambda part: (part.at, part.upto)):
        too_old = now - each.at > days - timedelta(days=1)
        recent = now - each.at < min(timedelta(hours=12), days / 2)
        if recent or (read >= share and not too_old):
            break
        parts.append(each)
        read += each.upto - each.since
    return parts


def _replay(part: Replayed) -> tuple[AuditKind, AuditReport]:
    return _step(AuditKind.RANGE, partial(_replay_part, part), since=part.since)


def _replay_part(part: Replayed) -> AuditReport:
    state = audit_states.load(part.since, state_format=state_format()) if part.since else None
    end = audit_states.load(part.upto, state_format=state_format())
    if end is None or (part.since and state is None):
        finding = Finding(FORGED, f"position {part.upto}", "a state that a trusted key signed", "another")
        return ranges.unreadable(part.since, part.upto, finding)
    return ranges.replay_range(part.since, part.upto, state=state, end=end)


def _others_due(now: datetime) -> bool:
    full = audit_states.latest(AuditKind.FULL, AuditKind.OTHER_STREAMS)
    return full is None or now - full.ended_at > timedelta(days=settings.AUDIT_REPLAY_DAYS - 1)


def _record(kind: AuditKind, report: AuditReport, *, since: int, started_at: datetime) -> None:
    """Record the audit, and each finding once, however many nights it recurs."""
    logger.log(logging.INFO if report.ok else logging.ERROR, "%s: %s", kind, report.summary_line())
    if not report.ok:
        recorder.record_many([_failed(kind, report), *map(_found, report.findings[:MAX_RECORDED_FINDINGS])])
    audit_states.record(
        kind,
        since=since,
        upto=report.head[0],
        findings=len(report.findings),
        verdict=report.summary_line(),
        started_at=started_at,
    )


def _failed(kind: AuditKind, report: AuditReport) -> recorder.NewSignificantEvent:
    position, digest = report.head
    today = datetime.now(UTC).date().isoformat()
    part = "" if kind in audit_states.NIGHTLY else f" {kind} {report.since}"
    return recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject=f"audit:{today}",
        actor="system",
        reason=report.summary_line(),
        after={"findings": len(report.findings), "position": position, "head": digest},
        dedup_key=f"audit {today}{part}",
    )


def _found(finding: Finding) -> recorder.NewSignificantEvent:
    name = sha256(f"{finding.kind}\n{finding.location}\n{finding.actual}".encode()).hexdigest()
    return recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.AUDIT_FINDING,
        operator=None,
        subject=finding.location[:200],
        actor="system",
        reason=finding.kind,
        before={"expected": finding.expected},
        after={"found": finding.actual},
        dedup_key=f"audit finding {name}",
    )
