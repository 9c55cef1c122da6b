import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, hold_rows, release_rows

TABLES = ("reports_savedreport", "reports_reportdestination", "reports_reportdelivery")
# NOT VALID holds for every row that is written: the tables are new, and nothing of others is read under a lock.
KEYS = (
    ("reports_reportdestination", "saved_report_id", "reports_savedreport"),
    ("reports_reportdelivery", "destination_id", "reports_reportdestination"),
    ("reports_reportdelivery", "report_id", "reports_report"),
)
HELD = {name: HeldTable(("id",), own=()) for name in ("reports_savedreport", "reports_reportdestination")}


class Migration(migrations.Migration):
    """Saved reports, where they are delivered, and what is on its way."""

    dependencies = [
        ("reports", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.TextField()),
                ("name", models.TextField()),
                ("period", models.TextField()),
                ("operators", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("created_by", models.TextField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "saved_report",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
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
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="While it is tried, when another process may try it.",
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("error", models.TextField(blank=True, default="", help_text="Why the last attempt failed.")),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "report",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deliveries",
                        to="reports.report",
                    ),
                ),
                (
                    "destination",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="reports.reportdestination",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "report deliveries",
                "indexes": [
                    models.Index(condition=models.Q(("sent_at", None)), fields=["due_at"], name="reports_delivery_due")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("destination", "report"), name="reports_delivery_once")
                ],
            },
        ),
        *(
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column} FOREIGN KEY ({column}) "
                f"REFERENCES {other} NOT VALID",
                migrations.RunSQL.noop,
            )
            for table, column, other in KEYS
        ),
        *(migrations.RunSQL(grant_all(table), migrations.RunSQL.noop) for table in TABLES),
        *(migrations.RunSQL(hold_rows(table, held), release_rows(table)) for table, held in HELD.items()),
    ]
