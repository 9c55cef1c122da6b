from django.db import migrations, models

from casino.events.immutability import append_only, lift_append_only

TABLE = "reports_report"


class Migration(migrations.Migration):
    """Generated reports, append-only."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("name", models.TextField()),
                ("period", models.TextField()),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
                ("label", models.TextField()),
                ("version", models.IntegerField()),
                ("position", models.BigIntegerField(help_text="It covers all events sealed up to here.")),
                ("rows", models.IntegerField()),
                ("generated_by", models.TextField()),
                ("generated_at", models.DateTimeField()),
                ("sha256", models.TextField()),
                ("facts_digest", models.TextField()),
                ("content", models.BinaryField()),
                ("figures", models.JSONField()),
            ],
            options={
                "permissions": [("generate_report", "Can generate reports")],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="reports_report_operator"),
                    models.Index(fields=["operator_id", "period", "since"], name="reports_report_since"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("operator_id", "name", "period", "since", "until", "version"),
                        name="reports_report_version",
                    )
                ],
            },
        ),
        # Numbers in the order in which rows were written, for the manifests that cover them.
        migrations.RunSQL(
            sql=f"ALTER TABLE {TABLE} ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE",
            reverse_sql=f"ALTER TABLE {TABLE} DROP COLUMN number",
        ),
        migrations.RunSQL(sql=append_only(TABLE), reverse_sql=lift_append_only(TABLE)),
    ]
