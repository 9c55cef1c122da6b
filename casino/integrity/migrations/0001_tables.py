from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only

TABLES = ("integrity_manifest", "integrity_measurement", "integrity_approval", "integrity_clockreading")
_KEY = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    """What was measured, approved and read of clocks, for good."""

    initial = True
    dependencies = [("events", "0002_append_only")]

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
                ("id", _KEY),
                ("process", models.TextField()),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("rules", models.TextField()),
                ("verdict", models.TextField()),
                ("findings", models.JSONField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={"indexes": [models.Index(fields=["-at"], name="integrity_measurement_at")]},
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", _KEY.clone()),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("by", models.TextField()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={"permissions": [("approve_release", "Can approve a release")]},
        ),
        migrations.CreateModel(
            name="ClockReading",
            fields=[
                ("id", _KEY.clone()),
                ("process", models.TextField()),
                ("host", models.TextField()),
                ("offset_ms", models.IntegerField()),
                ("beyond", models.BooleanField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={"indexes": [models.Index(fields=["host", "-id"], name="integrity_clock_host")]},
        ),
        *(
            migrations.RunSQL(sql=";".join(append_only(table)), reverse_sql=";".join(lift_append_only(table)))
            for table in TABLES
        ),
    ]
