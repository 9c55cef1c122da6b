"""The nightly audit. Records its findings as significant events."""

import logging
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from baccarat.audit import engine
from baccarat.audit.report import AuditReport
from casino.kernel.findings import Finding
from casino.significant import recorder

logger = logging.getLogger(__name__)

MAX_RECORDED_FINDINGS: Final = 100
"""Maximum findings of one audit recorded one by one; their number is always recorded."""


def run_nightly_audit() -> AuditReport:
    """Run a full audit; record each finding once, however many nights it recurs.

    Call it outside of any transaction.
    """
    report = engine.run_audit()
    logger.log(logging.INFO if report.ok else logging.ERROR, report.summary_line())
    if not report.ok:
        recorder.record_many([_failed(report), *map(_found, report.findings[:MAX_RECORDED_FINDINGS])])
    return report


def _failed(report: AuditReport) -> recorder.NewSignificantEvent:
    position, digest = report.head
    today = datetime.now(UTC).date().isoformat()
    return recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject=f"audit:{today}",
        actor="system",
        reason=report.summary_line(),
        after={"findings": len(report.findings), "position": position, "head": digest},
        dedup_key=f"audit {today}",
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
