"""Users as administrators edit them: people of their operators, roles but not their own, and each change recorded."""

from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from casino.backoffice import scope
from casino.backoffice.pages.memberships import OperatorsStaffAdmin
from casino.backoffice.pages.users import StaffAdmin
from casino.operators.models import StaffMembership
from casino.staff import access_changes, roles
from casino.staff.colleagues import colleagues_filter

if TYPE_CHECKING:
    from django.contrib.auth.forms import UserChangeForm

    UserForm = UserChangeForm[User]
else:
    UserForm = StaffAdmin.form

ASSIGN: Final = "staff.assign_role"


class StaffForm(UserForm):
    """Django's form of a user, which takes no roles together that have to stand apart."""

    def clean_groups(self) -> Any:
        """Refuse roles whose functions nobody may have together. Raises ValidationError."""
        chosen = self.cleaned_data["groups"]
        if pairs := roles.conflicting_role_permissions(group.name for group in chosen):
            told = "; ".join(" and ".join(pair) for pair in pairs)
            raise ValidationError(f"Nobody may have both: {told}.", code="apart")
        return chosen


admin.site.unregister(User)


@admin.register(User)
class StaffUserAdmin(OperatorsStaffAdmin):
    """Users. Rights come from roles alone; nobody gives them to themselves; who leaves is disabled, never deleted."""

    form = StaffForm
    filter_horizontal = ("groups",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Find those who work for the operators of who asks, and for no others."""
        return super().get_queryset(request).filter(colleagues_filter(scope.operators(request)))

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Leave out rights of one user alone: there are none but those of roles."""
        sets = super().get_fieldsets(request, obj)
        return [(name, {**more, "fields": _without_rights(more["fields"])}) for name, more in sets]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Let roles be given by who may, and never to oneself; superusers make superusers."""
        fixed = {*super().get_readonly_fields(request, obj), "last_login", "date_joined"} - {
            "groups",
            "user_permissions",
        }
        oneself = obj is not None and obj.pk == request.user.pk
        if oneself or not request.user.has_perm(ASSIGN):
            fixed |= {"groups", "is_staff"}
        if oneself:
            fixed |= {"is_superuser", "is_active"}
        return tuple(sorted(fixed))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse, whoever asks: what somebody did stays somebody's."""
        del request, obj
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: Any) -> None:
        """Keep what was before, and let a new user work for the operators of who made it."""
        request.casino_before = access_changes.access_snapshot(obj)  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)
        if not change:
            theirs = scope.operators(request) or ()
            StaffMembership.objects.bulk_create(StaffMembership(user=obj, operator_id=one) for one in theirs)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: Any) -> None:
        """Record what was changed of somebody's access."""
        super().save_related(request, form, formsets, change)
        before = request.casino_before  # type: ignore[attr-defined]
        access_changes.record_access_change(
            form.instance,
            by=request.user,
            reason="",
            before=before,
            after=access_changes.access_snapshot(form.instance),
        )

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        """Record that somebody's password was set by another."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            user = User.objects.get(pk=id)
            access_changes.record_access_change(
                user, by=request.user, reason="", before={"password": "theirs"}, after={"password": "new"}
            )
        return response


def _without_rights(fields: Any) -> tuple[Any, ...]:
    return tuple(name for name in fields if name != "user_permissions")
