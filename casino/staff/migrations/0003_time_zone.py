import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, hold_rows, release_rows


class Migration(migrations.Migration):
    """The time zones that members of staff choose."""

    dependencies = [
        ("staff", "0002_roles_end"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StaffTimeZone",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(help_text="An IANA name.", max_length=60)),
            ],
        ),
        migrations.RunSQL(sql=grant_all("staff_stafftimezone"), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(
            sql=hold_rows("staff_stafftimezone", HeldTable(("user_id",))),
            reverse_sql=release_rows("staff_stafftimezone"),
        ),
    ]
