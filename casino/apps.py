"""The project as an app: its management commands, and the Celery application that every process loads."""

from celery.signals import worker_process_init
from django.apps import AppConfig
from django.conf import settings

from casino.celery import app as celery_app


class CasinoConfig(AppConfig):
    name = "casino"
    label = "casino"
    celery = celery_app

    def ready(self) -> None:
        """Trace requests, tasks and statements, if there is where to send traces."""
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            from casino.observability import tracing
            from casino.observability.process import on_process_start

            tracing.instrument()
            on_process_start(tracing.export)
            worker_process_init.connect(lambda **_: tracing.export("worker"), weak=False)
