from django.apps import AppConfig


class SignificantConfig(AppConfig):
    name = "casino.significant"
    label = "significant"
    verbose_name = "significant events"
