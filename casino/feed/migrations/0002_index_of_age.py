from django.contrib.postgres.indexes import BrinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    """A small index by which deliveries past their retention are found; made while rows are added."""

    atomic = False

    dependencies = [("feed", "0001_initial")]

    operations = [
        AddIndexConcurrently(
            "webhookdelivery",
            BrinIndex(fields=["created_at"], name="feed_delivery_created", autosummarize=True, pages_per_range=16),
        ),
    ]
