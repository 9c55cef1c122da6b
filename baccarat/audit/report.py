"""The findings and the report of an audit, and the head that it keeps for the next one."""

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from casino.events.hash_chain import UNREADABLE, CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent
from casino.events.sql import fetch
from casino.events.verification import Head
from casino.kernel.findings import UNCHECKED, Finding, Findings

Row = CheckedEvent | SealedEvent | RecordedEvent

MAX_TEXT_LENGTH: Final = 300
"""Maximum characters of each side of a finding, so that the table of findings stays readable."""

NOT_READ: Final = (
    "tables that nothing has happened to, with their rounds, rows and entries",
    "accounts that were not moved",
    "rows that no event leads to",
    "links of the chain and checkpoints before it",
    "rows that only manifests made before the checkpoint hold",
)
"""What an audit since a checkpoint does not look at."""

_NUMBER: Final = re.compile(r"([0-9]+)")
_DATABASE: Final = """
SELECT system_identifier, oid FROM pg_control_system(), pg_database WHERE datname = current_database()
"""


def event_location(row: Row) -> str:
    """Format an event's location: stream, version and type."""
    return f"event {row.id}, {row.stream} version {row.version}, {row.type}"


class FindingCollector:
    """Findings in order of discovery, of each kind at most so many."""

    __slots__ = ("findings",)

    def __init__(self) -> None:
        self.findings = Findings()

    def add(self, what: str, where: str, expected: object, actual: object) -> None:
        """Add a contradiction, both sides as text."""
        self.findings.append(Finding(what, where, shorten(expected), shorten(actual)))

    def extend(self, found: Iterable[Finding]) -> None:
        """Add findings of other checks, as short as ours."""
        for one in found:
            self.findings.append(replace(one, expected=shorten(one.expected), actual=shorten(one.actual)))


def sort_findings(chain: Iterable[Finding], others: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings, the root of a fault before what follows from it, and drop duplicates.

    First what the chain and its seals say, then what can't be read or checked, then what events contradict, then rows;
    in these by location, numbers numerically, then by text.
    """
    ranks = dict.fromkeys(Findings(chain), 0)
    for finding in Findings(others):
        ranks.setdefault(finding, _rank(finding))
    return tuple(sorted(ranks, key=lambda finding: (ranks[finding], *_key(finding))))


def _rank(finding: Finding) -> int:
    if finding.kind in {UNREADABLE, UNCHECKED}:
        return 1
    return 2 if finding.location.startswith("event ") else 3


def _key(finding: Finding) -> tuple[object, ...]:
    parts = _NUMBER.split(finding.location)
    where = tuple((int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts))
    return bool(finding.more), where, finding.kind, finding.expected, finding.actual


def shorten(value: object) -> str:
    """Format a value as text of at most MAX_TEXT_LENGTH characters."""
    text = str(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What was checked, the findings, and the duration in seconds; `log_seconds` of these for the events.

    `head` is the position and digest (hex) of the last sealed event. With a position `since`, only what changed after
    it was audited; 0 for a full audit. `not_read` is what was not looked at.
    """

    rounds: int
    events: int
    entries: int
    findings: tuple[Finding, ...]
    seconds: float
    log_seconds: float
    head: tuple[int, str]
    since: int = 0
    not_read: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings

    def summary_line(self) -> str:
        """Return the verdict in one line, for people and scripts."""
        verdict = "ok" if self.ok else "FAILED"
        counts = f"rounds={self.rounds} events={self.events} entries={self.entries} findings={len(self.findings)}"
        unread = f" since={self.since} (only what changed after it was read)" if self.since else ""
        return f"audit: {verdict} {counts}{unread}"

    def document(self) -> dict[str, Any]:
        """Return the report as JSON-ready values."""
        return {
            "verdict": "ok" if self.ok else "FAILED",
            "since": self.since,
            "not_read": self.not_read,
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


class UnreadableHead(Exception):
    """The file does not contain a head."""


def default_path() -> Path:
    """Return the path for this database, named after its server and its number there."""
    server, number = fetch(_DATABASE)[0]
    folder = Path(os.environ.get("CASINO_HOME") or Path(settings.BASE_DIR) / ".casino")
    return folder / "heads" / f"{server}-{number}.json"


def load_head(file: Path) -> Head | None:
    """Read the head of the last audit; None on the first audit. Raises UnreadableHead."""
    if not file.exists():
        return None
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return Head(int(document["position"]), bytes.fromhex(document["digest"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableHead(f"{file} does not contain the head of a log: {error}") from error


def save_head(file: Path, *, position: int, digest: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({"position": position, "digest": digest}) + "\n", encoding="utf-8")
    draft.replace(file)
