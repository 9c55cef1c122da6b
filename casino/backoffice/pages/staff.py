"""Staff in the admin: the review of who may do what, and the roles."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number
from casino.backoffice.sections import Facts, Field, Form, Grid, Section
from casino.backoffice.seen import seen
from casino.staff import access_changes, access_review, roles
from casino.staff.colleagues import colleagues_filter
from casino.staff.models import Member, RoleGroup, SignIn

EXPORT, UNLOCK, RESET = "staff.export_review", "staff.unlock", "staff.reset_authenticator"
STANDINGS = {"active": "good", "disabled": "plain", "locked": "bad", "superuser": "warn", "no staff": "plain"}
MOST = 20
"""Sign-ins on the page of one member."""


@admin.register(Member)
class MemberAdmin(ReadOnlyAdmin):
    """The review of access. Found by user id or login."""

    list_display = ("login", "held", "works_for", "standing", "factor", "since", "last", "address")
    ordering = ("pk",)
    search_help_text = "user id or login"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Find those who work for the same operators, with what is reviewed of them."""
        return access_review.members(scope.operators(request)).order_by("pk")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Find those who work for these operators alone."""
        return colleagues_filter(operators)

    def found_by(self, term: str) -> Q | None:
        """Look for a user id or a login."""
        number = as_number(term)
        return Q(username=term) if number is None else Q(pk=number) | Q(username=term)

    def title_of(self, obj: Member) -> str:
        """Name a member of staff by the login."""
        return obj.get_username()

    def subject_of(self, obj: Member) -> str:
        """Name a member as events do."""
        return f"staff:{obj.pk}"

    def get_urls(self) -> list[URLPattern]:
        """Add the review's file, and the addresses of `unlock` and `reset`."""
        export = self.admin_site.admin_view(self.export)
        return [
            path("review.csv", export, name="staff_member_export"),
            self.perform_path("unlock", UNLOCK, self.unlock),
            self.perform_path("reset", RESET, self.reset),
            *super().get_urls(),
        ]

    def export(self, request: HttpRequest) -> StreamingHttpResponse:
        """Answer the review of whom this person may see, as CSV. Raises PermissionDenied."""
        if request.method != "GET" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        seen(request, subject="list:staff.member")
        answer = StreamingHttpResponse(
            access_review.as_csv(access_review.review_members(self.get_queryset(request))),
            content_type="text/csv; charset=utf-8",
        )
        answer["Content-Disposition"] = 'attachment; filename="access-review.csv"'
        return answer

    def unlock(self, request: HttpRequest, member: Member) -> str:
        """Let a member who failed to log in try again."""
        access_changes.unlock(member, by=by_whom(request), reason=request.POST.get("reason", ""))
        return "Unlocked."

    def reset(self, request: HttpRequest, member: Member) -> str:
        """Take a member's authenticator away."""
        access_changes.reset_authenticator(member, by=by_whom(request), reason=request.POST.get("reason", ""))
        return "Took the authenticator away."

    list_before_template = "admin/casino/export_review.html"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Offer those who may to take the review as a file."""
        url = reverse("admin:staff_member_export") if request.user.has_perm(EXPORT) else None
        return super().changelist_view(request, {"export_url": url, **(extra_context or {})})

    @admin.display(description="login")
    def login(self, member: Member) -> str:
        """The name that is typed."""
        return member.username

    @admin.display(description="roles")
    def held(self, member: Member) -> str:
        return ", ".join(sorted(group.name for group in member.groups.all())) or html.NOTHING

    @admin.display(description="operators")
    def works_for(self, member: Any) -> str:
        return ", ".join(sorted(one.operator.slug for one in member.memberships.all())) or html.NOTHING

    @admin.display(description="standing")
    def standing(self, member: Member) -> SafeString:
        """Whether the member gets in."""
        word = access_review.status(member)
        return html.badge(word, STANDINGS[word])

    @admin.display(description="2nd factor")
    def factor(self, member: Any) -> str:
        """Whether an authenticator is set up."""
        return "yes" if member.enrolled else "no"

    @admin.display(description="created (UTC)")
    def since(self, member: Member) -> SafeString | str:
        """When the user was made."""
        return html.moment(member.date_joined)

    @admin.display(description="last login (UTC)")
    def last(self, member: Any) -> SafeString | str:
        return html.moment(member.last_access)

    @admin.display(description="from")
    def address(self, member: Any) -> str:
        return member.last_address or html.NOTHING

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show what a member may do, the latest sign-ins and views, and what can be done."""
        (line,) = access_review.review_members([obj])
        facts = (
            ("Name", line.name or html.NOTHING),
            ("Login", line.login),
            ("User id", html.code(line.user_id)),
            ("Roles", ", ".join(line.roles) or html.NOTHING),
            ("Operators", ", ".join(line.operators) or html.NOTHING),
            ("Standing", html.badge(line.status, STANDINGS[line.status])),
            ("Second factor", "set up" if line.second_factor else "none"),
            ("Created (UTC)", html.moment(line.created)),
            ("Last login (UTC)", html.moment(line.last_access)),
            ("From", line.last_address or html.NOTHING),
            ("Password changed (UTC)", html.moment(line.password_changed)),
            ("Disabled (UTC)", html.moment(line.disabled)),
        )
        rows = [(role, function) for role, held in line.functions.items() for function in held]
        functions = Grid("Functions", ("By role", "Function"), rows, empty="None by a role.")
        return (Facts("Member of staff", facts), functions, _sign_ins(obj), *self._forms(request, obj))

    def _forms(self, request: HttpRequest, member: Any) -> list[Section]:
        reason = Field("reason", "Reason", longest=access_changes.MAX_REASON_LENGTH)
        offered = (
            (UNLOCK, "Unlock", "unlock", "Forgets the failed logins, so that the member can try again."),
            (
                RESET,
                "Take the authenticator away",
                "reset",
                "For a lost device: another one is set up at the next login.",
            ),
        )
        may, own = request.user.has_perm, member.pk == request.user.pk
        return [
            Form(title, title, self.perform_url(name, member), (reason,), says, tone="bad")
            for permission, title, name, says in offered
            if may(permission) and not own
        ]


@admin.register(RoleGroup)
class RoleAdmin(ReadOnlyAdmin):
    """The roles, with what each may do: a table in the code, so that nobody changes it here."""

    list_display = ("title", "says", "count")
    ordering = ("name",)
    search_fields = ()

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Let everybody see what roles there are."""
        del operators
        return Q()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave out groups that are no roles."""
        return super().get_queryset(request).filter(name__in=list(roles.Role))

    def subject_of(self, obj: RoleGroup) -> str:
        return f"role:{obj.name}"

    @admin.display(description="role")
    def title(self, role: RoleGroup) -> str:
        return role.name

    @admin.display(description="for")
    def says(self, role: RoleGroup) -> str:
        return roles.TITLES[roles.Role(role.name)]

    @admin.display(description="functions")
    def count(self, role: RoleGroup) -> int:
        """How many functions it has."""
        return len(roles.PERMISSIONS_BY_ROLE[roles.Role(role.name)])

    def sections(self, request: HttpRequest, obj: RoleGroup) -> Sequence[Section]:
        """Show what a role may do, and what it keeps apart."""
        del request
        held = roles.PERMISSIONS_BY_ROLE[roles.Role(obj.name)]
        apart = [pair for pair in roles.INCOMPATIBLE_PERMISSIONS if set(pair) & held]
        return (
            Facts("Role", (("Name", obj.name), ("For", self.says(obj)))),
            Grid("Functions", ("Function",), [(name,) for name in sorted(held)]),
            Grid("Kept apart", ("Nobody has both", "and"), apart, empty="Nothing stands against it."),
        )


def by_whom(request: HttpRequest) -> User:
    """Return the member of staff who asks. Raises PermissionDenied for nobody."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def _sign_ins(member: Member) -> Grid:
    latest = SignIn.objects.filter(user_id=member.pk).order_by("-id")[:MOST]
    rows = [
        (html.moment(one.at), one.address or html.NOTHING, "given" if one.second_factor else "none") for one in latest
    ]
    return Grid("Sign-ins", ("Time (UTC)", "From", "Second factor"), rows, empty="Never came in.")
