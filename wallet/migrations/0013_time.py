from pathlib import Path

from django.db import migrations

HERE = Path(__file__).parent


class Migration(migrations.Migration):
    """What a report reads is found by its time, and accounts by their operator."""

    dependencies = [("wallet", "0012_player_stopped")]

    operations = [
        migrations.RunSQL(
            sql=(HERE / "0013_time.sql").read_text(encoding="utf-8"),
            reverse_sql="DROP INDEX events_event_time, wallet_entry_time, wallet_account_operator",
        ),
    ]
