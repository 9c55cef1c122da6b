from django.contrib.postgres.indexes import BrinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    """A small index by which messages past their retention are found; made while rows are added."""

    atomic = False

    dependencies = [("chat", "0001_initial")]

    operations = [
        AddIndexConcurrently(
            "chatmessage",
            BrinIndex(fields=["sent_at"], name="chat_message_sent", autosummarize=True, pages_per_range=16),
        ),
    ]
