from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import app_role, append_only, lift_append_only

ROLE = app_role()
APPEND_ONLY = ("reports_report", "reports_case", "reports_caseaction")
# Numbers in the order in which rows were written, for the inventories that hold them.
NUMBERED = ("reports_report", "reports_case")
NUMBER = "ALTER TABLE {} ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE"


class Migration(migrations.Migration):
    """Reports, matters and what was done about them: never changed. Nobody chooses when a matter was found."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Case",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("kind", models.TextField()),
                ("subject", models.TextField()),
                ("report_id", models.UUIDField(null=True)),
                ("details", models.JSONField()),
                ("opened_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [("acknowledge_matter", "Can own and resolve what reports found")],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="reports_matter_operator"),
                    models.Index(fields=["operator_id", "subject", "-id"], name="reports_matter_about"),
                ],
            },
        ),
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
                ("position", models.BigIntegerField(help_text="All events sealed up to here are in it.")),
                ("rows", models.IntegerField()),
                ("generated_by", models.TextField()),
                ("generated_at", models.DateTimeField()),
                ("sha256", models.TextField()),
                ("facts_digest", models.TextField()),
                ("content", models.BinaryField()),
                ("figures", models.JSONField()),
            ],
            options={
                "permissions": [("export_report", "Can have reports made")],
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
        migrations.CreateModel(
            name="CaseAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("action", models.TextField()),
                ("owner", models.TextField()),
                ("resolution", models.TextField()),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "case",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="acts", to="reports.case"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("case", "number"), name="reports_act_number"),
                    models.UniqueConstraint(
                        condition=models.Q(("action", "resolved")), fields=("case",), name="reports_act_resolved_once"
                    ),
                ],
            },
        ),
        *(
            migrations.RunSQL(sql=NUMBER.format(table), reverse_sql=f"ALTER TABLE {table} DROP COLUMN number")
            for table in NUMBERED
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE reports_case, reports_caseaction FROM {ROLE}",
                f"GRANT INSERT (id, operator_id, kind, subject, report_id, details) ON TABLE reports_case TO {ROLE}",
                f"GRANT INSERT (case_id, number, action, owner, resolution, by) ON TABLE reports_caseaction TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
