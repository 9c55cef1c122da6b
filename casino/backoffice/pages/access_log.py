"""Logins of staff, and the access log: who looked at whose data."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.columns import column, time_column
from casino.backoffice.filters import choice_filter
from casino.backoffice.sections import Section
from casino.backoffice.subjects import subject_link, subject_names
from casino.operators.memberships import colleagues_filter
from casino.staff.models import AccessLogEntry, SignIn


class StaffHistoryAdmin(ReadOnlyAdmin):
    """Base of the histories of staff, newest first: visible to those who may see the member."""

    search_fields = ("user_id",)
    search_help_text = "user id"
    time = time_column("at", "time")
    who = column("staff", lambda row: html.page("staff", row.user_id, html.with_logins(f"staff:{row.user_id}")))
    place = column("from", lambda row: row.address or None)

    def title_of(self, obj: Any) -> str:
        return f"{capfirst(str(self.opts.verbose_name))} of {html.with_logins(f'staff:{obj.user_id}')}"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select rows of those who work for these operators alone."""
        return colleagues_filter(operators, "user_id")


@admin.register(SignIn)
class SignInAdmin(StaffHistoryAdmin):
    list_display = ("time", "who", "place", "factor")
    factor = column("second factor", lambda row: "used" if row.second_factor else "none")

    def sections(self, _request: HttpRequest, obj: SignIn) -> Sequence[Section]:
        return [self.facts(obj, "time", "who", "place", "factor", title="Login")]


def _subject(row: Any) -> SafeString | str:
    kind, _, identity = row.subject.partition(":")
    if kind == "list":
        label, _, term = identity.partition(" ")
        return _list_name(label) + (f", for {term}" if term else "")
    return subject_link(row.subject, row.names)


def _list_name(model: str) -> str:
    try:
        return f"list of {apps.get_model(model)._meta.verbose_name_plural}"  # noqa: SLF001  (Django's own name)
    except (LookupError, ValueError):
        return f"list of {model}"


@admin.register(AccessLogEntry)
class AccessLogAdmin(StaffHistoryAdmin):
    """The access log. Found by user id, by subject, or by the subject's id."""

    list_display = ("time", "who", "subject_", "place", "path")
    list_filter = (
        choice_filter(
            "what",
            choices={"player": "Players", "list": "Lists"},
            where=lambda kind: Q(subject__startswith=f"{kind}:"),
        ),
    )
    search_help_text = "user id, player's id, or a subject such as round:<id>"
    subject_ = column("accessed", _subject)

    def prepare_rows(self, rows: Any) -> None:
        names = subject_names(subject for row in rows for subject in (row.subject, f"operator:{row.operator_id}"))
        for row in rows:
            row.names = names

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select access to these operators' data, and access by those who work for them alone."""
        return Q(operator_id__in=operators) | super().owned_by(operators)

    def search_condition(self, term: str) -> Q | None:
        """Search for a user id, a player's id, or a subject."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(user_id=number)
        return Q(subject=term) if identity is None else Q(subject=f"player:{identity}")

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        operator = html.NOTHING if obj.operator_id is None else subject_link(f"operator:{obj.operator_id}", obj.names)
        address = ("Address of the page", html.code(obj.path))
        names = ("time", "who", "subject_", "place")
        return [self.facts(obj, *names, address, ("Operator", operator), title="Access")]
