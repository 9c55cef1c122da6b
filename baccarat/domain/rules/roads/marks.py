"""A round's mark on the board, and a table's run of marks encoded as one short text.

`7Bn 8Pb 9T` means: the Banker won round 7 with a natural, the Player won round 8 while the Banker's first two cards
were a pair, and round 9 was a tie. A text is cheap to keep in a table's state, however many rounds it covers.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome

MAX_RUN_LENGTH: Final = 72
"""Marks in a run if cards are shuffled before every round and no shoe ends it: about as many as an eight-deck shoe
gives. The next mark begins a new run, as a new shoe does."""

_LETTERS: Final = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "T"}
_OUTCOMES: Final = {letter: outcome for outcome, letter in _LETTERS.items()}
_MARK: Final = re.compile(r"([0-9]+)([BPT])(p?)(b?)(n?)", re.ASCII)


class RoundMark(NamedTuple):
    """A round on the board. A pair means that a side's first two cards have the same rank."""

    number: int
    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False

    def __str__(self) -> str:
        """Encode the mark for a run: number, winner, then p, b and n for the pairs and a natural."""
        signs = ("p", self.player_pair), ("b", self.banker_pair), ("n", self.natural)
        return f"{self.number}{_LETTERS[self.outcome]}{''.join(sign for sign, holds in signs if holds)}"


class OutcomeTotals(NamedTuple):
    """Number of each outcome, and of hands in total."""

    banker: int
    player: int
    tie: int
    hands: int


def find_pairs(cards: Sequence[Card]) -> str:
    """Return the sides whose first two cards are a pair, from cards in deal order (P B P B): "", "p", "b" or "pb"."""
    ranks = [card[:1] for card in cards[:4]]
    if len(ranks) < 4:
        return ""
    return ("p" if ranks[0] == ranks[2] else "") + ("b" if ranks[1] == ranks[3] else "")


def append_mark(run: str, mark: RoundMark, *, max_marks: int | None) -> str:
    """Append a mark to a run; if the run already has `max_marks` marks, start a new one."""
    full = max_marks is not None and len(run.split()) >= max_marks
    return str(mark) if full or not run else f"{run} {mark}"


def remove_mark(run: str, number: int) -> str:
    """Remove a voided round's mark from a run; does nothing if the round is not in it."""
    return " ".join(each for each in run.split() if parse_mark(each).number != number)


def parse_run(run: str) -> tuple[RoundMark, ...]:
    """Parse all marks of a run, oldest first. Raises ValueError for malformed text."""
    return tuple(parse_mark(each) for each in run.split())


def parse_last(run: str, count: int) -> tuple[RoundMark, ...]:
    """Parse the newest `count` marks of a run, oldest first. Raises ValueError for malformed text."""
    return tuple(parse_mark(each) for each in run.split()[-count:])


def tally(run: str) -> OutcomeTotals:
    """Count the outcomes of a run without parsing its marks: each has one capital letter, its winner's."""
    banker, player, tie = run.count("B"), run.count("P"), run.count("T")
    return OutcomeTotals(banker, player, tie, banker + player + tie)


def parse_mark(text: str) -> RoundMark:
    """Parse one mark. Raises ValueError."""
    match = _MARK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a mark such as 7Bn.")
    number, winner, player, banker, natural = match.groups()
    return RoundMark(int(number), _OUTCOMES[winner], bool(player), bool(banker), bool(natural))
