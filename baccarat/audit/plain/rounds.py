"""Rounds of the usual course, and how one begins at a table that is as it should be."""

from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.seating import Due, Seating
from baccarat.audit.rows import Row
from baccarat.audit.traces import SeatTrace, TableTrace
from baccarat.domain.rounds.ceremony_events import HandedBackBy
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Deal
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType

_BETTING, _DECIDING = Phase.BETTING, SeatStatus.DECIDING

_read: Final = msgspec.json.Decoder(datetime).decode


def moment(text: str) -> datetime:
    """Read a time that is written as all of ours, in UTC. Raises ValueError for any other."""
    if text[-1:] != "Z" or "\\" in text:
        raise ValueError(text)
    return _read(f'"{text}"')  # as JSON: a third of what msgspec's own conversion of a text costs


class PlainPart(msgspec.Struct, gc=False):
    """A seat's part: chips as placed, in total and one by one, or the confirmed stakes, and what they have come to."""

    seat: int
    player: str
    book: MoneyType
    guest: SeatTrace
    standing: SeatStatus = _DECIDING
    placed: dict[Spot, int] = msgspec.field(default_factory=dict)
    placements: list[dict[Spot, int]] = msgspec.field(default_factory=list)
    wager: f.WagerConfirmed | None = None
    confirmed_at: datetime | None = None
    due: Due | None = None


class Given(NamedTuple):
    """A seat's last contribution to the cut, in hex, and how many its player gave from there."""

    contribution: str
    times: int


class Held(NamedTuple):
    """The Player's cards with a seat, until a time, as text and as time; `looked_at` and `back` once they are so."""

    seat: int
    until: str
    until_at: datetime
    looked_at: str | None = None
    back: HandedBackBy | None = None


class PlainRound(msgspec.Struct, gc=False):
    """A round that went as usual so far; `last` is the event that ended it."""

    events: list[f.Form]
    table: TableTrace
    seating: Seating
    opened: f.RoundOpened
    opened_at: datetime
    deadline_at: datetime | None
    parts: dict[int, PlainPart]
    phase: Phase = _BETTING
    closed: f.BettingClosed | None = None
    closed_at: datetime | None = None
    position: int = 0
    cards: tuple[Card, ...] = ()
    dealt: Deal | None = None
    settled: f.RoundSettled | None = None
    given: dict[int, Given] = msgspec.field(default_factory=dict)
    ceremony: Held | None = None
    turned: tuple[f.HandTurned, ...] = ()
    version: int = 1
    last: Row | None = None


def opened(row: Row, event: f.RoundOpened, known: Seating) -> PlainRound | None:
    """Begin a round at a table that is as it should be; None where anything is not."""
    table = known.table
    if (
        not known.plays
        or table.round is not None
        or event.number != table.rounds + 1
        or event.seats != known.seats
        or event.operator != known.operator
        or event.rules != table.label
        or row.version != 1
        or row.stream != f"round-{event.round}"
        or f.is_id(event.round) is None
        or not _shoe(event, table, known)
    ):
        return None
    opened_at, turn = moment(event.opened_at), known.turn
    deadline = None if event.deadline_at is None else moment(event.deadline_at)
    if deadline != (None if turn is None else opened_at + turn):
        return None
    parts = {
        seat.seat: PlainPart(seat.seat, seat.player, seat.book, guest)
        for seat, guest in zip(known.seats, known.guests, strict=True)
    }
    table.rounds = event.number
    return PlainRound([event], table, known, event, opened_at, deadline, parts)


def _shoe(event: f.RoundOpened, table: TableTrace, known: Seating) -> bool:
    if not table.has_long_shoe:
        return event.commitment is not None  # what its shoe is called, `naming` has looked at
    shoe = table.shoe
    return shoe is not None and not shoe.finished and event.shoe == known.shoe and event.commitment is None
