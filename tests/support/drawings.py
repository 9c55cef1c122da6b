"""What a seed is committed to, the cut from contributions, and the cards, by the functions of fairness alone."""

from collections.abc import Sequence
from uuid import UUID

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.fairness.terms import close_cut
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rules.cards import Card
from baccarat.domain.tables.state import NextShoe, Shoe


def drawing_of(opened: RoundOpened) -> Drawing:
    """Return the drawing of a round with a shoe of its own."""
    return Drawing(opened.table, opened.shoe, opened.number)


def is_opened(opened: RoundOpened, seed: str | None) -> bool:
    """Return whether a seed in hex opens the commitment of a round with a shoe of its own."""
    return drawing_of(opened).opens(opened.commitment, bytes.fromhex(seed or ""))


def is_shoe_opened(table: UUID, shoe: Shoe | NextShoe, seed: str | None) -> bool:
    """Return whether a seed in hex opens the commitment of a table's shoe."""
    drawing = Drawing(table, shoe.shoe, shoe.number)
    return drawing.opens(shoe.commitment, bytes.fromhex(seed or ""))


def cut_from(commitment: str | None, *contributions: tuple[int, str]) -> bytes:
    """Return the cut of a drawing from seats and their contributions."""
    given = [Contribution(seat, contribution) for seat, contribution in contributions]
    return close_cut(commitment=commitment or "", witnesses=(), contributions=given)


def cards_of_round(seed: bytes, number: int, *, cut: str, out: Sequence[Card], count: int) -> tuple[Card, ...]:
    """Return what a round draws from what is left of a long shoe of eight decks at a table without a witness."""
    return shuffle(round_seed(seed, number), cut=bytes.fromhex(cut), decks=8, first=count, out=out)


def cards_of(seed: bytes, cut: bytes, *, decks: int = 8, first: int | None = None) -> tuple[Card, ...]:
    """Return the order of a shoe."""
    return shuffle(seed, cut=cut, decks=decks, first=first)
