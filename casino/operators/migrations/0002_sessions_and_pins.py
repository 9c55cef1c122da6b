"""One session per player that ends when it is not used, and the players' PINs."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.events.immutability import grant_all

ALL_BUT_THE_NEWEST = """
    UPDATE operators_playersession AS older SET ended_at = clock_timestamp(), ended_reason = 'taken_over'
     WHERE ended_at IS NULL AND EXISTS (
           SELECT FROM operators_playersession AS newer
            WHERE newer.player_id = older.player_id AND newer.ended_at IS NULL
              AND (newer.created_at, newer.token_hash) > (older.created_at, older.token_hash))
"""


class Migration(migrations.Migration):
    dependencies = [("operators", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="playersession",
            name="last_used_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(), help_text="To within half a minute."
            ),
        ),
        migrations.AddField(
            model_name="playersession",
            name="ended_reason",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.RunSQL(
            sql="UPDATE operators_playersession SET ended_reason = 'ended' WHERE ended_at IS NOT NULL",
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RunSQL(sql=ALL_BUT_THE_NEWEST, reverse_sql=migrations.RunSQL.noop),
        # What was just updated has checks of its foreign key waiting; the next statements need them done.
        migrations.RunSQL(sql="SET CONSTRAINTS ALL IMMEDIATE", reverse_sql=migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="playersession",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("player",), name="operators_session_one"
            ),
        ),
        migrations.AddIndex(
            model_name="playersession",
            index=models.Index(fields=["player", "-created_at"], name="operators_session_latest"),
        ),
        migrations.CreateModel(
            name="PlayerPin",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="pin",
                        serialize=False,
                        to="operators.player",
                    ),
                ),
                ("pin_hash", models.TextField()),
                ("set_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "failed_at",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(), default=list, size=None
                    ),
                ),
                ("locked_until", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_playerpin")), reverse_sql=migrations.RunSQL.noop),
    ]
