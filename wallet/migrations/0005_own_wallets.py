from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import grant_all

FORWARD = (Path(__file__).parent / "0005_own_wallets.sql").read_text(encoding="utf-8")
BEFORE = (Path(__file__).parent / "0001_functions.sql").read_text(encoding="utf-8")
START = BEFORE.index("CREATE FUNCTION wallet_open(")
OPEN = BEFORE[START : BEFORE.index("$$;", START)].replace("CREATE", "CREATE OR REPLACE", 1) + "$$;"
TABLES = ("wallet_remote", "wallet_remote_due", "wallet_told_balance")
REVERSE = f"""DROP TABLE {", ".join(TABLES)};
{OPEN}
ALTER TABLE wallet_account DROP CONSTRAINT wallet_account_kind_check;
ALTER TABLE wallet_account ADD CONSTRAINT wallet_account_kind_check CHECK (kind IN (
    'account', 'game', 'rack', 'hold', 'debt', 'stakes', 'bank', 'commission', 'deposits', 'withdrawals', 'fees',
    'adjustments', 'sandbox', 'wallet'));
ALTER TABLE wallet_funding DROP COLUMN wallet_url"""


class Migration(migrations.Migration):
    """Wagers in money of operators' own wallets. The release before goes on with all other operators."""

    dependencies = [("wallet", "0004_index_entries_by_operator")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.AddField("operatorfunding", "wallet_url", models.TextField(db_default="")),
                migrations.CreateModel(
                    name="RemoteTransaction",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("table_id", models.UUIDField()),
                        ("round_id", models.UUIDField()),
                        ("wager_id", models.UUIDField()),
                        ("kind", models.TextField()),
                        ("concerns_id", models.UUIDField(null=True)),
                        ("request_id", models.UUIDField(null=True)),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("status", models.TextField()),
                        ("reference", models.TextField()),
                        ("code", models.TextField()),
                        ("rollback_id", models.UUIDField(null=True)),
                        ("reason", models.TextField()),
                        ("found", models.BooleanField(null=True)),
                        ("answer_by", models.DateTimeField(null=True)),
                        ("requested_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "db_table": "wallet_remote",
                    },
                ),
            ],
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
    ]
