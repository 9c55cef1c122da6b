"""The project as an app: its management commands, and the Celery application that every process loads."""

from django.apps import AppConfig

from casino.celery import app as celery_app


class CasinoConfig(AppConfig):
    name = "casino"
    label = "casino"
    celery = celery_app
