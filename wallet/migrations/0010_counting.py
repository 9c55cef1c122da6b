from pathlib import Path

from django.db import migrations

HERE = Path(__file__).parent


class Migration(migrations.Migration):
    """What was played is counted where entries are posted; when a limit frees is found by halving the time."""

    dependencies = [("wallet", "0009_withdrawal_terms")]

    operations = [
        migrations.RunSQL(
            sql=(HERE / "0010_counting.sql").read_text(encoding="utf-8"),
            reverse_sql=(HERE / "0010_counting_back.sql").read_text(encoding="utf-8"),
        )
    ]
