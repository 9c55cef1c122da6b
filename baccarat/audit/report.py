"""What an audit came to."""

from dataclasses import dataclass
from typing import Any

from casino.kernel.findings import Finding


@dataclass(frozen=True, slots=True)
class AuditReport:
    """How much was checked, what contradicts, and how long it took in seconds; `log_seconds` went into the events.

    `head` is the position and digest (hex) of the last sealed event; `since` the position before which only what was
    touched after it was read, 0 in full.
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
        """Tell whether nothing contradicts."""
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
