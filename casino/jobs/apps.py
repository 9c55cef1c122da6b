from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "casino.jobs"
    label = "jobs"
