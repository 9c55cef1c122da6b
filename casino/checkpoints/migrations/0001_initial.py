from pathlib import Path

from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

FORWARD = (Path(__file__).parent / "0001_tables.sql").read_text(encoding="utf-8")
TABLES = [
    f"checkpoints_{name}" for name in ("cosignature", "copy", "checkpoint", "node", "retirement", "key", "manifest")
]
AUDITS = ("checkpoints_auditstate", "checkpoints_auditrun")
# Of the app `crypto`, which lies below the event store.
HELD = {
    "checkpoints_auditrun": HeldTable(("id",)),
    "crypto_blindindexkey": HeldTable(("id",)),
    "crypto_personalkey": HeldTable(("player_id",)),
}
REVERSE = f"DROP TABLE checkpoints_wanted, {', '.join(TABLES)}"


class Migration(migrations.Migration):
    """Signed checkpoints, the Merkle tree of the log, manifests, keys, and what audits have seen.

    All tables but `wanted` are append-only.
    """

    initial = True

    dependencies = [("events", "0001_initial"), ("crypto", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.CreateModel(
                    name="Checkpoint",
                    fields=[
                        ("size", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("root", models.BinaryField(max_length=32)),
                        ("note", models.TextField()),
                        ("made_at", models.DateTimeField()),
                    ],
                ),
            ],
        ),
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
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in AUDITS),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
