from django.db import migrations

NAME = "operators_session_created"


class Migration(migrations.Migration):
    """A small index by which sessions past their retention are found; made while rows are added."""

    atomic = False

    dependencies = [("operators", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON operators_playersession USING brin (created_at) "
            "WITH (pages_per_range = 16, autosummarize = on)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
