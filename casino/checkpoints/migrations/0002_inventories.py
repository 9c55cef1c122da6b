from django.db import migrations

from casino.events.immutability import append_only

TABLE = "checkpoints_inventory"
MAKE = f"CREATE TABLE {TABLE} (number bigint NOT NULL PRIMARY KEY CHECK (number >= 1), text text NOT NULL)"


class Migration(migrations.Migration):
    """Signed inventories of what is kept beside the log; none is ever changed."""

    dependencies = [("checkpoints", "0001_tables")]

    operations = [
        migrations.RunSQL(sql=MAKE, reverse_sql=f"DROP TABLE {TABLE}"),
        migrations.RunSQL(sql=append_only(TABLE), reverse_sql=migrations.RunSQL.noop),
    ]
