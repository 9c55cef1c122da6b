"""Staff as a Django app."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    """Roles, authenticators and the log of views."""

    default = True
    name = "casino.staff"
    label = "staff"
    default_auto_field = "django.db.models.BigAutoField"
