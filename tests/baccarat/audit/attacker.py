"""A superuser's connection, with which tests tamper with a played history; and the register of kinds of tampering."""

import json

WITH_ORIGINAL_CHAIN, WITH_RECOMPUTED_CHAIN = {}, {}
"""Kinds by name: those that leave the chain as it is, and those after which the whole chain is recomputed."""


def kind(group):
    """Register a way to tamper: a function of a cursor that returns the expected finding and a part of its location."""

    def register(change):
        group[change.__name__.replace("_", " ")] = change
        return change

    return register


class Attacker:
    """A superuser's connection."""

    def __init__(self, connection):
        self.connection = connection

    def do(self, statement, *parameters):
        assert self.connection.execute(statement, parameters).rowcount, statement

    def row(self, statement, *parameters):
        return self.connection.execute(statement, parameters).fetchone()

    def event(self, preset, number, kind):
        """Return id, stream, version and position of an event of the table's round."""
        return self.row(
            "SELECT event.id, stream, version, position FROM events_event AS event "
            "JOIN events_seal ON event_id = event.id WHERE stream = %s AND type = %s ORDER BY version LIMIT 1",
            f"round-{self.round(preset, number)}", kind,
        )  # fmt: skip

    def first_terms(self, preset):
        """Return the id of the event that fixed the terms of the table's first round."""
        return self.row(
            "SELECT event.id FROM events_event AS event JOIN baccarat_round AS round ON stream = 'table-' || table_id "
            "WHERE round.id = %s AND type = 'TermsFixed' ORDER BY version LIMIT 1",
            self.round(preset, 1),
        )[0]

    def terms(self, preset):
        """Return id of an event with whose cards the next terms were fixed, and the stream of the round with them."""
        return self.row(
            "SELECT event.id, 'round-' || following.id FROM baccarat_round AS round "
            "JOIN events_event AS event ON stream = 'round-' || round.id AND type = 'CardsDealt' "
            "JOIN baccarat_round AS following "
            "ON following.table_id = round.table_id AND following.number = round.number + 1 "
            "WHERE split_part(round.rules_label, '@', 1) = %s "
            "AND data #>> '{next_terms,number}' = following.number::text "
            "ORDER BY event.id LIMIT 1",
            preset,
        )

    def round(self, preset, number):
        """Return the first, second … settled round at the preset's first table."""
        return self.row(
            "SELECT id FROM baccarat_round WHERE table_id = (SELECT id FROM baccarat_table WHERE preset = %s "
            "ORDER BY id LIMIT 1) AND phase = 'settled' ORDER BY number OFFSET %s LIMIT 1",
            preset, number - 1,
        )[0]  # fmt: skip

    def signed_table(self, place):
        """Return the place-th table of signed wagers and its two rounds: the preset's tables after the first."""
        (table,) = self.row(
            "SELECT id FROM baccarat_table WHERE preset = 'mini' ORDER BY id OFFSET %s LIMIT 1", place + 1
        )
        rounds = self.connection.execute(
            "SELECT id FROM baccarat_round WHERE table_id = %s AND phase = 'settled' ORDER BY number", [table]
        ).fetchall()
        return table, *(round_ for (round_,) in rounds)

    def entry(self, kind, place):
        """Return the cause of the place-th entry of a kind."""
        query = "SELECT cause FROM wallet_entry WHERE kind = %s ORDER BY cause OFFSET %s LIMIT 1"
        return self.row(query, kind, place)[0]

    def last_posting(self, place):
        """Return account and number of the last posting of the place-th account by their number of postings."""
        return self.row(
            "SELECT account_id, max(sequence) FROM wallet_posting GROUP BY 1 ORDER BY 2 DESC, 1 OFFSET %s LIMIT 1",
            place,
        )

    def change(self, event, change):
        data = json.loads(self.row("SELECT data::text FROM events_event WHERE id = %s", event)[0])
        change(data)
        self.do("UPDATE events_event SET data = %s::jsonb WHERE id = %s", json.dumps(data), event)

    def move(self, event):
        """Move an event to a transaction of its own; return the one that it leaves."""
        (transaction,) = self.row("SELECT transaction FROM events_event WHERE id = %s", event)
        self.do("UPDATE events_event SET transaction = nextval('events_transaction') WHERE id = %s", event)
        return f"transaction {transaction}, positions"

    def insert_event(self, stream):
        """Append an event that our code did not write."""
        return self.row(
            "INSERT INTO events_event (stream, version, type, schema, data, metadata) "
            "SELECT %s, 1, type, schema, data, metadata FROM events_event WHERE type = 'TableOpened' LIMIT 1 "
            "RETURNING id",
            stream,
        )[0]
