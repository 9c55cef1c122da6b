"""Who a user is, and what the user may do: password and code, the functions of the roles, a superuser's own gifts."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from casino.staff import authenticators, roles


class RoleBackend(ModelBackend):
    """Django's backend, whose groups may do what the table of roles says and nothing that stands in the database."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        code: str = "",
        **more: Any,
    ) -> Any:
        """Return who has this name and password, and this code where an authenticator is set up."""
        user: Any = super().authenticate(request, username=username, password=password, **more)
        if user is None or not authenticators.is_enrolled(user):
            return user
        found = authenticators.verify(user, code)
        if found is None:
            return None
        user.otp_device = found
        return user

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return the functions of a user's roles, `app.codename`; none for who is disabled."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if not hasattr(user_obj, "role_functions"):
            user_obj.role_functions = roles.permissions_of(user_obj.groups.values_list("name", flat=True))
        return set(user_obj.role_functions)
