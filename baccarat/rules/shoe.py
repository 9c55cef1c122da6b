"""A long shoe: what is burned at its start and when its cut card comes out (rules, section 2)."""

from baccarat.rules.cards import Card, points


def burned(turned: Card) -> int:
    """This will return how many cards are burned after the turned first card: its points, ten for a ten or court card.

    The turned card is out of play as well. Raises UnknownCard.
    """
    return points(turned) or 10


def is_cut_out(*, drawn: int, decks: int, cards_from_end: int) -> bool:
    """This will tell whether the cut card has come out: some card behind it is among the `drawn` ones.

    `drawn` counts every card out of the shoe, the turned and burned ones too. The round in which this becomes true
    is finished, and one more is played.
    """
    return drawn > decks * 52 - cards_from_end
