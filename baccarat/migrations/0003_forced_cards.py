from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Whether a round's cards were chosen, as a test."""

    atomic = False

    dependencies = [("baccarat", "0002_index_streams_of_no_table")]

    operations = [
        migrations.AddField("round", "forced", models.BooleanField(db_default=False)),
        AddIndexConcurrently(
            "round", models.Index(fields=["id"], name="round_forced", condition=models.Q(forced=True))
        ),
    ]
