"""A player's sessions as staff see them: those that are open, and the latest with how they ended."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from casino.backoffice import html
from casino.backoffice.sections import Grid
from casino.operators.models import Player, PlayerSession
from casino.operators.principals import session_id

MOST_SESSIONS: Final = 20


def open_sessions(player: Player) -> list[PlayerSession]:
    """List the sessions that still let the player in."""
    now = timezone.now()
    used = now - timedelta(seconds=settings.PLAYER_IDLE_SECONDS)
    return list(player.sessions.filter(ended_at=None, expires_at__gt=now, last_used_at__gt=used))


def latest(player: Player) -> Grid:
    """Show a player's latest sessions, which of them are open, and how the others ended."""
    running = {session.pk for session in open_sessions(player)}
    latest = player.sessions.order_by(F("created_at").desc())[:MOST_SESSIONS]
    rows = [
        (
            html.code(session_id(bytes(session.token_hash)).removeprefix("session:")),
            html.moment(session.created_at),
            html.moment(session.expires_at),
            html.moment(session.last_used_at),
            html.moment(session.ended_at),
            html.badge("open", "good") if session.pk in running else session.ended_reason.replace("_", " ") or "over",
        )
        for session in latest
    ]
    headers = ("Session", "Opened (UTC)", "Expires (UTC)", "Last used (UTC)", "Ended (UTC)", "Standing")
    return Grid("Sessions", headers, rows, empty="No session yet.")
