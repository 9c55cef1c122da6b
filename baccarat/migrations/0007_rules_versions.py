from django.db import migrations, models

from casino.events.immutability import grant_all

# States written before don't know these; a state is compared as a whole with what its events come to.
KNOW_RULES = """
    UPDATE baccarat_table SET state = jsonb_set(
        state || '{"ruled": null}',
        '{opened}',
        '{"returns": [], "floor": 0, "acknowledgement": ""}' || (state->'opened')
    )
"""
# What the events of the opening say stays: nobody before reads it, and whoever comes after finds it.
FORGET_RULES = "UPDATE baccarat_table SET state = state - 'ruled'"
FIRST_VERSIONS = """
    INSERT INTO baccarat_rulesversion (
        id, table_id, operator_id, version, label, rules, returns, floor, acknowledgement, status, drafted_by,
        drafted_at, decided_by, waits_for, reason, first_round, since, ended_by
    )
    SELECT id || '/' || (state #>> '{opened,rules,version}'), id, operator_id,
           (state #>> '{opened,rules,version}')::int, rules, state #> '{opened,rules}', state #> '{opened,returns}',
           (state #>> '{opened,floor}')::int, state #>> '{opened,acknowledgement}', 'in_force', '',
           opened_at, '', '', '', 1, opened_at, ''
      FROM baccarat_table
"""


class Migration(migrations.Migration):
    """A table's rules are versions: drafted, published by another person, in force, decommissioned."""

    dependencies = [("baccarat", "0006_wager_staked"), ("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="RulesVersion",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("label", models.TextField()),
                ("rules", models.JSONField()),
                ("returns", models.JSONField()),
                ("floor", models.IntegerField()),
                ("acknowledgement", models.TextField()),
                ("status", models.TextField()),
                ("drafted_by", models.TextField()),
                ("drafted_at", models.DateTimeField()),
                ("decided_by", models.TextField()),
                ("decided_at", models.DateTimeField(null=True)),
                ("waits_for", models.TextField()),
                ("reason", models.TextField()),
                ("first_round", models.IntegerField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("ended_by", models.TextField()),
            ],
            options={
                "verbose_name": "rules version",
                "indexes": [
                    models.Index(fields=["table_id", "version"], name="rulesversion_table"),
                    models.Index(fields=["label", "status"], name="rulesversion_label"),
                    models.Index(fields=["operator_id", "-drafted_at"], name="rulesversion_operator"),
                ],
                "permissions": [
                    ("draft_rules", "Can draft rules and take drafts back"),
                    ("publish_rules", "Can publish, reject and withdraw rules"),
                ],
            },
        ),
        migrations.RunSQL(sql=";".join(grant_all("baccarat_rulesversion")), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=KNOW_RULES, reverse_sql=FORGET_RULES),
        migrations.RunSQL(sql=FIRST_VERSIONS, reverse_sql=migrations.RunSQL.noop),
    ]
