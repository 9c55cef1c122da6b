"""Users with the operators that they work for."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from casino.backoffice.pages.users import StaffAdmin
from casino.operators.models import StaffMembership

if TYPE_CHECKING:  # what django-unfold adds is looks, and untyped
    Inline = admin.TabularInline[StaffMembership, User]
else:
    from unfold.admin import TabularInline as Inline


class MembershipInline(Inline):
    """Whom a member of staff works for; superusers alone say so."""

    model = StaffMembership
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let superusers look."""
        del obj
        return bool(request.user.is_superuser)

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission


class OperatorsStaffAdmin(StaffAdmin):
    """Users, with the operators that they work for."""

    inlines = (MembershipInline,)
