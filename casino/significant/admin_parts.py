"""What the page of a significant event shows: the values it changed, and what was said about it."""

from collections.abc import Sequence
from typing import Any, Final

from django.utils.safestring import SafeString

from casino import personal
from casino.admin import marks
from casino.admin.sections import Grid, Section
from casino.significant import subjects
from casino.significant.models import SignificantEvent

_PLACE: Final = frozenset({"log_position", "logged_at"})
"""What tells where an event was read, and is nothing that it changed."""
_LINKED: Final = frozenset({"player", "round", "table"})
"""Values that are ids of something with a page."""


def changed(event: SignificantEvent) -> Sequence[Section]:
    """This will show what an event changed, before and after; nothing for one that changed nothing."""
    before, after = event.before or {}, event.after or {}
    if not (before.keys() | after.keys()) - _PLACE:
        return ()
    known = subjects.names(f"{name}:{told[name]}" for told in (before, after) for name in _LINKED & told.keys())
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
    return marks.badge("changed", "warn")


def _value(name: str, value: object, known: subjects.Names) -> SafeString | str:
    if name in _LINKED and value:
        return subjects.linked(f"{name}:{value}", known)
    if isinstance(value, list):
        return " ".join(str(each) for each in value) or marks.NOTHING
    return marks.NOTHING if value is None or value == "" else marks.code(value)


def said(event: SignificantEvent) -> Grid:
    """This will list what was said about an event."""
    remarks = list(event.remarks.order_by("pk"))
    personal.open_rows(remarks)
    rows = [
        (
            marks.moment(remark.at),
            remark.by,
            marks.badge("acknowledged", "good") if remark.acknowledges else "note",
            remark.note or marks.NOTHING,
        )
        for remark in remarks
    ]
    return Grid("What was said", ("Time (UTC)", "By", "", "Words"), rows, empty="Nobody has said anything yet.")
