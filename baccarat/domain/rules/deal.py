"""One deal: two hands out of four to six cards, by the fixed rules (rules, section 2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from baccarat.domain.rules.cards import POINTS, Card, card_name, hand_total
from baccarat.domain.rules.tableau import BANKER_DRAWS, PLAYER_STOOD, player_draws


class Outcome(StrEnum):
    """Which hand is closer to nine, or neither."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class NotEnoughCards(ValueError):
    """The cards ran out before the hands were complete."""


class IllegalDeal(ValueError):
    """The cards differ from what the rules would have dealt."""


class Deal(NamedTuple):
    """Both hands as dealt, their points modulo 10, the winner, and whether a natural ended the round.

    A named tuple for speed: the audit creates one for every recorded round.
    """

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_total: int
    banker_total: int
    outcome: Outcome
    natural: bool

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return the cards in deal order: Player, Banker, Player, Banker, the Player's third, the Banker's third."""
        player, banker = self.player, self.banker
        return (player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:])


@dataclass(frozen=True, slots=True)
class DealStep:
    """A deal step in words. `rule` is "deal", "total", "1" to "4" (rules, section 2) or "result"."""

    rule: str
    card: Card | None
    text: str


OUTCOME_BY_MARGIN: Final = (Outcome.TIE, *[Outcome.PLAYER] * 9, *[Outcome.BANKER] * 9)
"""Indexed by the Player's total minus the Banker's, -9 to 9: a negative index counts from the end."""


def deal(cards: Sequence[Card]) -> Deal:
    """Deal one round from the front of `cards`, taking the four to six that the rules require.

    Raises NotEnoughCards, and UnknownCard for a text that is not a card.
    """
    try:
        return _deal(cards)
    except IndexError:
        raise NotEnoughCards(f"{len(cards)} cards are too few to complete both hands.") from None


def _deal(cards: Sequence[Card]) -> Deal:
    player: tuple[Card, ...] = (cards[0], cards[2])
    banker: tuple[Card, ...] = (cards[1], cards[3])
    player_total = (POINTS[cards[0]] + POINTS[cards[2]]) % 10
    banker_total = (POINTS[cards[1]] + POINTS[cards[3]]) % 10
    if player_total >= 8 or banker_total >= 8:
        return Deal(
            player, banker, player_total, banker_total, OUTCOME_BY_MARGIN[player_total - banker_total], natural=True
        )
    third, used = PLAYER_STOOD, 4
    if player_draws(player_total):
        third, used = POINTS[cards[4]], 5
        player = (*player, cards[4])
        player_total = (player_total + third) % 10
    if BANKER_DRAWS[banker_total][third]:
        banker = (*banker, cards[used])
        banker_total = (banker_total + POINTS[cards[used]]) % 10
    return Deal(
        player, banker, player_total, banker_total, OUTCOME_BY_MARGIN[player_total - banker_total], natural=False
    )


def replay(cards: Sequence[Card]) -> Deal:
    """Replay recorded cards in deal order, which must be used up exactly.

    Raises IllegalDeal if cards are missing or left over, or there are none.
    """
    try:
        dealt = deal(cards)
    except ValueError as error:
        raise IllegalDeal(str(error)) from error
    used = len(dealt.player) + len(dealt.banker)
    if used != len(cards):
        raise IllegalDeal(f"The rules use {used} of these {len(cards)} cards.")
    return dealt


def describe_steps(dealt: Deal) -> tuple[DealStep, ...]:
    """Describe a deal step by step: each card, the totals, the rule that applied, and the winner."""
    return tuple(_steps(dealt))


def _steps(dealt: Deal) -> Iterator[DealStep]:
    player_total, banker_total = hand_total(dealt.player[:2]), hand_total(dealt.banker[:2])
    for index, which in enumerate(("first", "second")):
        yield _describe_card("Player", which, dealt.player[index])
        yield _describe_card("Banker", which, dealt.banker[index])
    yield DealStep("total", None, f"Player has {player_total}, Banker has {banker_total}.")
    if dealt.natural:
        yield DealStep("1", None, f"{_describe_naturals(player_total, banker_total)}: both hands stand by rule 1.")
    else:
        yield from _player_third(dealt, player_total)
        yield from _banker_third(dealt, banker_total)
    yield DealStep("result", None, _describe_result(dealt))


def _describe_card(side: str, which: str, card: Card) -> DealStep:
    worth = POINTS[card]
    return DealStep(
        "deal", card, f"{side}'s {which} card: {card_name(card)}, {worth} {'point' if worth == 1 else 'points'}."
    )


def _describe_naturals(player_total: int, banker_total: int) -> str:
    totals = {"Player": player_total, "Banker": banker_total}
    return " and ".join(f"{side} has a natural {total}" for side, total in totals.items() if total >= 8)


def _player_third(dealt: Deal, total: int) -> Iterator[DealStep]:
    if len(dealt.player) == 2:
        yield DealStep("2", None, f"Player has {total} and stands: rule 2, the Player stands on 6-7.")
        return
    yield DealStep("2", None, f"Player has {total} and draws: rule 2, the Player draws on 0-5.")
    yield _describe_card("Player", "third", dealt.player[2])
    yield DealStep("total", None, f"Player now has {dealt.player_total}.")


def _banker_third(dealt: Deal, total: int) -> Iterator[DealStep]:
    does = "draws" if len(dealt.banker) == 3 else "stands"
    if len(dealt.player) == 2:
        rule = "rule 3, draw on 0-5, stand on 6-7"
        yield DealStep("3", None, f"The Player stood; Banker has {total} and {does}: {rule}.")
    else:
        third = POINTS[dealt.player[2]]
        rule = f"rule 4, {_describe_row(total)}"
        yield DealStep("4", None, f"Banker has {total} against a third card of {third} and {does}: {rule}.")
    if len(dealt.banker) == 3:
        yield _describe_card("Banker", "third", dealt.banker[2])
        yield DealStep("total", None, f"Banker now has {dealt.banker_total}.")


def _describe_row(total: int) -> str:
    draws = [str(third) for third in range(10) if BANKER_DRAWS[total][third]]
    if not draws:
        return f"on {total} the Banker stands whatever that card"
    if len(draws) == 10:
        return f"on {total} the Banker draws whatever that card"
    return f"on {total} the Banker draws if that card is {', '.join(draws)}"


def _describe_result(dealt: Deal) -> str:
    player_total, banker_total = dealt.player_total, dealt.banker_total
    if dealt.outcome is Outcome.TIE:
        return f"A tie: both hands have {player_total}."
    if dealt.outcome is Outcome.PLAYER:
        return f"Player wins, {player_total} to {banker_total}."
    return f"Banker wins, {banker_total} to {player_total}."
