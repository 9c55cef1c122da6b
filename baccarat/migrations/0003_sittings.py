from django.db import migrations, models

from casino.events.immutability import grant_all

# States written before know neither field; a state is compared as a whole with what its events come to.
KNOW_ABSENCE = """
    UPDATE baccarat_table SET state = jsonb_set(
        jsonb_set(state, '{opened,rules,seat_kept_rounds}', coalesce(state #> '{opened,rules,seat_kept_rounds}', '3')),
        '{seats}',
        coalesce((SELECT jsonb_agg(seat || '{"missed": 0}' ORDER BY place)
                    FROM jsonb_array_elements(state->'seats') WITH ORDINALITY AS each (seat, place)), '[]')
    )
"""
FORGET_ABSENCE = """
    UPDATE baccarat_table SET state = jsonb_set(
        state #- '{opened,rules,seat_kept_rounds}',
        '{seats}',
        coalesce((SELECT jsonb_agg(seat - 'missed' ORDER BY place)
                    FROM jsonb_array_elements(state->'seats') WITH ORDINALITY AS each (seat, place)), '[]')
    )
"""
SEAT_THEM = """
    INSERT INTO baccarat_sitting (id, table_id, operator_id, player_id, seat, book, at)
    SELECT DISTINCT ON (event.stream, event.data->>'player')
           kept.id || '/' || (event.data->>'player'), kept.id, kept.operator_id, (event.data->>'player')::uuid,
           CASE event.type WHEN 'SeatTaken' THEN (event.data->>'seat')::int
                           WHEN 'SeatChanged' THEN (event.data->>'to_seat')::int END,
           coalesce(event.data->>'book', (
               SELECT earlier.data->>'book' FROM events_event AS earlier
                WHERE earlier.stream = event.stream AND earlier.version < event.version
                  AND earlier.type = 'SeatTaken' AND earlier.data->>'player' = event.data->>'player'
                ORDER BY earlier.version DESC LIMIT 1)),
           coalesce(event.data->>'taken_at', event.data->>'changed_at', event.data->>'left_at')::timestamptz
      FROM baccarat_table AS kept JOIN events_event AS event ON event.stream = 'table-' || kept.id
     WHERE event.type IN ('SeatTaken', 'SeatChanged', 'SeatLeft')
     ORDER BY event.stream, event.data->>'player', event.version DESC
"""


class Migration(migrations.Migration):
    """Who sits where has rows of its own, and a seat knows how many turns ran out since its last word."""

    dependencies = [("baccarat", "0002_voids"), ("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="Sitting",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("seat", models.IntegerField(null=True)),
                ("book", models.TextField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "at"], name="sitting_player"),
                    models.Index(fields=["table_id"], name="sitting_table"),
                    models.Index(fields=["id"], name="sitting_now", condition=models.Q(seat__isnull=False)),
                ]
            },
        ),
        migrations.RunSQL(sql=";".join(grant_all("baccarat_sitting")), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=KNOW_ABSENCE, reverse_sql=FORGET_ABSENCE),
        migrations.RunSQL(sql=SEAT_THEM, reverse_sql=migrations.RunSQL.noop),
    ]
