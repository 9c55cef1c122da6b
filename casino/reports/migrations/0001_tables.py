"""The tables of this app, as models.py describes them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Matter",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("kind", models.TextField()),
                ("about", models.TextField()),
                ("report_id", models.UUIDField(null=True)),
                ("found", models.JSONField()),
                ("found_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "permissions": [("acknowledge_matter", "Can own and resolve what reports found")],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="reports_matter_operator"),
                    models.Index(fields=["operator_id", "about", "-id"], name="reports_matter_about"),
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
                ("made_by", models.TextField()),
                ("made_at", models.DateTimeField()),
                ("sha256", models.TextField()),
                ("facts", models.TextField()),
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
            name="MatterAct",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("act", models.TextField()),
                ("owner", models.TextField()),
                ("words", models.TextField()),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "matter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="acts", to="reports.matter"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("matter", "number"), name="reports_act_number"),
                    models.UniqueConstraint(
                        condition=models.Q(("act", "resolved")), fields=("matter",), name="reports_act_resolved_once"
                    ),
                ],
            },
        ),
    ]
