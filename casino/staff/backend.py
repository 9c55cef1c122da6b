"""Authenticates users by password and code, and derives their permissions from roles."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from casino.staff import authenticators, roles


class RoleBackend(ModelBackend):
    """Django's backend with the permissions of groups taken from the table of roles, not from the database."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        code: str = "",
        **more: Any,
    ) -> Any:
        """Return the user with this name, password and, if an authenticator is set up, code."""
        user: Any = super().authenticate(request, username=username, password=password, **more)
        if user is None or not authenticators.is_enrolled(user):
            return user
        found = authenticators.verify(user, code)
        if found is None:
            return None
        user.otp_device = found
        return user

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return the permissions of a user's roles, `app.codename`; none for a disabled user."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if not hasattr(user_obj, "role_functions"):
            user_obj.role_functions = roles.permissions_of(user_obj.groups.values_list("name", flat=True))
        return set(user_obj.role_functions)
