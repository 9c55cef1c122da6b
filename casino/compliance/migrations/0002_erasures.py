from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only

TABLES = ("privacy_erasure", "privacy_decision")
# Numbers in the order in which rows were written, for the inventories that hold them.
NUMBER = "ALTER TABLE {} ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE"


class Migration(migrations.Migration):
    """Requests to forget somebody, and what was decided: kept for good."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("reason", models.TextField()),
                ("despite_duty", models.BooleanField(help_text="Although the law wants the data kept.")),
                ("requested_by", models.TextField()),
                ("requested_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [
                    ("request_erasure", "Can ask for a player to be erased"),
                    ("approve_erasure", "Can decide that a player is erased"),
                    ("export_player", "Can export everything about a player"),
                ],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="privacy_erasure_operator"),
                    models.Index(fields=["player_id"], name="privacy_erasure_player"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "erasure",
                    models.OneToOneField(
                        on_delete=models.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="privacy.erasure",
                    ),
                ),
                ("approved", models.BooleanField()),
                ("decided_by", models.TextField()),
                ("decided_at", models.DateTimeField(db_default=Now())),
            ],
        ),
        *(
            migrations.RunSQL(sql=NUMBER.format(table), reverse_sql=f"ALTER TABLE {table} DROP COLUMN number")
            for table in TABLES
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in TABLES),
    ]
