"""Users, the only rows that the admin edits."""

from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from casino.backoffice import scope
from casino.kernel.errors import Refusal
from casino.operators.memberships import colleagues_filter, staff_actor
from casino.operators.models import StaffMembership
from casino.staff import access_changes, assignments, duties, people
from casino.staff.duties import Role
from casino.staff.refusals import EmailTaken

if TYPE_CHECKING:  # django-unfold adds looks only, and is untyped
    from django.contrib.auth.forms import UserChangeForm

    BaseUserAdmin = DjangoUserAdmin[User]
    BaseUserForm = UserChangeForm[User]
    from django.contrib.admin.widgets import AdminSplitDateTime

    BaseNewUserForm = forms.ModelForm[User]
else:
    from unfold.admin import ModelAdmin
    from unfold.forms import UserChangeForm as BaseUserForm
    from unfold.widgets import UnfoldAdminSplitDateTimeWidget as AdminSplitDateTime

    BaseNewUserForm = forms.ModelForm

    class BaseUserAdmin(DjangoUserAdmin, ModelAdmin):
        """Django's page of users with the looks of the other pages."""


ASSIGN: Final = "staff.assign_role"

admin.site.unregister(User)
admin.site.unregister(Group)


class UserForm(BaseUserForm):
    roles_until = forms.SplitDateTimeField(
        label="New roles end at",
        required=False,
        widget=AdminSplitDateTime,
        help_text="For roles that are added now; empty for roles without an end. At that time they grant nothing more.",
    )

    def clean_groups(self) -> Any:
        """Check the roles. Raises ValidationError."""
        groups = self.cleaned_data["groups"]
        names = [group.name for group in groups]
        if by_side := assignments.conflicts_of(names, is_superuser=self.instance.is_superuser):
            raise ValidationError(f"Nobody may be on two sides. {duties.describe(by_side)}", code="apart")
        return groups

    def clean(self) -> Any:
        """Check that enough administrators remain. Raises ValidationError."""
        data = super().clean() or self.cleaned_data
        roles = data.get("groups")
        loses_role = roles is not None and all(role.name != Role.ADMINISTRATOR for role in roles)
        if data.get("is_active") is False or (loses_role and not self.instance.is_superuser):
            try:
                people.require_administrators(self.instance)
            except Refusal as refusal:
                raise ValidationError(refusal.message(), code=refusal.code) from None
        return data

    def clean_roles_until(self) -> Any:
        """Check that the end is to come. Raises ValidationError."""
        until = self.cleaned_data["roles_until"]
        if until is not None and until <= timezone.now():
            raise ValidationError("Enter a time to come.", code="past")
        return until


class NewUserForm(BaseNewUserForm):
    email = forms.EmailField(label="E-mail address", max_length=254)

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email")

    def clean_email(self) -> str:
        """Check that nobody else has the address. Raises ValidationError."""
        email: str = self.cleaned_data["email"]
        if people.is_taken(email):
            raise ValidationError(EmailTaken().message(), code=EmailTaken.code)
        return email

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002  (Django's)
        """Save the user as staff, without a password: until others confirm a code and roles, that opens nothing."""
        self.instance.is_staff = True
        self.instance.set_unusable_password()
        return super().save(commit)


@admin.register(User)
class UserAdmin(BaseUserAdmin):
    """Users. Permissions come from roles alone, and nobody changes their own; leavers are disabled, not deleted.

    Nobody chooses a password for somebody else: new users get a code in two halves.
    """

    form = UserForm
    add_form = NewUserForm
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("username", "first_name", "last_name", "email")}),)
    filter_horizontal = ("groups",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Select colleagues: users of the same operators; only superusers see superusers."""
        users = super().get_queryset(request)
        visible = users if request.user.is_superuser else users.filter(is_superuser=False)
        return visible.filter(colleagues_filter(scope.operators(request)))

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Leave out permissions of one user: there are only those of roles."""
        sets = super().get_fieldsets(request, obj)
        if obj is None:
            return sets
        return [(name, {**options, "fields": _role_fields(options["fields"])}) for name, options in sets]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Lock the roles without the permission to assign them, and one's own; only superusers make superusers."""
        fields = {*super().get_readonly_fields(request, obj), "last_login", "date_joined"}
        if obj is not None:
            fields |= {"username", "email"}  # whoever changes these could become somebody else
        if not request.user.is_superuser:
            fields.add("is_superuser")
        is_own = obj is not None and obj.pk == request.user.pk
        if is_own or not request.user.has_perm(ASSIGN):
            fields |= {"groups", "is_staff"}
        if is_own:
            fields |= {"is_superuser", "is_active"}
        return tuple(sorted(fields))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: the log names users."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: Any) -> None:
        """Remember the access before the change, and let a new user work for the operators of the creator.

        Another administrator has to confirm a new superuser, and that a disabled user comes back.
        """
        before = access_changes.access_snapshot(obj)
        request.casino_access_before = before  # type: ignore[attr-defined]
        becomes_superuser = obj.is_superuser and not before.get("superuser")
        obj.is_superuser = obj.is_superuser and not becomes_superuser
        comes_back = bool(before) and obj.is_active and not before["active"]
        obj.is_active = obj.is_active and not comes_back
        super().save_model(request, obj, form, change)
        if becomes_superuser:
            access_changes.request_superuser(obj, by=_user(request))
        if comes_back:
            access_changes.request_return(obj, by=_user(request))
            messages.info(request, "Requested that the user may log in again; another administrator has to confirm.")
        if before and before["active"] and not obj.is_active:
            access_changes.end_requests(obj, by=_user(request))
        if not change:
            people.record_maker(obj, by=staff_actor(request.user))
            operators = scope.operators(request) or ()
            StaffMembership.objects.bulk_create(
                StaffMembership(user=obj, operator_id=operator) for operator in operators
            )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: Any) -> None:
        """Take roles away at once, and request new ones: another administrator has to confirm them."""
        super().save_related(request, form, formsets, change)
        held = request.casino_access_before.get("roles", [])  # type: ignore[attr-defined]
        added = form.instance.groups.exclude(name__in=held)
        if names := list(added.values_list("name", flat=True)):
            form.instance.groups.remove(*added)
            until = form.cleaned_data.get("roles_until")
            access_changes.request_roles(form.instance, names=names, until=until, by=_user(request))
            messages.info(request, f"Requested {', '.join(names)}; another administrator has to confirm.")
        access_changes.record_access_change(
            form.instance,
            by=request.user,
            reason="",
            before=request.casino_access_before,  # type: ignore[attr-defined]
            after=access_changes.access_snapshot(form.instance),
        )

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        """Go to the page where another administrator has to confirm a new password."""
        del request, form_url
        return HttpResponseRedirect(reverse("admin:staff_member_change", args=[id]))


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def _role_fields(fields: Any) -> tuple[Any, ...]:
    """Put the end of roles in the place of permissions of one user: there are none."""
    return tuple("roles_until" if name == "user_permissions" else name for name in fields)
