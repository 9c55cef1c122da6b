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
                    "pk",
                    models.CompositePrimaryKey(
                        "scope", "key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("scope", models.TextField(help_text="Whose request it was, its method and path.")),
                ("key", models.TextField(help_text="The caller's Idempotency-Key.")),
                ("body_hash", models.BinaryField(help_text="HMAC-SHA-256 of the query string and the body.")),
                (
                    "status",
                    models.SmallIntegerField(help_text="Null only inside the transaction that is at work.", null=True),
                ),
                ("response", models.TextField(help_text="The body of the answer, byte for byte.", null=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["created_at"], name="api_idempotent_created")],
            },
        ),
    ]
