from django.db import migrations

NAME = "wallet_entry_operator"


class Migration(migrations.Migration):
    """An index by which reports read an operator's entries and nobody else's; made while entries are added."""

    atomic = False

    dependencies = [("wallet", "0003_entries_name_their_operator")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON wallet_entry (operator_id, recorded_at)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
