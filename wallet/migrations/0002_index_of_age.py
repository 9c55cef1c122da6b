from django.db import migrations

NAME = "wallet_callback_received"


class Migration(migrations.Migration):
    """A small index by which callbacks past their retention are found; made while rows are added."""

    atomic = False

    dependencies = [("wallet", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON wallet_providercallback USING brin (received_at) "
            "WITH (pages_per_range = 16, autosummarize = on)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
