import django.contrib.postgres.fields
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import append_only, grant_all, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

APPEND_ONLY = ("risk_riskrule", "risk_riskalert", "risk_playerstatus", "risk_playernote")
ORDINARY = ("risk_activity", "risk_playerpair", "risk_playernetwork")


class Migration(migrations.Migration):
    """Sums derived from sealed events; and rules, alerts and what staff recorded, which are append-only."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Activity",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id", "currency", "slot", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("player_id", models.UUIDField()),
                ("currency", models.TextField()),
                ("slot", models.DateTimeField()),
                ("operator_id", models.UUIDField()),
                ("deposits", models.IntegerField()),
                ("deposited", models.BigIntegerField()),
                ("methods", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("withdrawals", models.IntegerField()),
                ("withdrawn", models.BigIntegerField()),
                ("rounds", models.IntegerField()),
                ("staked", models.BigIntegerField()),
                ("returned", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["slot", "operator_id"], name="risk_activity_slot")],
            },
        ),
        migrations.CreateModel(
            name="PlayerNetwork",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id", "network", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("player_id", models.UUIDField()),
                ("network", models.BinaryField(max_length=32)),
                (
                    "last_used_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), help_text="Accurate to an hour."
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["network"], name="risk_network"),
                    models.Index(fields=["last_used_at"], name="risk_network_age"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerNote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("text", models.TextField()),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "indexes": [models.Index(fields=["player_id", "-id"], name="risk_note_player")],
            },
        ),
        migrations.CreateModel(
            name="PlayerPair",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "player_id",
                        "other_id",
                        "table_id",
                        "currency",
                        "slot",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("player_id", models.UUIDField(help_text="The lower of the two ids.")),
                ("other_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("currency", models.TextField()),
                ("slot", models.DateTimeField()),
                ("operator_id", models.UUIDField()),
                ("rounds", models.IntegerField()),
                ("opposed", models.IntegerField()),
                (
                    "amount",
                    models.BigIntegerField(
                        help_text="What both had against each other: the lesser stake of each such round."
                    ),
                ),
                (
                    "staked",
                    models.BigIntegerField(help_text="What both staked in such rounds."),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["slot"], name="risk_pair_slot")],
            },
        ),
        migrations.CreateModel(
            name="PlayerStatus",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("kyc", models.TextField()),
                ("tags", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                (
                    "screening",
                    models.JSONField(default=dict, help_text="What was found, with its date and source."),
                ),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name_plural": "player statuses",
                "permissions": [
                    ("assess_player", "Can assess players: notes, tags, KYC, complaints"),
                    ("screen_player", "Can record what a screening found"),
                ],
                "indexes": [models.Index(fields=["player_id", "-id"], name="risk_status_player")],
            },
        ),
        migrations.CreateModel(
            name="RiskAlert",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("other_id", models.UUIDField(null=True)),
                ("kind", models.TextField()),
                ("currency", models.TextField()),
                ("amount", models.BigIntegerField(null=True)),
                ("count", models.IntegerField(null=True)),
                ("hours", models.IntegerField()),
                (
                    "details",
                    models.JSONField(help_text="What was measured, and the rule's terms; amounts as decimals."),
                ),
                ("slot", models.DateTimeField(help_text="The last quarter of an hour that was measured.")),
                ("case_id", models.UUIDField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="risk_alert_operator"),
                    models.Index(fields=["player_id", "kind", "slot"], name="risk_alert_player"),
                    models.Index(
                        condition=models.Q(("other_id__isnull", False)), fields=["other_id"], name="risk_alert_other"
                    ),
                    models.Index(fields=["case_id"], name="risk_alert_case"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RiskRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("operator_id", models.UUIDField(null=True)),
                ("jurisdiction", models.TextField(blank=True, default="")),
                ("kind", models.TextField()),
                ("currency", models.TextField(blank=True, default="", help_text="Empty for all currencies.")),
                ("enabled", models.BooleanField()),
                ("hours", models.IntegerField()),
                ("amount", models.BigIntegerField(null=True)),
                ("count", models.IntegerField(null=True)),
                ("share", models.IntegerField(help_text="In per cent.", null=True)),
                ("reason", models.TextField()),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["operator_id", "jurisdiction", "kind", "currency", "-id"], name="risk_rule_for"
                    )
                ],
            },
        ),
        # By which players are found by tag and by KYC status.
        migrations.RunSQL(
            sql=[
                "CREATE INDEX risk_status_tags ON risk_playerstatus USING gin (tags)",
                "CREATE INDEX risk_status_kyc ON risk_playerstatus (operator_id, kyc, player_id)",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        HoldRows("risk_riskrule", HeldTable(("id",), own=())),
    ]
