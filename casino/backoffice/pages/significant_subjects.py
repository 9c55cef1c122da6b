"""What significant events are about, by name: the part that stands above knows the names (settings.ADMIN_SUBJECTS)."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString

from casino.backoffice import html, staff_names
from casino.backoffice.base import as_uuid
from casino.backoffice.paging import CountedList

Names = Mapping[str, str]
"""What subjects such as round:<id> are called, for who looks; those without a name are left out."""


class SignificantEventChangeList(CountedList):
    """A list of significant events, each with the name of what it is about."""

    def get_results(self, request: Any) -> None:
        """Fetch the page, and all names on it at once."""
        super().get_results(request)
        known = names(event.subject for event in self.result_list)
        for event in self.result_list:
            event.known = known


def names(subjects: Iterable[str]) -> Names:
    """Name subjects, as far as who looks may see what they are."""
    found: Names = import_string(settings.ADMIN_SUBJECTS)(set(subjects))
    return found


def subject_link(subject: str, known: Names) -> SafeString | str:
    """Link to the page of what a subject speaks of, by its name if that is known."""
    kind, colon, identity = subject.partition(":")
    if kind == "staff" and identity.isdigit():
        return html.page("staff", identity, staff_names.named(subject))
    words = kind.replace("_", " ")
    found = as_uuid(identity)
    if not colon or found is None:
        return f"{words} {identity}" if colon else words
    return html.page(kind, identity, known.get(subject) or f"{words} {html.short(found)}")
