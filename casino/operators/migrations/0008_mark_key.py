"""The key of the marks is kept, sealed, apart from the ring: so an old key of the ring can be taken away."""

import secrets
from typing import Any

from django.conf import settings
from django.db import migrations, models

from casino.events.immutability import grant_all
from casino.operators import reference_marks
from casino.sealing import KEY


def keep_the_key(apps: Any, editor: Any) -> None:
    """This will keep the key under which there are marks; where there are none, it draws one."""
    players = apps.get_model("operators", "Player").objects.using(editor.connection.alias)
    marked = players.filter(reference_mark__isnull=False).exists()
    last = settings.PERSONAL_KEYS.rpartition(",")[2].strip().partition(":")[2]
    reference_marks.keep(bytes.fromhex(last) if marked else secrets.token_bytes(KEY))


class Migration(migrations.Migration):
    dependencies = [("operators", "0007_personal_keys")]

    operations = [
        migrations.CreateModel(
            name="MarkKey",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField()),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="operators_markkey_one")]
            },
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_markkey")), reverse_sql=migrations.RunSQL.noop),
        migrations.RunPython(keep_the_key, migrations.RunPython.noop),
    ]
