"""A key for each player; names and references of players are sealed under it, and found by a mark."""

from typing import Any

import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from casino import personal
from casino.events.immutability import grant_all
from casino.operators import reference_marks


def seal_players(apps: Any, editor: Any) -> None:
    """This will give every player a key, and seal what there is of each under it."""
    alias = editor.connection.alias
    keys = apps.get_model("operators", "PersonalKey").objects.using(alias)
    for player in list(apps.get_model("operators", "Player").objects.using(alias)):
        key, kept = personal.new_key(player.pk)
        keys.create(player_id=player.pk, key_id=kept.key_id, wrapped=kept.data)
        player.reference_mark = reference_marks.computed(_last_of_the_ring(), player.reference)
        player.reference, player.nickname = key.text(player.reference), key.text(player.nickname)
        player.save(using=alias, update_fields=["reference", "reference_mark", "nickname"])


def _last_of_the_ring() -> bytes:
    """The key of the marks at that time; it was kept apart later."""
    return bytes.fromhex(settings.PERSONAL_KEYS.rpartition(",")[2].strip().partition(":")[2])


def open_players(apps: Any, editor: Any) -> None:
    """This will store what is personal as it was before."""
    players = list(apps.get_model("operators", "Player").objects.using(editor.connection.alias))
    personal.open_rows(players)
    for player in players:
        player.save(using=editor.connection.alias, update_fields=["reference", "nickname"])


class Migration(migrations.Migration):
    dependencies = [("operators", "0006_return_floor")]

    operations = [
        migrations.CreateModel(
            name="PersonalKey",
            fields=[
                ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField(null=True)),
                ("made_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("destroyed_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_personalkey")), reverse_sql=migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="player", name="operators_player_reference"),
        migrations.AlterField(
            "player", "reference", models.TextField(help_text="The operator's own id of this player, sealed.")
        ),
        migrations.AlterField("player", "nickname", models.TextField(help_text="Sealed.")),
        migrations.AddField(
            "player",
            "reference_mark",
            models.BinaryField(max_length=32, null=True, help_text="What the reference is found by."),
        ),
        migrations.RunPython(seal_players, open_players),
        # What was written above waits for its foreign keys to be judged, and no index is made meanwhile.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddConstraint(
            "player",
            models.UniqueConstraint(fields=["operator", "reference_mark"], name="operators_player_mark"),
        ),
    ]
