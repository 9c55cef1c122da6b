from django.db import migrations

from casino.events.immutability import grant_all

# What was said in words, which may be personal: no event holds it, so that it can be erased.
FORWARD = """
    CREATE TABLE wallet_exclusion_words (
        player_id uuid NOT NULL,
        since timestamptz NOT NULL,
        operator_id uuid NOT NULL,
        said_by text NOT NULL CHECK (said_by <> ''),
        note text NOT NULL CHECK (note <> ''),
        PRIMARY KEY (player_id, since)
    )
"""


class Migration(migrations.Migration):
    """Why staff excluded a player."""

    dependencies = [("wallet", "0010_counting")]

    operations = [
        migrations.RunSQL(sql=FORWARD, reverse_sql="DROP TABLE wallet_exclusion_words"),
        migrations.RunSQL(sql=";".join(grant_all("wallet_exclusion_words")), reverse_sql=migrations.RunSQL.noop),
    ]
