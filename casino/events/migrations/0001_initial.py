from pathlib import Path

from django.db import migrations, models
from django.db.models.functions import Now

from casino.database import TIMEOUTS
from casino.events.immutability import app_role, append_only, grant_all, lift_append_only

HERE = Path(__file__).parent
ROLE = app_role()
ROLE_TIMEOUTS = "\n    ".join(f"ALTER ROLE {ROLE} SET {name} = '{value}';" for name, value in TIMEOUTS["short"].items())
FORWARD = (
    (HERE / "0001_tables.sql").read_text(encoding="utf-8").replace("{role}", ROLE).replace("{timeouts}", ROLE_TIMEOUTS)
)
REVERSE = """
    DROP TABLE events_rowdigest, events_announcement, events_subscription, events_chainhead, events_seal,
        events_unsealed, events_event;
    DROP SEQUENCE events_transaction;
    DROP FUNCTION events_refuse_change(), events_record_digest();
"""
APPEND_ONLY = ("events_event", "events_seal", "events_chainhead", "events_rowdigest")
WRITTEN = "transaction, stream, version, type, schema, data, metadata"


class Migration(migrations.Migration):
    """The event store, and the application's role with its privileges in tables created later.

    Events, seals and heads are append-only; the application chooses neither an event's id nor its time.
    """

    initial = True

    run_before = [("contenttypes", "0001_initial"), ("sessions", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.CreateModel(
                    name="Event",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        (
                            "transaction",
                            models.BigIntegerField(help_text="The number of the append that wrote it, on all streams."),
                        ),
                        ("stream", models.TextField()),
                        ("version", models.IntegerField()),
                        ("type", models.TextField()),
                        ("schema", models.SmallIntegerField()),
                        ("data", models.JSONField()),
                        (
                            "metadata",
                            models.JSONField(
                                help_text="Null means that of the event before it in its stream.", null=True
                            ),
                        ),
                        ("recorded_at", models.DateTimeField(db_default=Now())),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("stream", "version"), name="events_event_stream_version")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Unsealed",
                    fields=[
                        ("event_id", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("transaction", models.BigIntegerField()),
                    ],
                    options={
                        "verbose_name_plural": "unsealed",
                    },
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
                    name="ChainHead",
                    fields=[
                        ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("digest", models.BinaryField(max_length=32)),
                        ("sealed_at", models.DateTimeField(db_default=Now())),
                    ],
                    options={
                        "verbose_name": "chain head",
                    },
                ),
                migrations.CreateModel(
                    name="Announcement",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField(help_text="Null for all operators.", null=True)),
                        ("type", models.TextField()),
                        ("data", models.JSONField()),
                        ("announced_at", models.DateTimeField(db_default=Now())),
                    ],
                ),
                migrations.CreateModel(
                    name="Subscription",
                    fields=[
                        ("name", models.TextField(primary_key=True, serialize=False)),
                        ("position", models.BigIntegerField()),
                    ],
                    options={
                        "verbose_name": "subscriber",
                    },
                ),
            ],
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        migrations.RunSQL(
            sql=[
                *grant_all("events_subscription"),
                f"REVOKE ALL ON TABLE events_event FROM PUBLIC, {ROLE}",
                f"GRANT SELECT ON TABLE events_event TO {ROLE}",
                f"REVOKE INSERT ON TABLE events_rowdigest FROM {ROLE}",
                f"GRANT INSERT (table_name, row_key, digest, needs_act) ON TABLE events_rowdigest TO {ROLE}",
                f"GRANT INSERT ({WRITTEN}) ON TABLE events_event TO {ROLE}",
                f"REVOKE ALL ON TABLE events_unsealed FROM PUBLIC, {ROLE}",
                f"GRANT SELECT, INSERT, DELETE ON TABLE events_unsealed TO {ROLE}",
                *grant_all("events_announcement"),
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
