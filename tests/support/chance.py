"""Cards with a known outcome, so that a story can be told on purpose."""

from typing import Final

import pytest

from baccarat.domain import dealer
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.unit_of_work import UnitOfWork

_CARDS: Final = {
    Outcome.PLAYER: "7c 2d Kc 4d As 3h",
    Outcome.BANKER: "2c 7d Kc Td 4s 3h",
    Outcome.TIE: "7c 7d Kc Kd As 3h",
}


def fix(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> None:
    """Deal every round from now on so that this is its outcome, whatever its shoe's order: only an audit finds it."""

    def next_cards(uow: UnitOfWork, _seed: bytes) -> tuple[tuple[Card, ...], int]:
        cards = tuple(Card(card) for card in _CARDS[outcome].split())
        return cards, 0 if uow.table.shoe is None else uow.table.shoe.cards_used

    monkeypatch.setattr(dealer, "next_cards", next_cards)
