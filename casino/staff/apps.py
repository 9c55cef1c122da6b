"""Staff as a Django app."""

from django.apps import AppConfig
from django.contrib.admin import apps as django_admin


class StaffConfig(AppConfig):
    """Roles, authenticators and the log of views."""

    default = True
    name = "casino.staff"
    label = "staff"
    default_auto_field = "django.db.models.BigAutoField"


class StaffAdminConfig(django_admin.SimpleAdminConfig):
    """Django's admin, on a site that asks staff for a second factor."""

    default = False
    default_site = "casino.staff.site.StaffSite"
