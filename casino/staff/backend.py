"""What a user may do: the functions of the user's roles, beside what a superuser gave to this user alone."""

from typing import Any

from django.contrib.auth.backends import ModelBackend

from casino.staff import roles


class RoleBackend(ModelBackend):
    """Django's backend, whose groups may do what the table of roles says and nothing that stands in the database."""

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """This will return the functions of a user's roles, `app.codename`; none for who is disabled."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if not hasattr(user_obj, "_role_functions"):
            user_obj._role_functions = roles.functions_of(  # noqa: SLF001  (Django's own caches stand there, too)
                user_obj.groups.values_list("name", flat=True)
            )
        return set(user_obj._role_functions)  # noqa: SLF001
