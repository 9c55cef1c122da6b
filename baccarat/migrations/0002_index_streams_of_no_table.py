from django.db import migrations

NAME = "events_event_context"


class Migration(migrations.Migration):
    """An index of the events of no table, by type: audits that continue from a checkpoint read some of all times.

    Events of tables and rounds, nearly all there are, are not in it.
    """

    atomic = False  # so that the index is made while events are added

    dependencies = [("baccarat", "0001_initial"), ("events", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON events_event (type) "
            "WHERE \"left\"(stream, 6) <> ALL ('{round-,table-}'::text[])",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
