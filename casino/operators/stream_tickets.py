"""Tickets for streams: browsers' EventSource cannot send a token in a header, and a token in a URL would be logged.

A ticket works once, for a minute, with the rights of its session. Its SHA-256 is stored.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from casino.operators import credentials

SECONDS: Final = 60

# Deletes expired tickets in the same statement.
_ISSUE: Final = """
    WITH stale AS (DELETE FROM operators_streamticket WHERE expires_at <= clock_timestamp())
    INSERT INTO operators_streamticket (ticket_hash, session_hash, expires_at)
    VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s)) RETURNING expires_at
"""
_REDEEM: Final = """
    DELETE FROM operators_streamticket WHERE ticket_hash = %s
    RETURNING session_hash, expires_at > clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket, which is shown once, and its expiry."""

    ticket: str
    expires_at: datetime


def issue(*, session: bytes) -> Ticket:
    """Issue a ticket for a player's session, given by its token's hash."""
    ticket = credentials.new_ticket()
    with connection.cursor() as cursor:
        cursor.execute(_ISSUE, (credentials.digest(ticket), session, SECONDS))
        row = cursor.fetchone()
    return Ticket(ticket, row[0])


def redeem(*, ticket: str) -> bytes | None:
    """Redeem a ticket and return its session, by the token's hash; None if it is used, expired or wrong."""
    with connection.cursor() as cursor:
        cursor.execute(_REDEEM, (credentials.digest(ticket),))
        row = cursor.fetchone()
    return bytes(row[0]) if row is not None and row[1] else None
