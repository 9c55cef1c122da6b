"""What pages show of significant events: kinds in words, what changed and was said, the latest of something."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.pages import significant_subjects
from casino.backoffice.sections import Grid, Section
from casino.crypto import crypto_shredding
from casino.significant.kinds import DESCRIPTIONS, Severity, SignificantEventKind
from casino.significant.models import SignificantEvent, Unacknowledged

LATEST: Final = 20
"""Significant events that another page shows of what it is about."""
_TONES: Final = {
    Severity.INFO.value: "plain",
    Severity.NOTICE.value: "player",
    Severity.WARNING.value: "warn",
    Severity.CRITICAL.value: "bad",
}
KINDS: Final = {
    kind.value: DESCRIPTIONS[kind].title
    for kind in sorted(SignificantEventKind, key=lambda kind: DESCRIPTIONS[kind].title)
}
_PLACE: Final = frozenset({"log_position", "logged_at"})
"""What tells where an event was read, and is nothing that it changed."""
_LINKED: Final = frozenset({"player", "round", "table"})
"""Values that are ids of something with a page."""


def waits() -> Exists:
    """Tell of each row of events whether it waits for somebody."""
    return Exists(Unacknowledged.objects.filter(event_id=OuterRef("pk")))


def words(event: SignificantEvent) -> str:
    """Name an event's kind; one of a later release by its bare name."""
    return KINDS.get(event.kind, event.kind.replace("_", " "))


def graveness(event: SignificantEvent) -> SafeString:
    return html.badge(event.severity, _TONES.get(event.severity, "plain"))


def changed(event: SignificantEvent) -> Sequence[Section]:
    """Show what an event changed, before and after; nothing for one that changed nothing."""
    before, after = event.before or {}, event.after or {}
    if not (before.keys() | after.keys()) - _PLACE:
        return ()
    known = significant_subjects.names(
        f"{name}:{told[name]}" for told in (before, after) for name in _LINKED & told.keys()
    )
    rows = [
        (
            name.replace("_", " "),
            _value(name, before.get(name), known),
            _value(name, after.get(name), known),
            _difference(before, after, name),
        )
        for name in sorted((before.keys() | after.keys()) - _PLACE)
    ]
    return (Grid("What it changed", ("Value of", "Before", "After", ""), rows),)


def _difference(before: Any, after: Any, name: str) -> SafeString | str:
    if name not in before or name not in after or before[name] == after[name]:
        return ""
    return html.badge("changed", "warn")


def _value(name: str, value: object, known: significant_subjects.Names) -> SafeString | str:
    if name in _LINKED and value:
        return significant_subjects.subject_link(f"{name}:{value}", known)
    if isinstance(value, list):
        return " ".join(str(each) for each in value) or html.NOTHING
    return html.NOTHING if value is None or value == "" else html.code(value)


def said(event: SignificantEvent) -> Grid:
    """List what was said about an event."""
    remarks = list(event.remarks.order_by("pk"))
    crypto_shredding.decrypt_rows(remarks)
    rows = [
        (
            html.moment(remark.at),
            remark.by,
            html.badge("acknowledged", "good") if remark.acknowledges else "note",
            remark.text or html.NOTHING,
        )
        for remark in remarks
    ]
    return Grid("What was said", ("Time (UTC)", "By", "", "Words"), rows, empty="Nobody has said anything yet.")


def latest(title: str, *whats: str) -> Grid:
    """Show the latest significant events about something or done by it, for other pages; few queries."""
    named = Q(subject__in=whats) | Q(actor__in=whats)
    found = list(SignificantEvent.objects.filter(named).annotate(waits=waits()).order_by("-id")[:LATEST])
    crypto_shredding.decrypt_rows(found)
    known = significant_subjects.names(event.actor for event in found)
    rows = [
        (
            html.moment(event.at),
            html.page("significant", event.pk, words(event)),
            graveness(event),
            html.money(event.amount, event.currency),
            event.reason or html.NOTHING,
            significant_subjects.subject_link(event.actor, known),
            html.badge("waiting", "warn") if event.waits else html.NOTHING,
        )
        for event in found
    ]
    headers = ("Time (UTC)", "Event", "Severity", "Amount", "Reason", "By", "Standing")
    return Grid(title, headers, rows, empty="Nothing significant.", numeric=frozenset({"Amount"}))
