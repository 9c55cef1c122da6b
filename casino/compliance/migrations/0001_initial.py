from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only

APPEND_ONLY = ("integrity_manifest", "integrity_measurement", "integrity_approval", "integrity_clockreading")


class Migration(migrations.Migration):
    """What was measured, approved and read of clocks, for good."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Manifest",
            fields=[
                ("digest", models.TextField(primary_key=True, serialize=False)),
                ("part", models.TextField()),
                ("items", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("process", models.TextField()),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("rules", models.TextField()),
                ("verdict", models.TextField()),
                ("findings", models.JSONField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["-at"], name="integrity_measurement_at")],
                "verbose_name": "integrity check",
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("by", models.TextField()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [("approve_release", "Can approve a release")],
                "verbose_name": "approved release",
            },
        ),
        migrations.CreateModel(
            name="ClockReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("process", models.TextField()),
                ("host", models.TextField()),
                ("offset_ms", models.IntegerField()),
                ("beyond", models.BooleanField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["host", "-id"], name="integrity_clock_host")],
            },
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
    ]
