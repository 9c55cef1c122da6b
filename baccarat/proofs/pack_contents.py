"""List the contents of a dispute pack beside the proof: wagers, ledger entries, chat messages, timeline, viewings.

Players and staff are named by their ids, as in the log; texts of staff about people are not included.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.audit.round_replay import RoundReplay
from baccarat.chat import queries as chat
from casino.events.sql import fetch
from casino.kernel.event_amounts import format_amounts
from casino.kernel.money import format_amount as money
from casino.operators.principals import session_id
from casino.operators.sessions import touch_interval
from wallet.ledger import queries as wallet

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
"""What everybody at a table sees of a round, by event."""

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

_WAGERS: Final = """
SELECT id, seat, player_id, money_type, currency, stakes, staked, won, commission, returned,
       confirmed_at, settled_at, voided_at
FROM baccarat_wager WHERE round_id = %s ORDER BY seat
"""
_NAMES: Final = (
    "wager", "seat", "player", "money_type", "currency", "stakes", "staked", "won", "commission", "returned",
    "confirmed_at", "settled_at", "voided_at",
)  # fmt: skip


def wagers(round_: UUID) -> list[dict[str, Any]]:
    """List the round's wagers and their results by seat, amounts as decimal strings."""
    return [format_amounts(dict(zip(_NAMES, row, strict=True))) for row in fetch(_WAGERS, [round_])]


def ledger_entries(events: Iterable[int]) -> list[dict[str, Any]]:
    """List the ledger entries of these events, each posting with the balance before and after.

    Amounts are decimal strings.
    """
    return [
        {
            "entry": entry.cause,
            "kind": entry.kind,
            "event": entry.cause,
            "recorded_at": entry.recorded_at,
            "postings": [
                {
                    "account": posting.account,
                    "kind": posting.kind,
                    "money_type": posting.money_type,
                    "player": posting.player,
                    "currency": posting.currency,
                    "amount": money(posting.amount, posting.currency),
                    "balance_before": money(posting.balance - posting.amount, posting.currency),
                    "balance_after": money(posting.balance, posting.currency),
                    "sequence": posting.sequence,
                }
                for posting in entry.postings
            ],
        }
        for entry in wallet.list_entries(causes=list(events))
    ]


def chat_messages(*, table: UUID, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """List the chat messages sent at the table in that time: id, seat, player and time, no texts."""
    return chat.references(table=table, since=since, until=until)


def timeline(replay: RoundReplay) -> str:
    """Describe the round, one line for each step."""
    lines = [f"Round {replay.round}, number {replay.number} of table {replay.table}", ""]
    lines += [f"{line.version:>4}  {line.event:<18}  {line.text}" for line in replay.lines]
    return "\n".join([*lines, "", replay.fairness, replay.verdict(), ""])


def list_viewings(round_: UUID, events: Sequence[Event]) -> list[PackLine]:
    """List who viewed what of a round, in order of time, from its exported events."""
    since, until = (datetime.fromisoformat(events[place]["recorded_at"]) for place in (0, -1))
    players = {UUID(seat["player"]): seat["seat"] for seat in events[0]["data"]["seats"]}
    lines = [*_public_events(events), *_looks(events, players), *_sessions(players, since, until), *_staff(round_)]
    return sorted(lines, key=lambda line: line["at"])


def _line(at: datetime, who: str, saw: str, by: str) -> PackLine:
    return {"at": at, "who": who, "saw": saw, "by": by}


def _public_events(events: Sequence[Event]) -> Iterator[PackLine]:
    for event in events:
        if event["type"] in PUBLIC_EVENTS:
            at = datetime.fromisoformat(event["recorded_at"])
            yield _line(
                at, "everyone at the table", PUBLIC_EVENTS[event["type"]], f"the stream, as #{event['position']}"
            )


def _looks(events: Sequence[Event], players: Mapping[UUID, int]) -> Iterator[PackLine]:
    seats = {seat: player for player, seat in players.items()}
    for event in events:
        if event["type"] == "CardsLookedAt":
            seat = event["data"]["seat"]
            at = datetime.fromisoformat(event["recorded_at"])
            yield _line(at, f"player:{seats[seat]}", "the Player's two cards", f"looking at them in seat {seat}")


def _sessions(players: Mapping[UUID, int], since: datetime, until: datetime) -> Iterator[PackLine]:
    """Yield sessions that may have shown the table in that time; their last use is saved every half minute."""
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
