"""A round to step through: each thing that happened in words, with the cards that lay on the table by then."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from baccarat.audit.narrative import NarrativeLine
from baccarat.audit.verdict import RoundVerdict
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import DealStep, IllegalDeal, describe_steps, replay
from casino.backoffice.sections import Piece, Section

TURNED = 2
"""Cards of a hand that the Caller turns over at once."""
_PLACES: Final = {"first": 1, "second": 2, "third": 3}


@dataclass(frozen=True, slots=True)
class Moment:
    """One step: the words, the version of the event it tells of, and how many cards of each hand are on the table."""

    words: str
    version: int
    player: int
    banker: int


def moments(judged: RoundVerdict, state: RoundState) -> list[Moment]:
    """Tell a round step by step; nothing where its events can't be followed."""
    return [] if judged.replay is None else list(_moments(judged.replay.lines, _drawn(state)))


def alone(told: Sequence[Moment], state: RoundState) -> Sequence[Section]:
    """Show the steps of a round that has no cards to show them with."""
    if state.cards or not told:
        return ()
    return (Piece("What happened", "admin/baccarat/moments.html", {"moments": told}),)


def _drawn(state: RoundState) -> tuple[DealStep, ...]:
    try:
        return describe_steps(replay([Card(card) for card in state.cards])) if state.cards else ()
    except IllegalDeal:
        return ()


def _moments(lines: Sequence[NarrativeLine], told: Sequence[DealStep]) -> Iterator[Moment]:
    drawn = iter(told)
    player = banker = 0
    for line in lines:
        words = line.text
        if line.event == "CardsDealt" and line.text.startswith("Cards from place"):
            words = f"{line.text.partition(':')[0]}."
        elif line.event == "CardsDealt":
            step = next(drawn, None)
            if step is not None and step.card is not None:
                player, banker = _on_table(line.text, player, banker)
        elif line.event == "HandTurned":
            player, banker = (TURNED, banker) if "Player's" in line.text else (player, TURNED)
        yield Moment(words, line.version, player, banker)


def _on_table(words: str, player: int, banker: int) -> tuple[int, int]:
    """One more card of the hand that the words begin with; the Caller may have turned it over before.

    Words of a deal that was tampered with name no card, and change nothing.
    """
    place = _PLACES.get(words.partition(" ")[2].partition(" ")[0])
    if place is None:
        return player, banker
    return (max(player, place), banker) if words.startswith("Player") else (player, max(banker, place))
