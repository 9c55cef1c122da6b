"""Staff and what staff did: users are the only rows that the admin lets anyone edit."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.sections import Facts, Section

if TYPE_CHECKING:  # what django-unfold adds is looks, and untyped
    AdminPasswordChangeForm: Any
    UserChangeForm: Any
    UserCreationForm: Any
    Users = UserAdmin[User]
else:
    from unfold.admin import ModelAdmin as Looks
    from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

    class Users(UserAdmin, Looks):
        """Django's page of users, looking like the others."""


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class StaffAdmin(Users):
    """Django's own page of users. Only superusers make superusers, give rights, or touch another superuser."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Keep superusers from everyone else."""
        users = super().get_queryset(request)
        return users if request.user.is_superuser else users.filter(is_superuser=False)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Keep rights from being given by anyone but a superuser."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        return fixed if request.user.is_superuser else (*fixed, "is_superuser", "user_permissions", "groups")


@admin.register(LogEntry)
class StaffLogAdmin(ReadOnlyAdmin):
    """What staff did here, newest first."""

    list_display = ("when", "who", "what", "message")
    list_select_related = ("user", "content_type")
    ordering = ("-id",)
    search_fields = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[LogEntry]:
        """Leave out what others did: lines name what they are about, whose operator nobody recorded."""
        lines: QuerySet[LogEntry] = super().get_queryset(request)
        return lines if request.user.is_superuser else lines.filter(Q(user_id=request.user.pk))

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Leave it to `get_queryset`."""
        del operators
        return Q()

    @admin.display(description="time (UTC)")
    def when(self, entry: LogEntry) -> SafeString | str:
        """When it was done."""
        return html.moment(entry.action_time)

    @admin.display(description="staff")
    def who(self, entry: LogEntry) -> str:
        return entry.user.get_username()

    @admin.display(description="on")
    def what(self, entry: LogEntry) -> str:
        """What it was done to."""
        return f"{entry.content_type or ''} {entry.object_repr}"

    @admin.display(description="did")
    def message(self, entry: LogEntry) -> str:
        """What was done, in words."""
        return entry.get_change_message() or entry.get_action_flag_display()

    def sections(self, request: HttpRequest, obj: LogEntry) -> Sequence[Section]:
        """Show one line of the log in full."""
        del request
        rows = (
            ("Time (UTC)", html.moment(obj.action_time)),
            ("Staff", self.who(obj)),
            ("On", self.what(obj)),
            ("Id", html.code(obj.object_id)),
            ("Did", self.message(obj)),
        )
        return (Facts("What was done", rows),)
