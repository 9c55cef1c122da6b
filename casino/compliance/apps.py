from django.apps import AppConfig


class IntegrityConfig(AppConfig):
    name = "casino.integrity"
    label = "integrity"
