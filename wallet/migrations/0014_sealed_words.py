"""Words about players, which were stored as they were said, are sealed under each player's own key."""

from typing import Any, Final

from django.db import migrations

from casino import personal
from casino.events.rows import execute, fetch

# A name of the table, how its row is found again, whose words, and which words.
KEPT: Final = (
    ("wallet_notice", "SELECT id::text, player_id, message FROM wallet_notice", ("message",), "id::text"),
    (
        "wallet_adjustment_words",
        """
        SELECT adjustment_id::text, player_id, note, message, answer
          FROM wallet_adjustment_words JOIN wallet_adjustment ON id = adjustment_id
        """,
        ("note", "message", "answer"),
        "adjustment_id::text",
    ),
    (
        "wallet_exclusion_words",
        "SELECT player_id || ' ' || since, player_id, note FROM wallet_exclusion_words",
        ("note",),
        "player_id || ' ' || since",
    ),
    (
        "wallet_difference_note",
        """
        SELECT said.id::text, paid.player_id, said.note FROM wallet_difference_note AS said
          JOIN wallet_difference AS found ON found.id = said.difference_id
          JOIN (SELECT id, player_id FROM wallet_deposit UNION ALL SELECT id, player_id FROM wallet_withdrawal) AS paid
            ON paid.id::text = found.payment
        """,
        ("note",),
        "id::text",
    ),
)


def seal(apps: Any, editor: Any) -> None:
    """This will seal what is not sealed."""
    del apps, editor
    _each(lambda player, text: text if personal.is_sealed(text) else personal.words(player, text))


def unseal(apps: Any, editor: Any) -> None:
    """This will store the words as they were said."""
    del apps, editor
    _each(lambda _, text: personal.opened([text])[0])


def _each(change: Any) -> None:
    for table, read, columns, found_by in KEPT:
        values = ", ".join(f"{column} = %s" for column in columns)
        for key, player, *said in fetch(read):
            new = [change(player, text) for text in said]
            if new != said:
                execute(f"UPDATE {table} SET {values} WHERE {found_by} = %s", [*new, key])  # noqa: S608  (constants)


class Migration(migrations.Migration):
    dependencies = [("wallet", "0013_time"), ("operators", "0008_mark_key")]

    operations = [migrations.RunPython(seal, unseal)]
