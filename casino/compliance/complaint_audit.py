"""Audit of complaints: each answer's event has its entry in the case, and the other way round."""

from collections.abc import Iterator
from uuid import UUID

from casino.compliance.complaints import ComplaintAnswered, stream_of
from casino.compliance.models import AnswerKind, CaseEntry
from casino.kernel.findings import Finding


class ComplaintTraces:
    """Replays what players of complaints were told."""

    def __init__(self) -> None:
        self._answers: dict[UUID, dict[int, str]] = {}

    def replay(self, event: ComplaintAnswered, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event."""
        if stream != stream_of(event.case):
            yield Finding("event out of place", where, stream_of(event.case), stream)
        self._answers.setdefault(event.case, {})[version] = event.answer.value

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the entries of the cases with the events; a `partial` replay knows only some of these."""
        rows = CaseEntry.objects.filter(kind__in=list(AnswerKind)).order_by("pk")
        if partial:
            rows = rows.filter(case_id__in=list(self._answers))
        stored: dict[UUID, dict[int, str]] = {}
        for case, kind in rows.values_list("case_id", "kind"):
            answers = stored.setdefault(case, {})
            answers[len(answers) + 1] = kind
        for case in sorted(self._answers.keys() | stored.keys()):
            told, written = self._answers.get(case, {}), stored.get(case, {})
            if partial:
                written = {version: kind for version, kind in written.items() if version in told}
            if written != told:
                yield Finding("complaint differs", f"case {case}", str(told), str(written))
