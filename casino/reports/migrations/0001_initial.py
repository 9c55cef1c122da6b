from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, grant_all, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

TABLE = "reports_report"
ORDINARY = ("reports_savedreport", "reports_reportdestination", "reports_reportdelivery")
HELD = {name: HeldTable(("id",), own=()) for name in ("reports_savedreport", "reports_reportdestination")}


class Migration(migrations.Migration):
    """Generated reports, append-only; saved reports, where they are delivered, and what is on its way."""

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
        migrations.CreateModel(
            name="SavedReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.TextField()),
                ("name", models.TextField()),
                ("period", models.TextField()),
                ("operators", ArrayField(base_field=models.UUIDField(), size=None)),
                ("created_by", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "verbose_name": "saved report",
            },
        ),
        migrations.CreateModel(
            name="ReportDestination",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.TextField()),
                ("format", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "saved_report",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="destinations",
                        to="reports.savedreport",
                    ),
                ),
            ],
            options={
                "verbose_name": "report destination",
            },
        ),
        migrations.CreateModel(
            name="ReportDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                (
                    "report",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="deliveries",
                        to="reports.report",
                    ),
                ),
                (
                    "destination",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="deliveries",
                        to="reports.reportdestination",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "report deliveries",
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="reports_delivery_due"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("destination", "report"), name="reports_delivery_once")
                ],
            },
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
