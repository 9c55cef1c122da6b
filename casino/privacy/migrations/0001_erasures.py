"""Requests to forget somebody, and what was decided: kept for good."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import append_only, lift_append_only


class Migration(migrations.Migration):
    initial = True

    dependencies = [("events", "0002_append_only")]

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
                ("requested_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "permissions": [
                    ("request_erasure", "Can ask for a player to be erased"),
                    ("approve_erasure", "Can decide that a player is erased"),
                    ("export_player", "Can export everything about a player"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "erasure",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="privacy.erasure",
                    ),
                ),
                ("approved", models.BooleanField()),
                ("decided_by", models.TextField()),
                ("decided_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.AddIndex(
            model_name="erasure",
            index=models.Index(fields=["operator_id", "-id"], name="privacy_erasure_operator"),
        ),
        migrations.AddIndex(
            model_name="erasure",
            index=models.Index(fields=["player_id"], name="privacy_erasure_player"),
        ),
        *(
            migrations.RunSQL(sql=append_only(name), reverse_sql=lift_append_only(name))
            for name in ("privacy_erasure", "privacy_decision")
        ),
    ]
