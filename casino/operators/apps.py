from django.apps import AppConfig


class OperatorsConfig(AppConfig):
    name = "casino.operators"
    label = "operators"
