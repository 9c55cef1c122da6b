"""The audit that nobody asked for: each night, and what it finds becomes significant events."""

import logging
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from baccarat.audit import engine
from baccarat.audit.report import Report
from casino.kernel.findings import Finding
from casino.significant import recorder

logger = logging.getLogger(__name__)

MOST: Final = 100
"""Findings of one audit that are recorded one by one; how many there were is recorded in any case."""


def run() -> Report:
    """Audit everything; a finding is recorded once, however many nights it is found in.

    Call it outside of any transaction.
    """
    report = engine.run()
    logger.log(logging.INFO if report.ok else logging.ERROR, report.line())
    if not report.ok:
        recorder.record_many([_failed(report), *map(_found, report.findings[:MOST])])
    return report


def _failed(report: Report) -> recorder.Significant:
    position, digest = report.head
    today = datetime.now(UTC).date().isoformat()
    return recorder.Significant(
        kind=recorder.Kind.INTEGRITY_FAILED,
        operator=None,
        subject=f"audit:{today}",
        actor="system",
        reason=report.line(),
        after={"findings": len(report.findings), "position": position, "head": digest},
        once=f"audit {today}",
    )


def _found(finding: Finding) -> recorder.Significant:
    name = sha256(f"{finding.what}\n{finding.where}\n{finding.found}".encode()).hexdigest()
    return recorder.Significant(
        kind=recorder.Kind.AUDIT_FINDING,
        operator=None,
        subject=finding.where[:200],
        actor="system",
        reason=finding.what,
        before={"expected": finding.expected},
        after={"found": finding.found},
        once=f"audit finding {name}",
    )
