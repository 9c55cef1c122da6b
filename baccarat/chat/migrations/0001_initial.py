from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, HoldRows
from casino.staff.retention_sql import drop_retain_for_sql, retain_for_sql

# Kept for five years, as complaints are (GLI-19 A.4.4 b).
FIVE_YEARS = 1827
TIMES = {
    "chat_chatmessage": "sent_at",
    "chat_chatreport": "reported_at",
    "chat_chatreportclosure": "closed_at",
    "chat_moderationaction": "acted_at",
}
CHANGEABLE = ("chat_playermoderation", "chat_filterword", "chat_closedchat")
HELD = {"chat_closedchat": HeldTable(("id",))}


class Migration(migrations.Migration):
    """Messages, reports and moderation never change; the other tables are projections or a player's own choice."""

    initial = True

    dependencies = [("events", "0001_initial"), ("staff", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ClosedChat",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("closed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="ChatReportClosure",
            fields=[
                ("report_id", models.UUIDField(primary_key=True, serialize=False)),
                ("outcome", models.TextField()),
                ("note", models.TextField()),
                ("salt", models.BinaryField()),
                ("by", models.TextField()),
                ("closed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PlayerModeration",
            fields=[
                ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("mute_reason", models.TextField(null=True)),
                ("muted_until", models.DateTimeField(null=True)),
                ("ban_reason", models.TextField(null=True)),
                ("banned_until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="ModerationAction",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("kind", models.TextField()),
                ("reason", models.TextField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("note", models.TextField()),
                ("salt", models.BinaryField()),
                ("by", models.TextField()),
                ("acted_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "-id"], name="chat_action_player"),
                    models.Index(fields=["operator_id", "-id"], name="chat_action_operator"),
                ],
                "verbose_name": "moderator action",
                "verbose_name_plural": "moderator actions",
            },
        ),
        migrations.CreateModel(
            name="ChatMessage",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("seat", models.IntegerField()),
                ("player_id", models.UUIDField()),
                ("text", models.TextField()),
                ("displayed_text", models.TextField()),
                ("salt", models.BinaryField()),
                ("sent_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["table_id", "-id"], name="chat_message_table"),
                    models.Index(fields=["player_id", "-sent_at"], name="chat_message_player"),
                    models.Index(fields=["operator_id", "-id"], name="chat_message_operator"),
                    BrinIndex(fields=["sent_at"], name="chat_message_sent", autosummarize=True, pages_per_range=16),
                ],
                "verbose_name": "chat message",
            },
        ),
        migrations.CreateModel(
            name="ChatReport",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("seat", models.IntegerField()),
                ("player_id", models.UUIDField()),
                ("reporter_id", models.UUIDField()),
                ("message_id", models.UUIDField(null=True)),
                ("reason", models.TextField()),
                ("salt", models.BinaryField()),
                ("reported_at", models.DateTimeField()),
            ],
            options={
                "permissions": [
                    ("moderate", "Can close reports, mute and unmute"),
                    ("ban_player", "Can ban players"),
                ],
                "indexes": [
                    models.Index(fields=["operator_id", "-id"], name="chat_report_operator"),
                    models.Index(fields=["reporter_id", "-reported_at"], name="chat_report_reporter"),
                    models.Index(fields=["player_id", "-id"], name="chat_report_player"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("message_id__isnull", False)),
                        fields=("reporter_id", "message_id"),
                        name="chat_report_once",
                    )
                ],
                "verbose_name": "chat report",
            },
        ),
        migrations.CreateModel(
            name="FilterWord",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField(null=True)),
                ("word", models.TextField()),
                ("normalized", models.TextField()),
                ("added_at", models.DateTimeField()),
            ],
            options={
                "permissions": [("edit_filter_words", "Can add and remove filter words")],
                "indexes": [models.Index(fields=["normalized"], name="chat_filter_word_normalized")],
                "verbose_name": "filter word",
            },
        ),
        *(
            migrations.RunSQL(
                sql=retain_for_sql(table, column=column, days=FIVE_YEARS), reverse_sql=drop_retain_for_sql(table)
            )
            for table, column in TIMES.items()
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in CHANGEABLE),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
