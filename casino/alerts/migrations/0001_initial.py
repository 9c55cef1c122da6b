import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models.functions.datetime import Now

from casino.events.immutability import grant_all

TABLES = ("alerts_figure", "alerts_heartbeat")


class Migration(migrations.Migration):
    """Heartbeats, and what processes count."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Figure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField()),
                ("labels", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                (
                    "numbers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        help_text="A counter's value, or a histogram's buckets and its sum.",
                        size=None,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "labels"), name="alerts_figure_series")],
            },
        ),
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.TextField(help_text="As in CASINO_PROCESS.")),
                ("host", models.TextField()),
                ("pid", models.IntegerField()),
                ("version", models.TextField(help_text="Of the code that it runs.")),
                ("started_at", models.DateTimeField(db_default=Now())),
                ("beat_at", models.DateTimeField(db_default=Now())),
                ("steady_since", models.DateTimeField(db_default=Now(), help_text="Since when no beat was late.")),
                (
                    "gauges",
                    models.JSONField(db_default={}, default=dict, help_text="What it has now, such as open streams."),
                ),
            ],
            options={
                "verbose_name": "process",
                "verbose_name_plural": "processes",
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "host", "pid"), name="alerts_heartbeat_process")
                ],
            },
        ),
        *(migrations.RunSQL(grant_all(table), migrations.RunSQL.noop) for table in TABLES),
    ]
