from celery.signals import worker_process_init, worker_process_shutdown
from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "casino.alerts"

    def ready(self) -> None:
        """Have every process beat, and alert people in worker-outbound; check that both happen."""
        from casino.alerts import acts, checks, heartbeats, list_changes, on_call, sending
        from casino.compliance import key_rotation, retention
        from casino.observability.process import on_process_start
        from casino.staff import duties

        duties.register(*acts.ACTS)
        list_changes.register()
        on_process_start(heartbeats.start)
        worker_process_init.connect(lambda **_: heartbeats.start("worker"), weak=False)
        worker_process_shutdown.connect(lambda **_: heartbeats.end(), weak=False)
        on_process_start(sending.start)
        key_rotation.register(on_call.rewrap)
        year = retention.RetentionPolicy({"alerts_alertmessage": "created_at", "alerts_alert": "resolved_at"}, 90, 365)
        retention.register(permanent={}, policies={"alerts": year})
        checks.register()
