from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import append_only

HERE = Path(__file__).parent
TABLES = ("log", "checkpoint", "copy", "node", "retirement", "key")
UNDO = "DROP TABLE " + ", ".join(f"checkpoints_{name}" for name in TABLES)


class Migration(migrations.Migration):
    """Signed checkpoints of the log, the tree that they are over, and the keys: none of it is ever changed."""

    dependencies = [("events", "0002_append_only")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(sql=(HERE / "0001_tables.sql").read_text(encoding="utf-8"), reverse_sql=UNDO)
            ],
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
        *(
            migrations.RunSQL(sql=append_only(f"checkpoints_{name}"), reverse_sql=migrations.RunSQL.noop)
            for name in TABLES
        ),
    ]
