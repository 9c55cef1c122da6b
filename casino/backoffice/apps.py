from django.contrib.admin import apps as django_admin


class BackofficeConfig(django_admin.SimpleAdminConfig):
    """Django's admin, on a site that asks staff for a second factor."""

    default = False
    default_site = "casino.backoffice.site.StaffSite"
