"""A round as it is marked on the board, and the run of marks that a table keeps, as one short text.

`7Bn 8Pb 9T` says: round 7 went to the Banker by a natural, round 8 to the Player while the Banker's first two cards
were a pair, round 9 was a tie. A text costs nothing to carry in a table's state, however many rounds it stands for.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome

MAX_RUN_LENGTH: Final = 72
"""How many marks make a run where the cards are shuffled before every round, so that no shoe ends it: about as many as
a shoe of eight decks brings. The mark after the last one begins a new run, as a new shoe does."""

_LETTERS: Final = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "T"}
_OUTCOMES: Final = {letter: outcome for outcome, letter in _LETTERS.items()}
_MARK: Final = re.compile(r"([0-9]+)([BPT])(p?)(b?)(n?)", re.ASCII)


class RoundMark(NamedTuple):
    """A round on the board. A pair is a side's first two cards of one rank."""

    number: int
    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False

    def __str__(self) -> str:
        """The mark as a run writes it: number, winner, then p, b and n for the pairs and a natural."""
        signs = ("p", self.player_pair), ("b", self.banker_pair), ("n", self.natural)
        return f"{self.number}{_LETTERS[self.outcome]}{''.join(sign for sign, holds in signs if holds)}"


class OutcomeTotals(NamedTuple):
    """How often each outcome came, and how many hands that makes."""

    banker: int
    player: int
    tie: int
    hands: int


def find_pairs(cards: Sequence[Card]) -> str:
    """Tell from cards in deal order (P B P B) whose first two are a pair: "", "p", "b" or "pb"."""
    ranks = [card[:1] for card in cards[:4]]
    if len(ranks) < 4:
        return ""
    return ("p" if ranks[0] == ranks[2] else "") + ("b" if ranks[1] == ranks[3] else "")


def append_mark(run: str, mark: RoundMark, *, max_marks: int | None) -> str:
    """Add a mark to a run; where the run has `most` marks already, it begins a new one."""
    full = max_marks is not None and len(run.split()) >= max_marks
    return str(mark) if full or not run else f"{run} {mark}"


def remove_mark(run: str, number: int) -> str:
    """Take a voided round's mark out of a run; a round that is not in it changes nothing."""
    return " ".join(each for each in run.split() if parse_mark(each).number != number)


def parse_run(run: str) -> tuple[RoundMark, ...]:
    """Read all marks of a run, the oldest first. Raises ValueError for a text that is no run."""
    return tuple(parse_mark(each) for each in run.split())


def parse_last(run: str, count: int) -> tuple[RoundMark, ...]:
    """Read the newest `count` marks of a run, the oldest first. Raises ValueError for a text that is none."""
    return tuple(parse_mark(each) for each in run.split()[-count:])


def tally(run: str) -> OutcomeTotals:
    """Count the outcomes of a run without reading its marks: each has one capital letter, its winner's."""
    banker, player, tie = run.count("B"), run.count("P"), run.count("T")
    return OutcomeTotals(banker, player, tie, banker + player + tie)


def parse_mark(text: str) -> RoundMark:
    """Read one mark. Raises ValueError."""
    match = _MARK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a mark such as 7Bn.")
    number, winner, player, banker, natural = match.groups()
    return RoundMark(int(number), _OUTCOMES[winner], bool(player), bool(banker), bool(natural))
