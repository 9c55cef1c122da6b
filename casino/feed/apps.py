from django.apps import AppConfig


class FeedConfig(AppConfig):
    name = "casino.feed"
    label = "feed"

    def ready(self) -> None:
        """Register the types of the apps below, and check that facts reach the feeds in time."""
        from casino.feed import acts, webhooks
        from casino.feed.types import CHANGES, PLATFORM_TYPES, register, register_announced
        from casino.observability import health
        from casino.staff import duties

        duties.register(*acts.ACTS)
        webhooks.register_change()
        register(CHANGES)
        register_announced(*PLATFORM_TYPES)

        oldest = """
            SELECT extract(epoch FROM clock_timestamp() - least(
                (SELECT event.recorded_at FROM events_subscription AS subscriber
                   JOIN events_seal AS seal ON seal.position = subscriber.position + 1
                   JOIN events_event AS event ON event.id = seal.event_id
                  WHERE subscriber.name = 'feed'),
                (SELECT min(announced_at) FROM events_announcement)))
        """
        health.watch("feed", oldest, limit=60.0)
