"""What is noted of members of staff: who came in, and who looked at what."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.sections import Facts, Section
from casino.staff.colleagues import colleagues_filter
from casino.staff.models import SignIn, AccessLogEntry


class _OfStaff(ReadOnlyAdmin):
    """What was noted of members of staff, newest first: seen by who may see the member, or works for the operator."""

    ordering = ("-id",)
    search_help_text = "user id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the login of whoever it was, in the same query."""
        login = User.objects.filter(pk=OuterRef("user_id")).values("username")
        rows: QuerySet[Any] = super().get_queryset(request).annotate(login=Subquery(login))
        return rows

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Find what those did who work for these operators alone."""
        return colleagues_filter(operators, "user_id")

    def found_by(self, term: str) -> Q | None:
        """Look for a user id."""
        number = as_number(term)
        return None if number is None else Q(user_id=number)

    @admin.display(description="time (UTC)")
    def when(self, row: Any) -> SafeString | str:
        return html.moment(row.at)

    @admin.display(description="staff")
    def who(self, row: Any) -> SafeString | str:
        return html.page("staff", row.user_id, row.login or f"user {row.user_id}")

    @admin.display(description="from")
    def where(self, row: Any) -> str:
        return row.address or html.NOTHING


@admin.register(SignIn)
class SignInAdmin(_OfStaff):
    """Who came in, when and from where."""

    list_display = ("when", "who", "where", "factor")

    @admin.display(description="second factor")
    def factor(self, row: SignIn) -> str:
        """Whether a second factor was given."""
        return "given" if row.second_factor else "none"

    def sections(self, request: HttpRequest, obj: SignIn) -> Sequence[Section]:
        del request
        rows = (
            ("Time (UTC)", self.when(obj)),
            ("Staff", self.who(obj)),
            ("From", self.where(obj)),
            ("Second factor", self.factor(obj)),
        )
        return (Facts("Sign-in", rows),)


@admin.register(AccessLogEntry)
class ViewAdmin(_OfStaff):
    """Who looked at what. Found by user id, by what was looked at, or by its id."""

    list_display = ("when", "who", "what", "where", "path")
    list_filter = (
        chosen(
            title="what",
            parameter="what",
            choices={"player": "Players", "list": "Lists"},
            where=lambda kind: Q(subject__startswith=f"{kind}:"),
        ),
    )
    search_help_text = "user id, player's id, or what was looked at such as round:<id>"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Find views of what is these operators', and what those who work for them alone looked at."""
        return Q(operator_id__in=operators) | super().owned_by(operators)

    def found_by(self, term: str) -> Q | None:
        """Look for a user id, a player's id, or a subject."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(user_id=number)
        return Q(subject=term) if identity is None else Q(subject=f"player:{identity}")

    @admin.display(description="looked at")
    def what(self, row: AccessLogEntry) -> SafeString | str:
        """What was looked at."""
        kind, _, identity = row.subject.partition(":")
        if kind == "list":
            return _list_in_words(*identity.partition(" ")[::2])
        known = as_uuid(identity)
        return row.subject if known is None else html.page(kind, known, row.subject)

    def sections(self, request: HttpRequest, obj: AccessLogEntry) -> Sequence[Section]:
        del request
        rows = (
            ("Time (UTC)", self.when(obj)),
            ("Staff", self.who(obj)),
            ("Looked at", self.what(obj)),
            ("From", self.where(obj)),
            ("Address of the page", html.code(obj.path)),
            ("Operator", html.page("operator", obj.operator_id)),
        )
        return (Facts("View", rows),)


def _list_in_words(label: str, sought: str) -> str:
    """What a list shows, by the name of its model, and which id was looked for in it."""
    try:
        shown = str(apps.get_model(label)._meta.verbose_name_plural)  # noqa: SLF001  (Django's own name)
    except (LookupError, ValueError):
        shown = label
    return f"list of {shown}, for {sought}" if sought else f"list of {shown}"
