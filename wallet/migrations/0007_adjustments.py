from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import grant_all

HERE = Path(__file__).parent
TABLES = ("wallet_adjustment", "wallet_adjustment_words", "wallet_notice")


class Migration(migrations.Migration):
    """Corrections by hand, what was said about them, and what players are told."""

    dependencies = [("wallet", "0006_protection")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=(HERE / "0007_adjustments.sql").read_text(encoding="utf-8"),
                    reverse_sql=f"DROP TABLE {', '.join(TABLES)}",
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="Adjustment",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("book", models.TextField()),
                        ("currency", models.TextField()),
                        ("direction", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("reason", models.TextField()),
                        ("status", models.TextField()),
                        ("requested_by", models.TextField()),
                        ("requested_at", models.DateTimeField()),
                        ("decided_by", models.TextField(null=True)),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("taken", models.BigIntegerField()),
                        ("owed", models.BigIntegerField()),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "permissions": [
                            ("request_adjustment", "Can ask for an account to be corrected"),
                            ("approve_adjustment", "Can agree to a correction"),
                        ]
                    },
                ),
                migrations.CreateModel(
                    name="AdjustmentWords",
                    fields=[
                        ("adjustment_id", models.UUIDField(primary_key=True, serialize=False)),
                        ("note", models.TextField()),
                        ("message", models.TextField()),
                        ("answer", models.TextField()),
                    ],
                    options={"db_table": "wallet_adjustment_words"},
                ),
            ],
        ),
        *(migrations.RunSQL(sql=";".join(grant_all(table)), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
    ]
