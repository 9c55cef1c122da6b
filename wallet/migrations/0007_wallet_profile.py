from django.db import migrations, models

ADD = """
    ALTER TABLE wallet_funding ADD COLUMN wallet_profile text NOT NULL DEFAULT 'standard'
    CHECK (wallet_profile IN ('standard', 'hub88', 'softswiss'))
"""


class Migration(migrations.Migration):
    """The vocabulary in which an operator's own wallet is asked. The release before asks by its own messages."""

    dependencies = [("wallet", "0006_index_remote_by_round")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=ADD,
                    reverse_sql="ALTER TABLE wallet_funding DROP COLUMN wallet_profile",
                )
            ],
            state_operations=[
                migrations.AddField("operatorfunding", "wallet_profile", models.TextField(db_default="standard")),
            ],
        ),
    ]
