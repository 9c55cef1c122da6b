"""Privacy as a Django app."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    """Retention, export and erasure."""

    name = "casino.privacy"
    label = "privacy"
    default_auto_field = "django.db.models.BigAutoField"
