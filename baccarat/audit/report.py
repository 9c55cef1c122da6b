"""The result of an audit."""

from dataclasses import dataclass
from typing import Any

from casino.kernel.findings import Finding


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What was checked, the findings, and the duration in seconds; `log_seconds` of these for the events.

    `head` is the position and digest (hex) of the last sealed event. With a position `since`, only what changed after
    it was audited; 0 for a full audit.
    """

    rounds: int
    events: int
    entries: int
    findings: tuple[Finding, ...]
    seconds: float
    log_seconds: float
    head: tuple[int, str]
    since: int = 0

    @property
    def ok(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings

    def summary_line(self) -> str:
        """Return the verdict in one line, for people and scripts."""
        verdict = "ok" if self.ok else "FAILED"
        counts = f"rounds={self.rounds} events={self.events} entries={self.entries} findings={len(self.findings)}"
        unread = f" since={self.since} (what nothing happened to after it was not read)" if self.since else ""
        return f"audit: {verdict} {counts}{unread}"

    def document(self) -> dict[str, Any]:
        """Return the report as JSON-ready values."""
        return {
            "verdict": "ok" if self.ok else "FAILED",
            "since": self.since,
            "rounds": self.rounds,
            "events": self.events,
            "entries": self.entries,
            "seconds": round(self.seconds, 3),
            "head": {"position": self.head[0], "digest": self.head[1]},
            "findings": [
                {"what": each.kind, "where": each.location, "expected": each.expected, "found": each.actual}
                for each in self.findings
            ],
        }
