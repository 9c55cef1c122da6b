"""What happened at a player's tables since a sealed position, and what it came to for the player."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import connection

from baccarat.streaming.notifications import SEAT_TAKEN, SEAT_VACATED, LiveEvent
from casino.api.fields import present_money
from casino.events.records import SealedEvent
from casino.events.sql import fetch

MAX_EVENTS: Final = 200
"""Events that are told one by one: the newest."""
MAX_ROUNDS_PER_TABLE: Final = 100
"""Rounds of a table that are looked through."""
MAX_EVENTS_PER_STREAM: Final = 500
"""Events of one table or round that are looked through."""

_MOMENT: Final = """
    SELECT recorded_at FROM events_seal JOIN events_event ON events_event.id = event_id WHERE position = %s
"""
# A clock read before the commit is a little behind: a minute more is looked at, and the position decides.
_AWAY: Final = f"""
    WITH mine AS (
        SELECT table_id FROM baccarat_sitting
         WHERE player_id = %(player)s AND (seat IS NOT NULL OR at >= %(moment)s::timestamptz - interval '1 minute')
    ), rounds AS (
        SELECT latest.id, latest.table_id
          FROM mine CROSS JOIN LATERAL (
               SELECT id, table_id, ended_at FROM baccarat_round
                WHERE baccarat_round.table_id = mine.table_id ORDER BY number DESC LIMIT {MAX_ROUNDS_PER_TABLE}) AS latest
         WHERE latest.ended_at IS NULL OR latest.ended_at >= %(moment)s::timestamptz - interval '1 minute'
        UNION
        SELECT round_id, table_id FROM baccarat_wager
         WHERE player_id = %(player)s AND voided_at >= %(moment)s::timestamptz - interval '1 minute'
    ), streams AS (
        SELECT 'table-' || table_id AS name, table_id, NULL::uuid AS round_id FROM mine
        UNION ALL SELECT 'round-' || id, table_id, id FROM rounds
    ), found AS (
        SELECT seal.position, seal.digest, event.*, streams.table_id, streams.round_id, seated.currency,
               row_number() OVER (ORDER BY seal.position DESC) AS place
          FROM streams
          JOIN baccarat_table AS seated ON seated.id = streams.table_id
         CROSS JOIN LATERAL (
               SELECT * FROM events_event WHERE events_event.stream = streams.name
                ORDER BY version DESC LIMIT {MAX_EVENTS_PER_STREAM}) AS event
          JOIN events_seal AS seal ON seal.event_id = event.id
         WHERE seal.position > %(after)s
    )
    SELECT position, digest, id, stream, version, type, schema, data::text, metadata::text, recorded_at,
           table_id, round_id, currency
      FROM found
     WHERE place <= {MAX_EVENTS + 1} OR type IN ('RoundSettled', 'RoundVoided', 'SeatReleased')
     ORDER BY position
"""  # noqa: S608  (constants)
_THE_BEGINNING: Final = "-infinity"
_as_dict: Final = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(slots=True)
class AbsenceResult:
    """What settled rounds came to for one player in one kind of money, in minor units; voids are taken off again."""

    rounds: int = 0
    voided: int = 0
    staked: int = 0
    returned: int = 0
    net: int = 0

    def add_settled(self, wager: dict[str, Any]) -> None:
        """Add a settled wager; deferred commission is held back from what it returned."""
        returned = wager["returned"] - (wager["commission"] if wager["deferred"] else 0)
        self.rounds += 1
        self.staked += wager["staked"]
        self.returned += returned
        self.net += returned - wager["staked"]

    def add_voided(self, wager: dict[str, Any], *, was_settled: bool) -> None:
        """Take a voided wager off again; one that was still in play had come to nothing yet."""
        self.voided += 1
        if was_settled:
            self.net += wager["staked"] - wager["paid"]


@dataclass(slots=True)
class AbsenceSummary:
    """What is told to one player: events to show, results by (money_type, currency), and seats that were freed."""

    viewer: UUID
    events: list[LiveEvent] = field(default_factory=list)
    results: dict[tuple[str, str], AbsenceResult] = field(default_factory=dict)
    freed_seats: list[dict[str, Any]] = field(default_factory=list)
    _gone: set[UUID | None] = field(default_factory=set)

    def add_event(self, happening: LiveEvent, data: dict[str, Any]) -> None:
        """Note one event, the next in order; of a table that the player left it tells nothing more."""
        mine = str(self.viewer) in happening.players
        if happening.type == SEAT_TAKEN and mine:
            self._gone.discard(happening.table)
        if mine or happening.table not in self._gone:
            self.events.append(happening)
        if mine and happening.type in SEAT_VACATED:
            self._gone.add(happening.table)
        self._count(happening, data)

    def _count(self, happening: LiveEvent, data: dict[str, Any]) -> None:
        own, currency = str(self.viewer), happening.currency or ""
        match happening.type:
            case "RoundSettled":
                for wager in data["wagers"]:
                    if wager["player"] == own:
                        self._result(wager, currency).add_settled(wager)
            case "RoundVoided":
                for wager in data["seats"]:
                    if wager["player"] == own:
                        self._result(wager, currency).add_voided(wager, was_settled=data["was_settled"])
            case "SeatReleased" if data["player"] == own:
                self.freed_seats.append(_freed(happening, data, currency))

    def _result(self, wager: dict[str, Any], currency: str) -> AbsenceResult:
        return self.results.setdefault((wager["money_type"], currency), AbsenceResult())


def recorded_at(position: int) -> datetime | None:
    """Tell when the event at a sealed position was recorded; None for the time before the first."""
    rows = fetch(_MOMENT, [position])
    return rows[0][0] if rows else None


def load_absence_summary(*, after: int, since: datetime | None, player: UUID) -> dict[str, Any]:
    """Tell what happened above position `after`, recorded at `moment`, at the tables where the player sits.

    Tables that the player left since are told of up to there. One query, whatever happened.
    """
    given = {"player": player, "after": after, "moment": since or _THE_BEGINNING}
    return present_absence(fetch_rows(given), after=after, viewer=player)


def fetch_rows(given: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Read the events: the columns of a sealed one, then its table, round and currency."""
    with connection.cursor() as cursor:
        cursor.execute(_AWAY, given)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def present_absence(rows: Iterable[Sequence[Any]], *, after: int, viewer: UUID) -> dict[str, Any]:
    """Shape what happened for an answer."""
    told = AbsenceSummary(viewer)
    for position, digest, key, stream, version, kind, schema, data, metadata, recorded_at, *place in rows:
        table, round_, currency = place
        raw = data.encode()
        sealed = SealedEvent(position, digest, key, stream, version, kind, schema, raw, metadata.encode(), recorded_at)
        told.add_event(LiveEvent(sealed, table=table, round_=round_, currency=currency), _as_dict(raw))
    return {
        "after": after,
        "events": [event.redact_for(viewer) for event in told.events[-MAX_EVENTS:]],
        "more": len(told.events) > MAX_EVENTS,
        "results": [
            _result(money_type, currency, result) for (money_type, currency), result in sorted(told.results.items())
        ],
        "seats_released": told.freed_seats,
    }


def _result(money_type: str, currency: str, result: AbsenceResult) -> dict[str, Any]:
    return {
        "money_type": money_type,
        "rounds": result.rounds,
        "voided": result.voided,
        "staked": present_money(result.staked, currency),
        "returned": present_money(result.returned, currency),
        "net": present_money(result.net, currency),
    }


def _freed(happening: LiveEvent, data: dict[str, Any], currency: str) -> dict[str, Any]:
    return {
        "table": happening.table,
        "seat": data["seat"],
        "money_type": data["money_type"],
        "reason": data["reason"],
        "returned": present_money(data["returned"], currency),
        "commission_collected": present_money(data["collected"], currency),
        "released_at": data["released_at"],
    }
