"""Both engines' hands, timed where they are played."""

import importlib
import random
import time

from baccarat.domain.rules.cards import FULL_DECK, Card
from baccarat.domain.rules.counting import play_out
from baccarat.domain.rules.deal import deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import rules_for
from tests.nightly.bench.worker import serve

DECKS = 8
CUT = 14
RULES = rules_for("mini", currency="EUR")
STAKES = {"banker": 1000}


def ours(*, hands: int) -> float:
    """Play whole shoes out, at least so many rounds, and return rounds a second."""
    shoe: list[Card] = [card for card in FULL_DECK for _ in range(DECKS)]
    play_out(shoe)  # makes its table
    spent, played = 0.0, 0
    while played < hands:
        random.shuffle(shoe)
        began = time.perf_counter()
        counts = play_out(shoe, until=len(shoe) - CUT)
        spent += time.perf_counter() - began
        played += sum(counts.values())
    return played / spent


def settled(*, hands: int) -> float:
    """Deal and settle so many rounds one by one, as a table does, and return rounds a second."""
    shoe: list[Card] = [card for card in FULL_DECK for _ in range(DECKS)]
    spent, played = 0.0, 0
    while played < hands:
        random.shuffle(shoe)
        began, position = time.perf_counter(), 0
        while position < len(shoe) - CUT:
            dealt = deal(shoe[position : position + 6])
            settle(RULES, STAKES, dealt.outcome)
            position += len(dealt.player) + len(dealt.banker)
            played += 1
        spent += time.perf_counter() - began
    return played / spent


def peer(*, hands: int) -> float:
    """Deal so many rounds with pybaccarat and return rounds a second."""
    game, cards = importlib.import_module("pybaccarat.baccarat"), importlib.import_module("pybaccarat.playingcards")
    shoe, player, banker = cards.Shoe(DECKS), game.Hand(), game.Hand()
    table = game.Game(shoe, player, banker)
    spent, played = 0.0, 0
    while played < hands:
        shoe.reset()
        shoe.shuffle()
        shoe.set_cut_card(-CUT)
        began = time.perf_counter()
        while not shoe.cut_card_seen():
            player.empty()
            banker.empty()
            table.play_hand()
            played += 1
        spent += time.perf_counter() - began
    return played / spent


if __name__ == "__main__":
    serve({"ours": ours, "settled": settled, "peer": peer})
