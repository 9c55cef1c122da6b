from django.db import migrations, models

from casino.events.immutability import append_only, grant_all, lift_append_only

KEPT = ("chat_message", "chat_report", "chat_closing", "chat_act")
ORDINARY = ("chat_voice", "chat_word", "chat_closedchat")


class Migration(migrations.Migration):
    """What was said and done in chats is never changed; voices and words are projections of the log."""

    initial = True

    dependencies = [("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="ClosedChat",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("closed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Closing",
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
            name="Voice",
            fields=[
                ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("mute_reason", models.TextField(null=True)),
                ("muted_until", models.DateTimeField(null=True)),
                ("removal_reason", models.TextField(null=True)),
                ("removed_until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Act",
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
                ("done_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "-id"], name="chat_act_player"),
                    models.Index(fields=["operator_id", "-id"], name="chat_act_operator"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("seat", models.IntegerField()),
                ("player_id", models.UUIDField()),
                ("text", models.TextField()),
                ("shown", models.TextField()),
                ("salt", models.BinaryField()),
                ("sent_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["table_id", "-id"], name="chat_message_table"),
                    models.Index(fields=["player_id", "-sent_at"], name="chat_message_player"),
                    models.Index(fields=["operator_id", "-id"], name="chat_message_operator"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
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
                    ("remove_player", "Can remove players"),
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
            },
        ),
        migrations.CreateModel(
            name="Word",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField(null=True)),
                ("word", models.TextField()),
                ("folded", models.TextField()),
                ("added_at", models.DateTimeField()),
            ],
            options={
                "permissions": [("list_word", "Can add and remove filter words")],
                "indexes": [models.Index(fields=["folded"], name="chat_word_folded")],
            },
        ),
        *(migrations.RunSQL(sql=append_only(name), reverse_sql=lift_append_only(name)) for name in KEPT),
        *(migrations.RunSQL(sql=grant_all(name), reverse_sql=migrations.RunSQL.noop) for name in ORDINARY),
    ]
