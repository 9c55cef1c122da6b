"""Lists who viewed a round, and what was reported about it to compliance, for dispute packs.

Players and staff are named by their ids, as in the log; texts of staff about people are not included.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.operators.principals import session_id
from casino.operators.sessions import touch_interval

Event = Mapping[str, Any]
PackLine = dict[str, Any]

PUBLIC_EVENTS: Final[Mapping[str, str]] = {
    "RoundOpened": "that betting was open",
    "BettingClosed": "that betting was closed",
    "HandTurned": "a hand that the Caller turned",
    "CardsDealt": "the cards",
    "RoundSettled": "the result",
    "RoundLapsed": "that the round lapsed",
    "RoundVoided": "that the round was voided",
}
"""What everybody at a table sees of a round, by the event that shows it."""

_SESSIONS: Final = """
SELECT player_id, token_hash, created_at, last_used_at FROM operators_playersession
WHERE player_id = ANY (%s::uuid[]) AND last_used_at >= %s AND created_at <= %s ORDER BY created_at, token_hash
"""
_VIEWS: Final = "SELECT user_id, at FROM staff_accesslogentry WHERE subject = %s ORDER BY id"
_SIGNIFICANT: Final = """
SELECT event.number, event.kind, event.severity, event.at, event.actor, event.authorised_by, event.before, event.after,
       remark.by, remark.at
FROM significant_significantevent AS event
LEFT JOIN significant_note AS remark ON remark.event_id = event.id AND remark.acknowledges
WHERE event.subject = %s ORDER BY event.number
"""
_SIGNIFICANT_NAMES: Final = (
    "number", "kind", "severity", "at", "actor", "authorised_by", "before", "after", "acknowledged_by",
    "acknowledged_at",
)  # fmt: skip


def list_viewings(round_: UUID, events: Sequence[Event]) -> list[PackLine]:
    """List who viewed what of a round, in order of time, from its exported events."""
    since, until = (datetime.fromisoformat(events[place]["recorded_at"]) for place in (0, -1))
    players = {UUID(seat["player"]): seat["seat"] for seat in events[0]["data"]["seats"]}
    found = [*_published(events), *_looked(events, players), *_sessions(players, since, until), *_staff(round_)]
    return sorted(found, key=lambda line: line["at"])


def _line(at: datetime, who: str, saw: str, by: str) -> PackLine:
    return {"at": at, "who": who, "saw": saw, "by": by}


def _published(events: Sequence[Event]) -> Iterator[PackLine]:
    for event in events:
        if event["type"] in PUBLIC_EVENTS:
            at = datetime.fromisoformat(event["recorded_at"])
            yield _line(
                at, "everyone at the table", PUBLIC_EVENTS[event["type"]], f"the stream, as #{event['position']}"
            )


def _looked(events: Sequence[Event], players: Mapping[UUID, int]) -> Iterator[PackLine]:
    seats = {seat: player for player, seat in players.items()}
    for event in events:
        if event["type"] == "CardsLookedAt":
            seat = event["data"]["seat"]
            at = datetime.fromisoformat(event["recorded_at"])
            yield _line(at, f"player:{seats[seat]}", "the Player's two cards", f"looking at them in seat {seat}")


def _sessions(players: Mapping[UUID, int], since: datetime, until: datetime) -> Iterator[PackLine]:
    """Return sessions that may have shown the table in that time; the last use is saved at most every half minute."""
    for player, token_hash, created_at, last_used_at in fetch(
        _SESSIONS, [list(players), since - touch_interval(), until]
    ):
        by = f"{session_id(bytes(token_hash))}, last used {last_used_at.isoformat()}"
        yield _line(created_at, f"player:{player}", "the table", by)


def _staff(round_: UUID) -> Iterator[PackLine]:
    for user, at in fetch(_VIEWS, [f"round:{round_}"]):
        yield _line(at, f"staff:{user}", "the round's page", "the administration")


def significant_events(round_: UUID) -> list[PackLine]:
    """List the significant events about a round, in order, with who acknowledged them."""
    rows = fetch(_SIGNIFICANT, [f"round:{round_}"])
    return [dict(zip(_SIGNIFICANT_NAMES, row, strict=True)) for row in rows]
