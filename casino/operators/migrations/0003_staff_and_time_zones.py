"""Which operators a member of staff works for, and where an operator's accounting days begin."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from casino.events.immutability import grant_all

FROM_GROUPS = """
    INSERT INTO operators_staffmembership (user_id, operator_id)
    SELECT member.user_id, operator.id
      FROM auth_user_groups member
      JOIN auth_group named ON named.id = member.group_id
      JOIN operators_operator operator ON named.name = 'operator:' || operator.slug
        ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [
        ("operators", "0002_sessions_and_pins"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="operator",
            name="time_zone",
            field=models.CharField(
                db_default="UTC",
                default="UTC",
                help_text="IANA name: where its accounting days begin.",
                max_length=40,
            ),
        ),
        migrations.CreateModel(
            name="StaffMembership",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False, verbose_name="ID", auto_created=True)),
                (
                    "since",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "operator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="staff", to="operators.operator"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "operator worked for",
                "verbose_name_plural": "operators worked for",
            },
        ),
        migrations.AddConstraint(
            model_name="staffmembership",
            constraint=models.UniqueConstraint(fields=("user", "operator"), name="operators_staff_once"),
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_staffmembership")), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=FROM_GROUPS, reverse_sql=migrations.RunSQL.noop),
    ]
