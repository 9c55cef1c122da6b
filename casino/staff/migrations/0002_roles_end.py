import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, hold_rows, release_rows


class Migration(migrations.Migration):
    """When members of staff cease to hold roles."""

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("staff", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RoleEnd",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("ends_at", models.DateTimeField()),
                (
                    "role",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ends",
                        to="auth.group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_ends",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "role"), name="staff_role_end_once")],
                "indexes": [models.Index(fields=["ends_at"], name="staff_role_end_due")],
            },
        ),
        migrations.RunSQL(sql=grant_all("staff_roleend"), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(
            sql=hold_rows("staff_roleend", HeldTable(("id",))), reverse_sql=release_rows("staff_roleend")
        ),
    ]
