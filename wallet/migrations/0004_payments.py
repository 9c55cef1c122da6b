from pathlib import Path
from typing import Any

from django.db import migrations, models

from casino.events.immutability import append_only, grant_all, lift_append_only

HERE = Path(__file__).parent
KEPT = ("wallet_deposit_method", "wallet_withdrawal_policy")
ORDINARY = ("wallet_deposit", "wallet_withdrawal", "wallet_callback", "wallet_payment_due")
REVERSE = f"DROP TABLE {', '.join((*KEPT, *ORDINARY))}; DROP INDEX wallet_account_debt"

PAYMENT: "list[tuple[str, models.Field[Any, Any]]]" = [
    ("id", models.UUIDField(primary_key=True, serialize=False)),
    ("operator_id", models.UUIDField()),
    ("player_id", models.UUIDField()),
    ("method_id", models.UUIDField()),
    ("method_version", models.IntegerField()),
    ("provider", models.TextField()),
    ("currency", models.TextField()),
    ("amount", models.BigIntegerField()),
    ("status", models.TextField()),
    ("reference", models.TextField(null=True)),
    ("reason", models.TextField()),
    ("requested_at", models.DateTimeField()),
    ("ended_at", models.DateTimeField(null=True)),
    ("version", models.IntegerField()),
]


class Migration(migrations.Migration):
    """Deposits, withdrawals, their methods and policies, callbacks, and what is due to be asked."""

    dependencies = [("wallet", "0003_post")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(sql=(HERE / "0004_payments.sql").read_text(encoding="utf-8"), reverse_sql=REVERSE)
            ],
            state_operations=[
                migrations.CreateModel(
                    name="DepositMethod",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("method_id", models.UUIDField()),
                        ("version", models.IntegerField()),
                        ("operator_id", models.UUIDField()),
                        ("name", models.TextField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("minimum", models.BigIntegerField()),
                        ("maximum", models.BigIntegerField()),
                        ("fee_fixed", models.BigIntegerField()),
                        ("fee_ppm", models.IntegerField()),
                        ("seconds", models.IntegerField()),
                        ("payouts", models.BooleanField()),
                        ("enabled", models.BooleanField()),
                        ("actor", models.TextField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={"db_table": "wallet_deposit_method"},
                ),
                migrations.CreateModel(
                    name="Deposit",
                    fields=[
                        *PAYMENT,
                        ("fee", models.BigIntegerField()),
                        ("owed", models.BigIntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Withdrawal",
                    fields=[
                        *PAYMENT,
                        ("approvals", models.IntegerField()),
                        ("approved_by", models.TextField()),
                        ("rejected_by", models.TextField(null=True)),
                    ],
                ),
            ],
        ),
        *(
            migrations.RunSQL(sql=";".join(append_only(table)), reverse_sql=";".join(lift_append_only(table)))
            for table in KEPT
        ),
        *(migrations.RunSQL(sql=";".join(grant_all(table)), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
    ]
