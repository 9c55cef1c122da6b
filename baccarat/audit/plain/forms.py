"""Events of a round's usual course as they are written: ids and times stay text, which is compared at no cost.

Each form's fields stand in the order of canonical JSON and must all be there, none besides, and nothing is converted on
the way in: so a form, written again, gives the canonical bytes of what was read. One reading serves digest and rules.
"""

import re
from typing import Any, Final

import msgspec

from baccarat.domain.rounds.ceremony_events import HandedBackBy, Side
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import StakeResult
from baccarat.domain.rules.wagers import Spot
from casino.events.hash_chain import Decoders
from casino.kernel.money import MoneyType


class Form(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """What all forms have in common: no field but those listed, and no cycle among them."""


class SeatInRound(Form):
    """A seat that takes part."""

    book: MoneyType
    player: str
    seat: int


class ShoeShape(Form):
    """What a shoe is made of."""

    burn: bool
    cut_cards_from_end: int | None
    decks: int


class NamedShoe(Form):
    """The shoe of the round after."""

    commitment: str
    shape: ShoeShape
    shoe: str


class RoundOpened(Form, kw_only=True):
    """Betting is open. `next_shoe` is not there at all in events from before one was named."""

    commitment: str | None
    deadline_at: str | None
    next_shoe: NamedShoe | msgspec.UnsetType | None = msgspec.UNSET
    number: int
    opened_at: str
    operator: str
    round: str
    rules: str
    seats: tuple[SeatInRound, ...]
    shoe: str
    table: str


class ChipsPlaced(Form):
    """Chips on one spot."""

    amount: int
    seat: int
    spot: Spot


class PlacementUndone(Form):
    """The last placement came off."""

    seat: int


class ChipsCleared(Form):
    """All placements came off."""

    seat: int


class WagerRepeated(Form):
    """The last wager's stakes, placed again."""

    seat: int
    stakes: dict[Spot, int]


class WagerConfirmed(Form):
    """Stakes at risk."""

    book: MoneyType
    confirmed_at: str
    player: str
    raised: dict[Spot, int]
    seat: int
    stakes: dict[Spot, int]


class SeatPassed(Form):
    """The seat sits out."""

    seat: int


class SeatTimedOut(Form):
    """The seat said nothing in its turn."""

    seat: int


class CutGiven(Form):
    """A seat's contribution to the cut of the round's own shoe."""

    contribution: str
    given_at: str
    player: str
    seat: int


class Contribution(Form):
    """What one seat added to the cut."""

    contribution: str
    seat: int


class BettingClosed(Form):
    """No more bets."""

    closed_at: str
    contributions: tuple[Contribution, ...]
    cut: str


class CardsHandedOut(Form):
    """The Player's cards are with a seat."""

    handed_out_at: str
    seat: int
    until: str


class CardsLooked(Form):
    """The seat looks at them."""

    looked_at: str
    seat: int
    until: str


class CardsHandedBack(Form):
    """The cards are with the Caller again."""

    by: HandedBackBy
    handed_back_at: str
    seat: int


class HandTurned(Form):
    """A hand's first two cards."""

    cards: tuple[Card, ...]
    side: Side


class CardsDealt(Form):
    """The cards in deal order, from a place in the shoe."""

    cards: tuple[Card, ...]
    position: int


class SpotResult(Form):
    """What one stake came to."""

    commission: int
    result: StakeResult
    returned: int
    spot: Spot
    stake: int
    win: int


class SeatSettled(Form):
    """What one wager came to."""

    book: MoneyType
    commission: int
    deferred: bool
    player: str
    results: tuple[SpotResult, ...]
    returned: int
    seat: int
    staked: int
    won: int


class RoundSettled(Form):
    """The outcome, and every wager's result."""

    banker_total: int
    natural: bool
    outcome: Outcome
    player_total: int
    seed: str | None
    settled_at: str
    wagers: tuple[SeatSettled, ...]


ALL: Final[tuple[type[Any], ...]] = (
    RoundOpened,
    ChipsPlaced,
    PlacementUndone,
    ChipsCleared,
    WagerRepeated,
    WagerConfirmed,
    SeatPassed,
    SeatTimedOut,
    CutGiven,
    BettingClosed,
    CardsHandedOut,
    CardsLooked,
    CardsHandedBack,
    HandTurned,
    CardsDealt,
    RoundSettled,
)
FORMS: Final[Decoders] = {(form.__name__, 1): msgspec.json.Decoder(form).decode for form in ALL}
"""What reads each form, by the event's name and schema; it raises msgspec.DecodeError for anything else."""

is_id: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII).fullmatch
"""Matches a text that is an id just as ids are written."""
