from pathlib import Path

from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import app_role

HERE = Path(__file__).parent


def sql(name: str) -> str:
    """This will read a file of SQL beside this one and name the application's role in it."""
    return (HERE / name).read_text(encoding="utf-8").replace("{role}", app_role())


class Migration(migrations.Migration):
    """The store's tables, and the application's role with what it may do in tables made from here on."""

    initial = True
    run_before = [("contenttypes", "0001_initial"), ("sessions", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(sql=sql("0001_tables.sql"), reverse_sql=sql("0001_tables.reverse.sql"))
            ],
            state_operations=[
                migrations.CreateModel(
                    name="Event",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("stream", models.TextField()),
                        ("version", models.IntegerField()),
                        ("type", models.TextField()),
                        ("schema", models.SmallIntegerField()),
                        ("data", models.JSONField()),
                        ("metadata", models.JSONField()),
                        ("recorded_at", models.DateTimeField(db_default=Now())),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("stream", "version"), name="events_event_stream_version")
                        ]
                    },
                ),
                migrations.CreateModel(
                    name="Unsealed",
                    fields=[("event_id", models.BigIntegerField(primary_key=True, serialize=False))],
                    options={"verbose_name_plural": "unsealed"},
                ),
                migrations.CreateModel(
                    name="Seal",
                    fields=[
                        ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("event_id", models.BigIntegerField(unique=True)),
                        ("digest", models.BinaryField(max_length=32)),
                    ],
                ),
                migrations.CreateModel(
                    name="Headmark",
                    fields=[
                        ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("digest", models.BinaryField(max_length=32)),
                        ("sealed_at", models.DateTimeField(db_default=Now())),
                    ],
                ),
                migrations.CreateModel(
                    name="Subscription",
                    fields=[
                        ("name", models.TextField(primary_key=True, serialize=False)),
                        ("position", models.BigIntegerField()),
                    ],
                ),
            ],
        )
    ]
