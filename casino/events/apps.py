from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "casino.events"
    label = "events"

    def ready(self) -> None:
        """Check that events are sealed in time, and that the schema is what migrations made."""
        from casino.events import schema
        from casino.observability import health

        oldest = """
            SELECT extract(epoch FROM clock_timestamp() - recorded_at) FROM events_event
            WHERE id = (SELECT min(event_id) FROM events_unsealed)
        """
        health.watch("sealing", oldest, limit=10.0)
        health.readiness.register("schema", schema.readiness)
