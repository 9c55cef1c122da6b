from django.apps import AppConfig


class FeedConfig(AppConfig):
    name = "casino.feed"
    label = "feed"

    def ready(self) -> None:
        """Check that sealed events reach the feeds in time."""
        from casino.observability import health

        oldest = """
            SELECT extract(epoch FROM clock_timestamp() - event.recorded_at)
            FROM events_subscription AS subscriber
            JOIN events_seal AS seal ON seal.position = subscriber.position + 1
            JOIN events_event AS event ON event.id = seal.event_id
            WHERE subscriber.name = 'feed'
        """
        health.house.register("feed", health.overdue(oldest, limit=60.0, what="an event has been missing from feeds"))
