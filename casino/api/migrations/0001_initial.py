from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    """Requests that were answered, so that they are answered once."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        help_text="The first half of SHA-256 of caller, method, path and Idempotency-Key.",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("player_id", models.UUIDField(help_text="The player whom the response is for or about.", null=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("response", models.BinaryField(help_text="Status and body, encrypted.")),
            ],
            options={
                "indexes": [
                    BrinIndex(
                        fields=["created_at"], name="api_idempotent_created", autosummarize=True, pages_per_range=16
                    )
                ],
            },
        ),
    ]
