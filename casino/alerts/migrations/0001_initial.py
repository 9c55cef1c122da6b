import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, hold_rows, release_rows

TABLES = (
    "alerts_figure",
    "alerts_heartbeat",
    "alerts_alertpass",
    "alerts_alert",
    "alerts_alertmessage",
    "alerts_oncalllist",
    "alerts_oncalltarget",
    "alerts_deadmansignal",
)
HELD = {
    "alerts_oncalllist": HeldTable(("id",), own=()),
    "alerts_oncalltarget": HeldTable(("id",), own=("key_id", "encrypted")),
}


class Migration(migrations.Migration):
    """Heartbeats, alerts, and who is on call."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="AlertPass",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("passed_at", models.DateTimeField()),
                ("steady_since", models.DateTimeField(help_text="Since when there was no gap between two passes.")),
            ],
        ),
        migrations.CreateModel(
            name="OnCallTarget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "channel",
                    models.TextField(
                        choices=[
                            ("email", "E-mail"),
                            ("webhook", "Webhook (Standard Webhooks)"),
                            ("chat", "Chat (incoming webhook of Slack and others)"),
                            ("pager", "Pager (events of PagerDuty and others)"),
                            ("dead_man", "Dead-man's signal (while alerting works)"),
                        ]
                    ),
                ),
                ("label", models.TextField(help_text="The address of an e-mail, the host of any other.")),
                ("key_id", models.TextField()),
                ("encrypted", models.BinaryField()),
            ],
            options={
                "verbose_name": "on-call target",
            },
        ),
        migrations.CreateModel(
            name="OnCallList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(unique=True)),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, help_text="Empty for all.", size=None
                    ),
                ),
                (
                    "severity",
                    models.TextField(
                        choices=[("notice", "notice"), ("warning", "warning"), ("critical", "critical")],
                        help_text="The lowest that is told.",
                    ),
                ),
                (
                    "after_seconds",
                    models.IntegerField(default=0, help_text="0 to be told at once; more for the next in line."),
                ),
            ],
            options={
                "verbose_name": "on-call list",
            },
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField()),
                ("kind", models.TextField(help_text="The name of the condition.")),
                (
                    "severity",
                    models.TextField(
                        choices=[
                            ("info", "info"),
                            ("notice", "notice"),
                            ("warning", "warning"),
                            ("critical", "critical"),
                        ]
                    ),
                ),
                ("operator_id", models.UUIDField(null=True)),
                ("summary", models.TextField(help_text="The effect.")),
                ("cause", models.TextField()),
                ("command", models.TextField(help_text="What to run or to open first.")),
                (
                    "subjects",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="Tables and the like that are affected.",
                        size=None,
                    ),
                ),
                (
                    "number",
                    models.IntegerField(default=1, help_text="Of the things that are wrong, such as open cases."),
                ),
                ("opened_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(help_text="When it was last wrong.")),
                ("notice", models.IntegerField(default=1, help_text="Counts how often people were told of it anew.")),
                ("noticed_at", models.DateTimeField(help_text="Since when nobody has acknowledged it.")),
                ("acknowledged_at", models.DateTimeField(null=True)),
                ("acknowledged_by", models.TextField(blank=True, default="")),
                ("acknowledged_number", models.IntegerField(default=0)),
                ("resolved_at", models.DateTimeField(null=True)),
            ],
            options={
                "permissions": [("acknowledge_alert", "Can acknowledge an alert")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("resolved_at", None)), fields=("key",), name="alerts_alert_one_open"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DeadManSignal",
            fields=[
                (
                    "target",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="signal",
                        serialize=False,
                        to="alerts.oncalltarget",
                    ),
                ),
                ("due_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("sent_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.CreateModel(
            name="Figure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField()),
                (
                    "labels",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None),
                ),
                (
                    "numbers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        help_text="A counter's value, or a histogram's buckets and its sum.",
                        size=None,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "labels"), name="alerts_figure_series")],
            },
        ),
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.TextField(help_text="As in CASINO_PROCESS.")),
                ("host", models.TextField()),
                ("pid", models.IntegerField()),
                ("version", models.TextField(help_text="Of the code that it runs.")),
                ("started_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("beat_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "gauges",
                    models.JSONField(db_default={}, default=dict, help_text="What it has now, such as open streams."),
                ),
            ],
            options={
                "verbose_name": "process",
                "verbose_name_plural": "processes",
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "host", "pid"), name="alerts_heartbeat_process")
                ],
            },
        ),
        migrations.AddField(
            model_name="oncalltarget",
            name="on_call_list",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="targets", to="alerts.oncalllist"
            ),
        ),
        migrations.CreateModel(
            name="AlertMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.TextField(
                        choices=[("opened", "Opened"), ("acknowledged", "Acknowledged"), ("resolved", "Resolved")]
                    ),
                ),
                ("notice", models.IntegerField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="Of the next attempt; null once it is over.",
                        null=True,
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True, default="", help_text="Why the last attempt failed.")),
                (
                    "alert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="alerts.alert"
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="alerts.oncalltarget"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="alerts_message_due"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("alert", "target", "stage", "notice"), name="alerts_message_once")
                ],
            },
        ),
        *(migrations.RunSQL(grant_all(table), migrations.RunSQL.noop) for table in TABLES),
        *(migrations.RunSQL(hold_rows(table, held), release_rows(table)) for table, held in HELD.items()),
    ]
