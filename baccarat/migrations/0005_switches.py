from django.db import migrations, models

from casino.events.immutability import grant_all

# Rows written before know neither; a state is compared as a whole with what its events come to.
KNOW_STOPS = """
    UPDATE baccarat_table SET
        state = state || '{"stops": []}',
        rules = (state #>> '{opened,rules,preset}') || '@' || (state #>> '{opened,rules,version}')
"""
FORGET_STOPS = "UPDATE baccarat_table SET state = state - 'stops'"


class Migration(migrations.Migration):
    """Play can be stopped and resumed; a table's row says by which rules it plays."""

    dependencies = [("baccarat", "0004_wager_voided"), ("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="Switch",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("scope", models.TextField()),
                ("subject", models.TextField()),
                ("operator_id", models.UUIDField(null=True)),
                ("stopped", models.BooleanField()),
                ("reason", models.TextField()),
                ("says", models.TextField()),
                ("by", models.TextField()),
                ("at", models.DateTimeField()),
                ("version", models.IntegerField()),
            ],
            options={
                "verbose_name_plural": "switches",
                "indexes": [models.Index(fields=["operator_id", "id"], name="switch_operator")],
                "permissions": [("throw_switch", "Can stop and resume play")],
            },
        ),
        migrations.RunSQL(sql=";".join(grant_all("baccarat_switch")), reverse_sql=migrations.RunSQL.noop),
        migrations.AddField("table", "rules", models.TextField(default=""), preserve_default=False),
        migrations.AddIndex("table", models.Index(fields=["rules"], name="table_rules")),
        migrations.RunSQL(sql=KNOW_STOPS, reverse_sql=FORGET_STOPS),
    ]
