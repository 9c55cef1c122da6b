from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import grant_all

HERE = Path(__file__).parent
TABLES = ("wallet_protection", "wallet_house", "wallet_turnover", "wallet_played")
UNDO = """
    DROP TRIGGER wallet_posting_played ON wallet_posting;
    DROP FUNCTION wallet_standing, wallet_play_used, wallet_count_play;
    DROP INDEX wallet_deposit_window;
    DROP TABLE wallet_protection, wallet_house, wallet_turnover, wallet_played
"""


class Migration(migrations.Migration):
    """Limits on play, exclusions and reality checks; and running totals of what was staked, lost and played."""

    dependencies = [("wallet", "0005_table_limit")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=(HERE / "0006_protection.sql").read_text(encoding="utf-8"),
                    reverse_sql=UNDO,
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="Protection",
                    fields=[
                        ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("state", models.JSONField()),
                        ("excluded_until", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                    ],
                    options={"verbose_name": "player's limits", "verbose_name_plural": "players' limits"},
                ),
            ],
        ),
        migrations.RunSQL(
            sql=";".join(statement for table in TABLES for statement in grant_all(table)),
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
