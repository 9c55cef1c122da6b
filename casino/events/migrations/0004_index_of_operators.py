from django.db import migrations

NAME = "events_event_operator"


class Migration(migrations.Migration):
    """An index of the appends of an operator in a day, for exports; equal keys are kept once, so it stays small."""

    atomic = False

    dependencies = [("events", "0003_dropped_payloads")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON events_event "
            "(hashtext(metadata->>'operator'), ((recorded_at AT TIME ZONE 'UTC')::date)) "
            "WHERE metadata->>'operator' IS NOT NULL",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
