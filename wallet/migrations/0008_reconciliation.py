from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import grant_all

HERE = Path(__file__).parent
TABLES = ("wallet_reconciliation", "wallet_difference", "wallet_difference_note", "wallet_reconciliation_try")
REVERSE = f"DROP TABLE {', '.join(TABLES)}; DROP INDEX wallet_deposit_day, wallet_withdrawal_day"


class Migration(migrations.Migration):
    """Providers' records beside ours: days that were compared, what differed, and what became of it."""

    dependencies = [("wallet", "0007_adjustments")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=(HERE / "0008_reconciliation.sql").read_text(encoding="utf-8"), reverse_sql=REVERSE
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="Reconciliation",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("day", models.DateField()),
                        ("since", models.DateTimeField()),
                        ("until", models.DateTimeField()),
                        ("ours", models.IntegerField()),
                        ("theirs", models.IntegerField()),
                        ("matched", models.IntegerField()),
                        ("amount", models.BigIntegerField()),
                        ("differing", models.IntegerField()),
                        ("compared_at", models.DateTimeField()),
                        ("version", models.IntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Difference",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("run_id", models.UUIDField()),
                        ("operator_id", models.UUIDField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("day", models.DateField()),
                        ("kind", models.TextField()),
                        ("payment", models.TextField()),
                        ("reference", models.TextField()),
                        ("what", models.TextField()),
                        ("our_amount", models.BigIntegerField(null=True)),
                        ("our_state", models.TextField(null=True)),
                        ("their_amount", models.BigIntegerField(null=True)),
                        ("their_currency", models.TextField(null=True)),
                        ("their_state", models.TextField(null=True)),
                        ("status", models.TextField()),
                        ("owner", models.TextField(null=True)),
                        ("resolution", models.TextField(null=True)),
                        ("resolved_by", models.TextField(null=True)),
                        ("found_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="DifferenceNote",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("difference_id", models.UUIDField()),
                        ("actor", models.TextField()),
                        ("note", models.TextField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={"db_table": "wallet_difference_note"},
                ),
                migrations.CreateModel(
                    name="Callback",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("provider", models.TextField()),
                        ("nonce", models.TextField()),
                        ("body", models.TextField()),
                        ("received_at", models.DateTimeField()),
                        ("attempts", models.IntegerField()),
                        ("outcome", models.TextField(null=True)),
                        ("trouble", models.TextField()),
                    ],
                ),
            ],
        ),
        *(migrations.RunSQL(sql=";".join(grant_all(table)), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
    ]
