import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import append_only, lift_append_only


class Migration(migrations.Migration):
    """What counts as large, each change a row for good."""

    dependencies = [
        ("significant", "0002_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="Threshold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField()),
                ("currency", models.TextField()),
                ("wager", models.BigIntegerField()),
                ("wager_day", models.BigIntegerField()),
                ("win", models.BigIntegerField()),
                ("win_day", models.BigIntegerField()),
                ("payment", models.BigIntegerField()),
                ("actor", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator_id", "currency", "-id"], name="significant_threshold_newest")
                ],
            },
        ),
        migrations.RunSQL(
            sql=append_only("significant_threshold"), reverse_sql=lift_append_only("significant_threshold")
        ),
    ]
