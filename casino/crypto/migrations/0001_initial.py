from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now

from casino.crypto import blind_index


def create_blind_index_key(apps: Any, editor: Any) -> None:
    key = blind_index.new_key()
    keys = apps.get_model("crypto", "BlindIndexKey").objects.using(editor.connection.alias)
    keys.create(id=key.id, key_id=key.key_id, wrapped=key.wrapped)


class Migration(migrations.Migration):
    """Players' own keys and the key of the blind index. The event store's migration grants the application's role."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="PersonalKey",
            fields=[
                ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField(null=True)),
                ("made_at", models.DateTimeField(db_default=Now())),
                ("destroyed_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="BlindIndexKey",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField()),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="crypto_blindindexkey_one")],
            },
        ),
        migrations.RunPython(create_blind_index_key, migrations.RunPython.noop),
    ]
