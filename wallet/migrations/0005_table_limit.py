from django.db import migrations

from casino.events.immutability import grant_all

TABLE = """
    CREATE TABLE wallet_table_limit (
        player_id uuid PRIMARY KEY,
        operator_id uuid NOT NULL,
        currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
        amount bigint CHECK (amount > 0),
        set_at timestamptz NOT NULL,
        next_change_at timestamptz NOT NULL CHECK (next_change_at > set_at),
        version integer NOT NULL CHECK (version > 0)
    )
"""


class Migration(migrations.Migration):
    """Players' own limits: a projection of the streams limit-{player}."""

    dependencies = [("wallet", "0004_payments")]

    operations = [
        migrations.RunSQL(sql=TABLE, reverse_sql="DROP TABLE wallet_table_limit"),
        migrations.RunSQL(sql=";".join(grant_all("wallet_table_limit")), reverse_sql=migrations.RunSQL.noop),
    ]
