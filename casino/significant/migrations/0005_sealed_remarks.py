"""Remarks on players' events, which were stored as they were said, are sealed under each player's own key."""

from typing import Any
from uuid import UUID

from django.db import migrations

from casino import personal
from casino.events.rows import execute, fetch

READ = """
SELECT * FROM (
    SELECT remark.id, coalesce(
               substring(event.subject FROM '^player:([0-9a-f-]{36})$'),
               substring(event.actor FROM '^player:([0-9a-f-]{36})$'),
               substring(event.after->>'player' FROM '^[0-9a-f-]{36}$')
           ) AS player, remark.note
      FROM significant_remark AS remark JOIN significant_significantevent AS event ON event.id = remark.event_id
) AS said WHERE player IS NOT NULL AND note <> ''
"""
WRITE = "UPDATE significant_remark SET note = %s WHERE id = %s"
# Rows of this table are never changed, and the database sees to it: but for this once.
OPEN, SHUT = (f"ALTER TABLE significant_remark {way} TRIGGER USER" for way in ("DISABLE", "ENABLE"))


def seal(apps: Any, editor: Any) -> None:
    """This will seal what is not sealed."""
    del apps, editor
    for key, player, note in fetch(READ):
        if not personal.is_sealed(note):
            execute(WRITE, [personal.words(UUID(player), note), key])


def unseal(apps: Any, editor: Any) -> None:
    """This will store the remarks as they were said."""
    del apps, editor
    for key, _, note in fetch(READ):
        execute(WRITE, [personal.opened([note])[0], key])


class Migration(migrations.Migration):
    dependencies = [("significant", "0004_by_actor"), ("operators", "0008_mark_key")]

    operations = [
        migrations.RunSQL(OPEN, SHUT),
        migrations.RunPython(seal, unseal),
        migrations.RunSQL(SHUT, OPEN),
    ]
