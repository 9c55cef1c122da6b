"""Summarizes what happened at a player's tables since a sealed position, with the player's results."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from baccarat.domain.tables.events import SeatReleased, SeatReleaseReason
from baccarat.streaming.notifications import SEAT_TAKEN, SEAT_VACATED, LiveEvent, LiveEventResponse
from baccarat.streaming.snapshot import PositionText, encode_position
from casino.api.shapes import Money, Shape, Timestamp
from casino.events.records import METADATA, SealedEvent
from casino.events.sql import fetch
from casino.kernel.money import MoneyType

MAX_EVENTS: Final = 200
"""Maximum events listed, the newest ones."""
MAX_ROUNDS_PER_TABLE: Final = 100
"""Maximum rounds of a table that are searched."""
MAX_EVENTS_PER_STREAM: Final = 500
"""Maximum events of one table or round that are searched."""

_RECORDED_AT: Final = """
    SELECT recorded_at FROM events_seal JOIN events_event ON events_event.id = event_id WHERE position = %s
"""
# The clock is read before the commit, so look back one more minute; the position decides.
_EVENTS: Final = f"""
    WITH own_tables AS (
        SELECT table_id FROM baccarat_sitting
         WHERE player_id = %(player)s AND (seat IS NOT NULL OR at >= %(moment)s::timestamptz - interval '1 minute')
    ), rounds AS (
        SELECT latest.id, latest.table_id
          FROM own_tables CROSS JOIN LATERAL (
               SELECT id, table_id, ended_at FROM baccarat_round
                WHERE baccarat_round.table_id = own_tables.table_id
                ORDER BY number DESC LIMIT {MAX_ROUNDS_PER_TABLE}) AS latest
         WHERE latest.ended_at IS NULL OR latest.ended_at >= %(moment)s::timestamptz - interval '1 minute'
        UNION
        SELECT round_id, table_id FROM baccarat_wager
         WHERE player_id = %(player)s AND voided_at >= %(moment)s::timestamptz - interval '1 minute'
    ), streams AS (
        SELECT 'table-' || table_id AS name, table_id, NULL::uuid AS round_id FROM own_tables
        UNION ALL SELECT 'round-' || id, table_id, id FROM rounds
    ), events AS (
        SELECT seal.position, seal.digest, event.*, streams.table_id, streams.round_id, seated.currency,
               row_number() OVER (ORDER BY seal.position DESC) AS newest
          FROM streams
          JOIN baccarat_table AS seated ON seated.id = streams.table_id
         CROSS JOIN LATERAL (
               SELECT * FROM events_event WHERE events_event.stream = streams.name
                ORDER BY version DESC LIMIT {MAX_EVENTS_PER_STREAM}) AS event
          JOIN events_seal AS seal ON seal.event_id = event.id
         WHERE seal.position > %(after)s
    )
    SELECT position, digest, id, transaction, stream, version, type, schema, data::text, {METADATA}::text, recorded_at,
           table_id, round_id, currency
      FROM events AS event
     WHERE newest <= {MAX_EVENTS + 1} OR type IN ('RoundSettled', 'RoundVoided', 'SeatReleased')
     ORDER BY position
"""  # noqa: S608  (constants)
_BEGINNING: Final = "-infinity"
_decode_dict: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_seat_released: Final = msgspec.json.Decoder(SeatReleased).decode


class AbsenceResult(Shape):
    """The player's result of rounds settled during the absence, in one money type."""

    money_type: MoneyType
    rounds: int
    voided: Annotated[int, Meta(description="Voided rounds; `net` includes their correction.")]
    staked: Money
    returned: Annotated[Money, Meta(description="Net of commission.")]
    net: Annotated[Money, Meta(description="Below zero for a loss.")]


class SeatReleasedResponse(Shape):
    """A released seat; its money is on the account."""

    table: UUID
    seat: int
    money_type: MoneyType
    reason: SeatReleaseReason
    returned: Money
    commission_collected: Money
    released_at: Timestamp

    @classmethod
    def of(cls, table: UUID, event: SeatReleased, currency: str) -> "SeatReleasedResponse":
        """Present the release of a seat."""
        return cls(
            table=table,
            seat=event.seat,
            money_type=event.money_type,
            reason=event.reason,
            returned=Money.of(event.returned, currency),
            commission_collected=Money.of(event.commission_collected, currency),
            released_at=event.released_at,
        )


class AbsenceResponse(Shape):
    """Events since position `after` at the tables where the player sat."""

    after: PositionText
    events: Annotated[tuple[LiveEventResponse, ...], Meta(description="The newest 200, oldest first.")]
    more: Annotated[bool, Meta(description="True if older ones are omitted; each round's event list has them.")]
    results: Annotated[tuple[AbsenceResult, ...], Meta(description="Of the last hundred rounds of each table.")]
    seats_released: tuple[SeatReleasedResponse, ...]


@dataclass(slots=True)
class AbsenceTotals:
    """Results of settled rounds for one player in one money type, in minor units, corrected by voids."""

    rounds: int = 0
    voided: int = 0
    staked: int = 0
    returned: int = 0
    net: int = 0

    def add_settled(self, wager: dict[str, Any]) -> None:
        """Add a settled wager."""
        self.rounds += 1
        self.staked += wager["staked"]
        self.returned += wager["returned"]
        self.net += wager["returned"] - wager["staked"]

    def add_voided(self, wager: dict[str, Any], *, was_settled: bool) -> None:
        """Subtract a voided wager; one still in play had no result yet."""
        self.voided += 1
        if was_settled:
            self.net += wager["staked"] - wager["returned"]

    def present(self, money_type: str, currency: str) -> AbsenceResult:
        return AbsenceResult(
            money_type=MoneyType(money_type),
            rounds=self.rounds,
            voided=self.voided,
            staked=Money.of(self.staked, currency),
            returned=Money.of(self.returned, currency),
            net=Money.of(self.net, currency),
        )


@dataclass(slots=True)
class AbsenceSummary:
    """Collects for one player: events to show, results by (money_type, currency), and released seats."""

    viewer: UUID
    events: list[LiveEvent] = field(default_factory=list)
    totals: dict[tuple[str, str], AbsenceTotals] = field(default_factory=dict)
    seats_released: list[SeatReleasedResponse] = field(default_factory=list)
    _left: set[UUID | None] = field(default_factory=set)

    def add_event(self, event: LiveEvent, data: bytes) -> None:
        """Add the next event in order; ignores events of a table after the player left it."""
        own = str(self.viewer) in event.players
        if event.type == SEAT_TAKEN and own:
            self._left.discard(event.table)
        if own or event.table not in self._left:
            self.events.append(event)
        if own and event.type in SEAT_VACATED:
            self._left.add(event.table)
        self._count(event, data)

    def _count(self, event: LiveEvent, raw: bytes) -> None:
        own, currency = str(self.viewer), event.currency or ""
        match event.type:
            case "RoundSettled":
                for wager in _decode_dict(raw)["wagers"]:
                    if wager["player"] == own:
                        self._totals(wager, currency).add_settled(wager)
            case "RoundVoided":
                data = _decode_dict(raw)
                for wager in data["seats"]:
                    if wager["player"] == own:
                        self._totals(wager, currency).add_voided(wager, was_settled=data["was_settled"])
            case "SeatReleased" if own and event.table is not None:
                released = _decode_seat_released(raw)
                if released.player == self.viewer:
                    self.seats_released.append(SeatReleasedResponse.of(event.table, released, currency))

    def _totals(self, wager: dict[str, Any], currency: str) -> AbsenceTotals:
        return self.totals.setdefault((wager["money_type"], currency), AbsenceTotals())


def recorded_at(position: int) -> datetime | None:
    """Return when the event at a sealed position was recorded; None for position 0."""
    rows = fetch(_RECORDED_AT, [position])
    return rows[0][0] if rows else None


def load_absence(*, after: int, since: datetime | None, player: UUID) -> AbsenceResponse:
    """Return what happened above position `after`, recorded at `since`, at the tables where the player sits.

    Includes tables that the player left since, up to that moment. One query in any case.
    """
    summary = AbsenceSummary(player)
    rows = fetch(_EVENTS, {"player": player, "after": after, "moment": since or _BEGINNING})
    for *facts, data, metadata, recorded, table, round_, currency in rows:
        raw = data.encode()
        sealed = SealedEvent._make((*facts, raw, metadata.encode(), recorded))
        summary.add_event(LiveEvent(sealed, table=table, round_=round_, currency=currency), raw)
    return AbsenceResponse(
        after=encode_position(after),
        events=tuple(event.present(player) for event in summary.events[-MAX_EVENTS:]),
        more=len(summary.events) > MAX_EVENTS,
        results=tuple(
            totals.present(money_type, currency) for (money_type, currency), totals in sorted(summary.totals.items())
        ),
        seats_released=tuple(summary.seats_released),
    )
