from django.db import migrations, models

FORWARD = """
    ALTER TABLE wallet_withdrawal_policy
        ADD COLUMN minimum bigint NOT NULL DEFAULT 1 CHECK (minimum > 0),
        ADD COLUMN maximum bigint CHECK (maximum >= minimum),
        ADD COLUMN most_open integer CHECK (most_open > 0),
        ADD COLUMN fee_fixed bigint NOT NULL DEFAULT 0 CHECK (fee_fixed >= 0),
        ADD COLUMN fee_ppm integer NOT NULL DEFAULT 0 CHECK (fee_ppm >= 0 AND fee_ppm < 1000000);
    ALTER TABLE wallet_withdrawal ADD COLUMN fee bigint NOT NULL DEFAULT 0 CHECK (fee >= 0 AND fee < amount);
"""
REVERSE = """
    ALTER TABLE wallet_withdrawal DROP COLUMN fee;
    ALTER TABLE wallet_withdrawal_policy DROP COLUMN minimum, DROP COLUMN maximum, DROP COLUMN most_open,
        DROP COLUMN fee_fixed, DROP COLUMN fee_ppm;
"""


class Migration(migrations.Migration):
    """What withdrawals may be and cost; those asked for before cost nothing."""

    dependencies = [("wallet", "0008_reconciliation")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.AddField(
                    model_name="withdrawal", name="fee", field=models.BigIntegerField(), preserve_default=False
                )
            ],
        )
    ]
