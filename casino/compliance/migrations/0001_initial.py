from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import app_role, append_only, grant_all, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

ROLE = app_role()
ACTION = "compliance_caseaction"
CASE = "id, operator_id, kind, subject, report_id, details, opened_by"
NUMBERED = ("compliance_erasure", "compliance_case")
# Numbers in the order in which rows were written, for the manifests that hold them.
NUMBER = "ALTER TABLE {} ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE"
APPEND_ONLY = (
    "compliance_componentdigest",
    "compliance_measurement",
    "compliance_approval",
    "compliance_clockreading",
    "compliance_caseaction",
    "compliance_caseentry",
    *NUMBERED,
)
HELD = {"compliance_approval": HeldTable(("id",), own=()), "compliance_componentdigest": HeldTable(("digest",))}


class Migration(migrations.Migration):
    """Cases, attestation, clock readings and erasures; all append-only."""

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
                (
                    "opened_by",
                    models.TextField(default="", help_text="Who filed the complaint; empty for what was found."),
                ),
                ("opened_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [
                    ("resolve_case", "Can own and resolve cases"),
                    ("view_complaint", "Can view the complaints that one opened"),
                ],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="compliance_case_operator"),
                    models.Index(fields=["operator_id", "subject", "-id"], name="compliance_case_subject"),
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
                    models.ForeignKey(on_delete=models.PROTECT, related_name="actions", to="compliance.case"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("case", "number"), name="compliance_caseaction_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.TextField()),
                ("text", models.TextField()),
                (
                    "evidence",
                    models.TextField(
                        default="",
                        help_text="What it refers to, such as `round:<id>`, or the number of the operator's document.",
                    ),
                ),
                ("sha256", models.TextField(default="", help_text="Of a document, in hexadecimal.")),
                ("due_at", models.DateTimeField(help_text="The deadline, of an entry that sets one.", null=True)),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "case",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="entries", to="compliance.case"),
                ),
            ],
            options={"verbose_name_plural": "case entries"},
        ),
        migrations.CreateModel(
            name="ComponentDigest",
            fields=[
                ("digest", models.TextField(primary_key=True, serialize=False)),
                ("component", models.TextField()),
                ("items", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("process", models.TextField()),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("rules", models.TextField()),
                ("verdict", models.TextField()),
                ("findings", models.JSONField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["-at"], name="compliance_measurement_at")],
                "verbose_name": "integrity check",
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.TextField()),
                ("dependencies", models.TextField()),
                ("settings", models.TextField()),
                ("by", models.TextField()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [("approve_release", "Can approve a release")],
                "verbose_name": "approved release",
            },
        ),
        migrations.CreateModel(
            name="ClockReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("process", models.TextField()),
                ("host", models.TextField()),
                ("offset_ms", models.IntegerField()),
                ("out_of_tolerance", models.BooleanField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["host", "-id"], name="compliance_clock_host")],
            },
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("reason", models.TextField()),
                (
                    "overrides_retention",
                    models.BooleanField(help_text="Although the law requires the data to be kept."),
                ),
                ("requested_by", models.TextField()),
                ("approved_by", models.TextField()),
                ("erased_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [
                    ("request_erasure", "Can request the erasure of a player"),
                    ("approve_erasure", "Can approve or decline an erasure"),
                    ("export_player", "Can export what one may see of a player"),
                    ("export_operator", "Can export everything about an operator"),
                ],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="compliance_erasure_operator"),
                    models.Index(fields=["player_id"], name="compliance_erasure_player"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ErasureCopy",
            fields=[
                ("number", models.BigIntegerField(primary_key=True, serialize=False)),
                ("player_id", models.UUIDField(unique=True)),
                ("copied_at", models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.CreateModel(
            name="DataExport",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("own", "what players may have of themselves"),
                            ("player", "what staff may see of a player"),
                            ("operator", "everything about an operator in an interval"),
                        ]
                    ),
                ),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("files", models.JSONField(default=list, help_text="Of a player, for staff: the names of its files.")),
                ("workbooks", models.BooleanField(default=False, help_text="Whether each file comes as XLSX, too.")),
                ("requested_by", models.TextField()),
                ("requested_at", models.DateTimeField()),
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
                ("ready_at", models.DateTimeField(null=True)),
                ("size", models.BigIntegerField(default=0)),
            ],
            options={
                "indexes": [models.Index(fields=["requested_at"], name="compliance_data_export_at")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "own")), fields=("player_id",), name="compliance_data_export_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataExportPiece",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "export",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="pieces", to="compliance.dataexport"),
                ),
                ("number", models.IntegerField()),
                ("key_id", models.TextField(default="")),
                ("data", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("export", "number"), name="compliance_data_export_piece")
                ],
            },
        ),
        *(
            migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop)
            for table in ("compliance_erasurecopy", "compliance_dataexport", "compliance_dataexportpiece")
        ),
        # By which the cases about a player are found.
        migrations.RunSQL(
            sql="CREATE INDEX compliance_case_player ON compliance_case (split_part(subject, ' ', 1), id)",
            reverse_sql=migrations.RunSQL.noop,
        ),
        *(
            migrations.RunSQL(sql=NUMBER.format(table), reverse_sql=f"ALTER TABLE {table} DROP COLUMN number")
            for table in NUMBERED
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE compliance_case, compliance_caseaction FROM {ROLE}",
                f"GRANT INSERT ({CASE}) ON TABLE compliance_case TO {ROLE}",
                f"GRANT INSERT (case_id, number, action, owner, resolution, by) ON TABLE {ACTION} TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
