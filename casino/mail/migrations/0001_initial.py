from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import grant_all


class Migration(migrations.Migration):
    """E-mails that wait, or that were sent."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Email",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("address", models.EmailField(max_length=254)),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "due_at",
                    models.DateTimeField(
                        null=True,
                        db_default=Now(),
                        help_text="Of the next attempt, or the end of this one's lease; null once done.",
                    ),
                ),
                ("attempts", models.IntegerField(db_default=0)),
                ("error", models.TextField(blank=True, db_default="", help_text="Why the last attempt failed.")),
                ("sent_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "e-mail",
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="mail_email_due"
                    ),
                    models.Index(fields=["sent_at"], name="mail_email_sent"),
                ],
            },
        ),
        migrations.RunSQL(sql=grant_all("mail_email"), reverse_sql=migrations.RunSQL.noop),
    ]
