"""What staff call these things."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0002_kept"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="act",
            options={"verbose_name": "act of a moderator", "verbose_name_plural": "acts of moderators"},
        ),
        migrations.AlterModelOptions(
            name="message",
            options={"verbose_name": "chat message"},
        ),
        migrations.AlterModelOptions(
            name="report",
            options={
                "permissions": [
                    ("moderate", "Can close reports, mute and unmute"),
                    ("remove_player", "Can remove players"),
                ],
                "verbose_name": "chat report",
            },
        ),
        migrations.AlterModelOptions(
            name="word",
            options={"permissions": [("list_word", "Can add and remove filter words")], "verbose_name": "filter word"},
        ),
    ]
