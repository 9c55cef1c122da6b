from django.db import migrations

NAME = "wallet_remote_round"


class Migration(migrations.Migration):
    """An index by which staff find what the operator's own wallet was asked for a round; made while rows are added."""

    atomic = False

    dependencies = [("wallet", "0005_own_wallets")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON wallet_remote (round_id)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
        migrations.AlterModelOptions("remotetransaction", {"verbose_name": "wallet transaction"}),
    ]
