from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only

TABLES = ("checkpoints_auditstate", "checkpoints_auditrun")


class Migration(migrations.Migration):
    """What audits have seen: states to continue from, and when each part of the log was replayed last."""

    dependencies = [("checkpoints", "0001_initial"), ("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="AuditState",
            fields=[
                ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                ("format", models.TextField()),
                ("state", models.BinaryField()),
                ("key", models.TextField()),
                ("signature", models.BinaryField(max_length=64)),
                ("made_at", models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.CreateModel(
            name="AuditRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.TextField()),
                ("since", models.BigIntegerField(help_text="It read the positions above this one.")),
                ("upto", models.BigIntegerField(help_text="It read the positions up to this one.")),
                ("findings", models.IntegerField()),
                ("verdict", models.TextField()),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "-ended_at"], name="checkpoints_auditrun_kind")],
            },
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in TABLES),
    ]
