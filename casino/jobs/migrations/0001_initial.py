from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    """When each periodic job is due, and which runner has it."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                ("name", models.TextField(primary_key=True, serialize=False)),
                ("due_at", models.DateTimeField(db_default=Now())),
                ("holder", models.TextField(db_default="", help_text="The runner that has or had the lease.")),
                ("leased_until", models.DateTimeField(null=True)),
            ],
        ),
    ]
