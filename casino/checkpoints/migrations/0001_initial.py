from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import append_only
from casino.events.row_digests import HeldTable, hold_rows, release_rows

FORWARD = (Path(__file__).parent / "0001_tables.sql").read_text(encoding="utf-8")
TABLES = [
    f"checkpoints_{name}"
    for name in ("log", "checkpoint", "copy", "node", "retirement", "key", "manifest", "cosignature", "note")
]
# Of the app `crypto`, which lies below the event store.
HELD = {"crypto_blindindexkey": HeldTable(("id",)), "crypto_personalkey": HeldTable(("player_id",))}
REVERSE = f"DROP TABLE checkpoints_wanted, {', '.join(TABLES)}"


class Migration(migrations.Migration):
    """Signed checkpoints, the Merkle tree of the log, manifests and keys; all tables but `wanted` are append-only."""

    initial = True

    dependencies = [("events", "0001_initial"), ("crypto", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.CreateModel(
                    name="Checkpoint",
                    fields=[
                        ("number", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("position", models.BigIntegerField()),
                        ("head", models.BinaryField(max_length=32)),
                        ("root", models.BinaryField(max_length=32)),
                        ("previous", models.BinaryField(max_length=32)),
                        ("made_at", models.DateTimeField()),
                        ("key", models.TextField()),
                        ("signature", models.BinaryField(max_length=64)),
                    ],
                ),
            ],
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
        *(
            migrations.RunSQL(sql=hold_rows(table, held), reverse_sql=release_rows(table))
            for table, held in HELD.items()
        ),
    ]
