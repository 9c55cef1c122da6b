"""Who was removed from the casino."""

import django.db.models.deletion
from django.db import migrations, models

from casino.events.immutability import grant_all


class Migration(migrations.Migration):
    dependencies = [
        ("operators", "0004_stream_tickets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="removal",
                        serialize=False,
                        to="operators.player",
                    ),
                ),
                ("until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_removal")), reverse_sql=migrations.RunSQL.noop),
    ]
