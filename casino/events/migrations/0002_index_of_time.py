from django.db import migrations

NAME = "events_event_time"


class Migration(migrations.Migration):
    """A small index by which the events of an interval are found; made while events are added."""

    atomic = False

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON events_event USING brin (recorded_at) "
            "WITH (pages_per_range = 16, autosummarize = on)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
