"""Staff: the access review and roles."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from casino.api import downloads
from casino.api.downloads import ExportFormat
from casino.backoffice import html, scope
from casino.backoffice.actions import WAITS, RowAction, done_or_waits
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import column, time_column
from casino.backoffice.forms import RowForm, line_field
from casino.backoffice.sections import ActionBar, Facts, Grid, Section
from casino.operators.memberships import colleagues_filter
from casino.staff import access_changes, access_review, acts, addresses, assignments, duties, roles
from casino.staff.access_log import record_access
from casino.staff.access_review import AccessReviewRow
from casino.staff.duties import Role
from casino.staff.models import Member, RoleGroup, SignIn

EXPORT: Final = "staff.export_access_review"
UNLOCK: Final = "staff.unlock_user"
RESET: Final = "staff.reset_authenticator"
ASSIGN: Final = "staff.assign_role"
DEFINE: Final = "staff.define_role"
"""Of superusers: no role has it."""
MAX_SIGN_INS: Final = 20
"""Logins on the page of one member."""
_TONES: Final = {"active": "good", "locked": "bad", "superuser": "warn"}


class AccessChangeForm(RowForm):
    reason = line_field("Reason", max_length=access_changes.MAX_REASON_LENGTH, required=False)


class EmailForm(RowForm):
    begins_with: ClassVar = {"email": "email"}
    email = forms.EmailField(label="E-mail address", max_length=254)


class LinkForm(RowForm):
    operator = forms.ChoiceField(label="Operator")
    subject = line_field("Id of the person in assertions (the operator's own)", max_length=60)

    def prepare(self) -> None:
        """Offer the operators that the member works for."""
        works_for = self.row.memberships.select_related("operator")
        field = self.fields["operator"]
        field.choices = [(str(each.operator_id), each.operator.slug) for each in works_for]  # type: ignore[attr-defined]


class OperatorsForm(RowForm):
    operators = forms.MultipleChoiceField(label="Works for", widget=forms.CheckboxSelectMultiple, required=False)

    def prepare(self) -> None:
        """Offer the operators that the user who decides works for; begin with those of the member."""
        field = self.fields["operators"]
        field.choices = [("", list(scope.operator_slugs(self.request).items()))]  # type: ignore[attr-defined]
        field.initial = [str(each) for each in self.row.memberships.values_list("operator_id", flat=True)]


def _is_other(request: HttpRequest, member: Member) -> bool:
    return member.pk != request.user.pk


def _status(word: str) -> SafeString:
    return html.badge(word, _TONES.get(word, "plain"))


@admin.register(Member)
class MemberAdmin(ReadOnlyAdmin):
    """The access review. Found by user id or login."""

    list_display = ("username", "roles", "operators", "status", "factor", "created", "last_login_", "address")
    ordering = ("pk",)
    search_fields = ("pk", "username")
    search_help_text = "user id or login"
    list_link = ListLink("Export:", "admin:staff_member_export", EXPORT, downloads.FILES)
    roles = column("roles", lambda member: ", ".join(_named_roles(access_review.review(member))) or html.NOTHING)
    operators = column(
        "operators",
        lambda member: ", ".join(sorted(each.operator.slug for each in member.memberships.all())) or html.NOTHING,
    )
    status = column("status", lambda member: _status(access_review.status(member)))
    factor = column("2nd factor", lambda member: "yes" if member.enrolled else "no")
    created = time_column("date_joined", "created")
    last_login_ = time_column("last_access", "last login")
    address = column("from", lambda member: member.last_address or None)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return access_review.members(scope.operators(request)).order_by("pk")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        return colleagues_filter(operators)

    def title_of(self, obj: Member) -> str:
        return obj.get_username()

    def subject_of(self, obj: Member) -> str:
        return f"staff:{obj.pk}"

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        files = [
            path(f"review.{each}", export, {"file_format": each}, name="staff_member_export")
            for each in downloads.FILES
        ]
        return [*files, *super().get_urls()]

    def export(self, request: HttpRequest, file_format: ExportFormat) -> StreamingHttpResponse:
        """Return the review as a file. Raises PermissionDenied."""
        if request.method != "GET" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        record_access(request, subject="list:staff.member")
        sheet = access_review.review_sheet(access_review.review_members(self.get_queryset(request)))
        return downloads.download(sheet, file_format, scope.file_stem(request, "access-review"))

    @RowAction(
        "Unlock",
        permission=UNLOCK,
        form=AccessChangeForm,
        applies=_is_other,
        tone="bad",
        help_text="Clears the failed logins, so that the member can try again.",
    )
    def unlock(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        access_changes.unlock(member, by=_user(request), reason=data["reason"])
        return "Unlocked."

    @RowAction(
        "Reset the authenticator",
        name="reset",
        permission=RESET,
        form=AccessChangeForm,
        applies=_is_other,
        tone="bad",
        help_text="For a lost device, once another administrator confirms: the member sets up another one.",
    )
    def reset_authenticator(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        access_changes.request_reset(member, by=_user(request), reason=data["reason"])
        return WAITS

    @RowAction(
        "Let the member set a password",
        name="password",
        permission=RESET,
        form=AccessChangeForm,
        applies=_is_other,
        tone="bad",
        help_text=(
            "For a new member or a forgotten password. Once another administrator confirms, each of you sees one half "
            "of a code on the page of the change, and gives it to the member."
        ),
    )
    def request_password(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        access_changes.request_password(member, by=_user(request), reason=data["reason"])
        return WAITS

    @RowAction(
        "Change",
        name="email",
        title="Change the e-mail address",
        permission=RESET,
        form=EmailForm,
        applies=_is_other,
        help_text="Takes effect once another administrator confirms. The present address is notified.",
    )
    def change_email(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        access_changes.request_email(member, email=data["email"], by=_user(request))
        return WAITS

    @RowAction(
        "Change",
        name="operators",
        title="Change the operators",
        permission=acts.ASSIGN_OPERATOR.name,
        form=OperatorsForm,
        applies=_is_other,
        help_text="Operators are taken away at once. Another administrator, of each that is added, has to confirm it.",
    )
    def change_operators(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        wanted = [UUID(each) for each in data["operators"]]
        change = access_changes.set_operators(member, operators=wanted, by=_user(request))
        return done_or_waits(change, "Changed.")

    @RowAction(
        "Link",
        title="Link to a person of the operator",
        permission=ASSIGN,
        form=LinkForm,
        applies=_is_other,
        help_text="Both are then one person for all four-eyes rules, permanently, once another administrator confirms.",
    )
    def link(self, request: HttpRequest, member: Member, data: dict[str, Any]) -> str:
        access_changes.request_link(member, operator=UUID(data["operator"]), subject=data["subject"], by=_user(request))
        return WAITS

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        (review,) = access_review.review_members([obj])
        facts = (
            ("Name", review.name),
            ("Login", review.login),
            ("E-mail address", obj.email or html.NOTHING),
            ("Confirmed by its user", "yes" if addresses.is_confirmed(obj) else "not yet"),
            ("User id", html.code(review.user_id)),
            ("Roles", ", ".join(_named_roles(review))),
            ("Operators", ", ".join(review.operators)),
            ("Status", _status(review.status)),
            ("Second factor", "set up" if review.second_factor else "none"),
            ("Created", review.created),
            ("Last login", review.last_access),
            ("From", review.last_address),
            ("Password changed", review.password_changed),
            ("Disabled", review.disabled),
        )
        functions = [(role, function) for role, held in review.functions.items() for function in held]
        latest = SignIn.objects.filter(user_id=obj.pk).order_by("-id")[:MAX_SIGN_INS]
        logins = [(each.at, each.address, "used" if each.second_factor else "none") for each in latest]
        return (
            Facts("Member of staff", facts),
            ActionBar(),
            Grid("Functions", ("By role", "Function"), functions, empty="No function: no role grants any."),
            Grid("Logins", ("Time", "From", "Second factor"), logins, empty="Never logged in."),
        )


def _named_roles(review: AccessReviewRow) -> list[str]:
    """Return the roles of a member, with their ends."""
    ends = review.role_ends
    return [f"{role} until {html.plain_moment(ends[role])}" if role in ends else role for role in review.roles]


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class FunctionsForm(RowForm):
    functions = forms.MultipleChoiceField(label="Functions", widget=forms.CheckboxSelectMultiple)

    def prepare(self) -> None:
        """Offer what a role may be made of; a role that is there begins with its functions."""
        self.fields["functions"].choices = list(_grantable())  # type: ignore[attr-defined]
        if self.row is not None:
            self.fields["functions"].initial = sorted(_functions(self.row))


class NewRoleForm(FunctionsForm):
    name = line_field("Name, such as night_cashier", max_length=40)
    field_order = ("name", "functions")


def _grantable() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the functions that a role may be made of, by app."""
    rows = Permission.objects.order_by("content_type__app_label", "name").values_list(
        "content_type__app_label", "codename", "name"
    )
    grantable = roles.grantable()
    for app, group in groupby((row for row in rows if f"{row[0]}.{row[1]}" in grantable), key=itemgetter(0)):
        yield capfirst(app), [(f"{app}.{codename}", name) for _, codename, name in group]


def _function_names(held: Collection[str]) -> list[tuple[str, str]]:
    """Return functions by their names, each with its code."""
    rows = Permission.objects.values_list("content_type__app_label", "codename", "name")
    return sorted((name, code) for app, codename, name in rows if (code := f"{app}.{codename}") in held)


def _is_built_in(role: RoleGroup) -> bool:
    return role.name in set(Role)


def _functions(role: RoleGroup) -> Collection[str]:
    if _is_built_in(role):
        return roles.functions_of(Role(role.name))
    return assignments.permitted(assignments.functions_by_role(Group.objects.filter(pk=role.pk)))


@admin.register(RoleGroup)
class RoleAdmin(ReadOnlyAdmin):
    """The roles with their functions: those that are built in, which nobody changes, and the house's own."""

    list_display = ("name", "purpose", "count")
    ordering = ("name",)
    operator_field = None
    search_fields = ()
    list_link = ListLink("Create a role", "admin:staff_rolegroup_new", DEFINE)
    purpose = column(
        "for", lambda role: roles.TITLES[Role(role.name)] if _is_built_in(role) else "Defined by this casino."
    )
    count = column("functions", lambda role: str(len(_functions(role))))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        own = assignments.own_roles().values("pk")
        return super().get_queryset(request).filter(Q(name__in=list(Role)) | Q(pk__in=own))

    def subject_of(self, obj: RoleGroup) -> str:
        return f"role:{obj.name}"

    def get_urls(self) -> list[URLPattern]:
        new = self.admin_site.admin_view(self.create)
        return [path("new/", new, name="staff_rolegroup_new"), *super().get_urls()]

    def create(self, request: HttpRequest) -> HttpResponse:
        """Request a role of one's own. Raises PermissionDenied."""
        if not request.user.has_perm(DEFINE):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            access_changes.request_role(data["name"], functions=data["functions"], by=_user(request))
            messages.success(request, WAITS)
            return reverse("admin:staff_rolegroup_changelist")

        form = NewRoleForm(request.POST if request.method == "POST" else None, request=request, row=None)
        text = "Another administrator has to confirm it. Then the role can be given to members of staff."
        return self.form_view(request, form, perform, title="Create a role", label="Request", help_text=text)

    @RowAction(
        "Request",
        name="functions",
        title="Change its functions",
        permission=DEFINE,
        form=FunctionsForm,
        applies=lambda _, role: not _is_built_in(role),
        help_text="For everybody who has this role, as soon as another administrator confirms.",
    )
    def change_functions(self, request: HttpRequest, role: RoleGroup, data: dict[str, Any]) -> str:
        access_changes.request_role(role.name, functions=data["functions"], by=_user(request))
        return WAITS

    def sections(self, _request: HttpRequest, obj: RoleGroup) -> Sequence[Section]:
        """Show what a role may do, and on which side."""
        held = _functions(obj)
        acts = [(act.what, act.side, act.persons) for act in duties.acts() if act.name in held]
        return (
            Facts("Role", (("Name", obj.name), ("For", self.purpose(obj)))),
            Grid("Functions", ("Function", "Code"), _function_names(held)),
            Grid("Acts", ("May", "Side", "Persons, at a live operator"), acts, empty="It may look and no more."),
        )
