"""Hashes of bodies are keyed: a body may hold a secret that is short enough to guess."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="idempotentrequest",
            name="body_hash",
            field=models.BinaryField(help_text="HMAC-SHA-256 of the query string and the body."),
        ),
    ]
