from celery.signals import worker_process_init, worker_process_shutdown
from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "casino.alerts"

    def ready(self) -> None:
        """Have every process beat, and check that they do."""
        from casino.alerts import checks, heartbeats
        from casino.observability.process import on_process_start

        on_process_start(heartbeats.start)
        worker_process_init.connect(lambda **_: heartbeats.start("worker"), weak=False)
        worker_process_shutdown.connect(lambda **_: heartbeats.end(), weak=False)
        checks.register()
