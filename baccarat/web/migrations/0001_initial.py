from django.db import migrations

from casino.events.immutability import grant_all

TABLE = """
    CREATE TABLE web_preferences (
        player_id uuid PRIMARY KEY,
        operator_id uuid NOT NULL,
        sound boolean NOT NULL,
        voice boolean NOT NULL,
        animation boolean NOT NULL,
        full_screen boolean NOT NULL,
        instant boolean NOT NULL,
        style text NOT NULL CHECK (style IN ('modern', 'classic')),
        changed_in bytea NOT NULL CHECK (octet_length(changed_in) = 32),
        animation_at_entry boolean NOT NULL
    )
"""


class Migration(migrations.Migration):
    """Players' preferences; `changed_in` is the hash of the session's token in which they were last sent."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.RunSQL(sql=TABLE, reverse_sql="DROP TABLE web_preferences"),
        migrations.RunSQL(sql=";".join(grant_all("web_preferences")), reverse_sql=migrations.RunSQL.noop),
    ]
