from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import app_role, append_only, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

ROLE = app_role()
EVENT, REMARK, WAITING = "significant_significantevent", "significant_note", "significant_unacknowledged"
APPEND_ONLY = (EVENT, REMARK, "significant_threshold")
TOLD = (
    "id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, amount, currency, "
    "address, dedup_key"
)


class Migration(migrations.Migration):
    """Significant events, remarks and thresholds: never changed. The application chooses no numbers and no times."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="SignificantEvent",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "number",
                    models.BigIntegerField(help_text="Ascends in the order of recording; may have gaps.", unique=True),
                ),
                ("kind", models.TextField()),
                ("severity", models.TextField()),
                ("operator_id", models.UUIDField(help_text="Null for events of the whole installation.", null=True)),
                ("subject", models.TextField(help_text="The object concerned: round:<id>, table:<id>, player:<id> …")),
                (
                    "actor",
                    models.TextField(help_text="The actor: staff:<number>, operator:<id>, player:<id>, system."),
                ),
                (
                    "authorised_by",
                    models.TextField(default="", help_text="The person who approved it, if another one."),
                ),
                ("reason", models.TextField(default="")),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                (
                    "amount",
                    models.BigIntegerField(help_text="In minor units, if the event is about an amount.", null=True),
                ),
                ("currency", models.TextField(default="")),
                (
                    "address",
                    models.TextField(default="", help_text="The client's network address, if known."),
                ),
                (
                    "dedup_key",
                    models.TextField(default="", help_text="Of events with the same key, only the first is recorded."),
                ),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "permissions": [("acknowledge_significantevent", "Can acknowledge significant events and add notes")],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="significant_event_operator"),
                    models.Index(fields=["kind", "-id"], name="significant_event_kind"),
                    models.Index(fields=["subject", "-id"], name="significant_event_subject"),
                    models.Index(fields=["actor", "-id"], name="significant_event_actor"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("dedup_key", ""), _negated=True),
                        fields=("dedup_key",),
                        name="significant_event_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("acknowledges", models.BooleanField()),
                ("owner", models.TextField(db_default="")),
                ("text", models.TextField(default="")),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="remarks",
                        to="significant.significantevent",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("acknowledges", True)),
                        fields=("event",),
                        name="significant_remark_acknowledged_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Unacknowledged",
            fields=[
                (
                    "event",
                    models.OneToOneField(
                        db_index=False,
                        on_delete=models.PROTECT,
                        primary_key=True,
                        related_name="waiting",
                        serialize=False,
                        to="significant.significantevent",
                    ),
                ),
                ("operator_id", models.UUIDField(null=True)),
            ],
            options={
                "verbose_name_plural": "unacknowledged",
                "indexes": [models.Index(fields=["operator_id"], name="significant_waiting_operator")],
            },
        ),
        migrations.CreateModel(
            name="Threshold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField()),
                ("currency", models.TextField()),
                ("wager", models.BigIntegerField()),
                ("wager_day", models.BigIntegerField()),
                ("win", models.BigIntegerField()),
                ("win_day", models.BigIntegerField()),
                ("payment", models.BigIntegerField()),
                ("actor", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator_id", "currency", "-id"], name="significant_threshold_newest")
                ],
            },
        ),
        migrations.RunSQL(
            sql=f"ALTER TABLE {EVENT} ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY",
            reverse_sql=f"ALTER TABLE {EVENT} ALTER COLUMN number DROP IDENTITY",
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        HoldRows("significant_threshold", HeldTable(("id",), own=())),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE {EVENT}, {REMARK} FROM {ROLE}",
                f"GRANT INSERT ({TOLD}) ON TABLE {EVENT} TO {ROLE}",
                f"GRANT INSERT (event_id, acknowledges, owner, text, by) ON TABLE {REMARK} TO {ROLE}",
                f"REVOKE ALL ON TABLE {WAITING} FROM PUBLIC, {ROLE}",
                f"GRANT SELECT, INSERT, DELETE ON TABLE {WAITING} TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
