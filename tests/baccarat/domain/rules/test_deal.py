"""Deals follow the fixed rules, for every sequence of points there is."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.cards import FULL_DECK, Card
from baccarat.domain.rules.deal import Deal, IllegalDeal, NotEnoughCards, Outcome, deal, describe_steps, replay

ANY_CARD = st.sampled_from(FULL_DECK)
OF_VALUE = [Card(rank + "s") for rank in "TA23456789"]


def cards(text: str) -> list[Card]:
    return [Card(card) for card in text.split()]


def oracle(values: tuple[int, ...]) -> tuple[int, int, int, int, str]:
    """(Player's points, Banker's points, Player's cards, Banker's cards, winner), told as rules.md tells it."""
    a, b, c, d, e, f = values
    player, banker = (a + c) % 10, (b + d) % 10
    player_cards = banker_cards = 2
    if player not in (8, 9) and banker not in (8, 9):
        if player in (6, 7):
            if banker < 6:
                banker, banker_cards = (banker + e) % 10, 3
        else:
            player, player_cards = (player + e) % 10, 3
            if banker <= 2:
                draws = True
            elif banker == 3:
                draws = e != 8
            elif banker == 4:
                draws = 2 <= e <= 7
            elif banker == 5:
                draws = 4 <= e <= 7
            elif banker == 6:
                draws = e == 6 or e == 7  # noqa: PLR1714
            else:
                draws = False
            if draws:
                banker, banker_cards = (banker + f) % 10, 3
    winner = "tie" if player == banker else "player" if player > banker else "banker"
    return player, banker, player_cards, banker_cards, winner


@pytest.mark.parametrize("first", range(10))
def test_all_sequences_of_six_values_are_dealt_as_the_oracle_deals_them(first: int) -> None:
    wrong = []
    for rest in product(range(10), repeat=5):
        values = (first, *rest)
        dealt = deal([OF_VALUE[value] for value in values])
        got = (dealt.player_total, dealt.banker_total, len(dealt.player), len(dealt.banker), dealt.outcome.value)
        if got != oracle(values):
            wrong.append(values)
    assert wrong == []


@given(st.lists(ANY_CARD, min_size=6, max_size=20))
def test_a_deal_takes_four_to_six_cards_from_the_front_and_no_hand_more_than_three(drawn: list[Card]) -> None:
    dealt = deal(drawn)
    assert dealt.cards == tuple(drawn[: len(dealt.cards)])
    assert {len(dealt.player), len(dealt.banker)} <= {2, 3}


@given(st.lists(ANY_CARD, min_size=6, max_size=6))
def test_recorded_cards_replay_to_the_same_deal(drawn: list[Card]) -> None:
    dealt = deal(drawn)
    assert replay(dealt.cards) == dealt


@given(st.lists(ANY_CARD, min_size=6, max_size=6), ANY_CARD)
def test_a_replay_refuses_a_card_too_many_or_too_few(drawn: list[Card], extra: Card) -> None:
    dealt = deal(drawn)
    with pytest.raises(IllegalDeal):
        replay((*dealt.cards, extra))
    with pytest.raises(IllegalDeal):
        replay(dealt.cards[:-1])


def test_a_replay_refuses_what_is_no_card() -> None:
    with pytest.raises(IllegalDeal, match="'1x' is not a card"):
        replay(cards("9c 1x Tc Td"))


@pytest.mark.parametrize("drawn", ["", "9c 2c 3c", "2c 2d 3c 3d", "2c 2d 3c 3d 5h"])
def test_too_few_cards_are_refused(drawn: str) -> None:
    with pytest.raises(NotEnoughCards):
        deal(cards(drawn))


@pytest.mark.parametrize(
    ("drawn", "outcome"),
    [("9c 8c Tc Kd", Outcome.PLAYER), ("8c 9c Tc Kd", Outcome.BANKER), ("9c 5c Tc 4d", Outcome.TIE)],
)
def test_naturals_end_the_deal_and_the_higher_one_wins(drawn: str, outcome: Outcome) -> None:
    dealt = deal(cards(drawn))
    assert (dealt.natural, dealt.outcome, len(dealt.cards)) == (True, outcome, 4)


def test_cards_go_to_player_and_banker_in_turn_with_their_suits() -> None:
    assert deal(cards("2h 3s Kd Jc 6h 5c 9s")) == Deal(
        player=tuple(cards("2h Kd 6h")),
        banker=tuple(cards("3s Jc 5c")),
        player_total=8,
        banker_total=8,
        outcome=Outcome.TIE,
        natural=False,
    )


def told(drawn: str) -> list[tuple[str, str]]:
    return [(step.rule, step.text) for step in describe_steps(replay(cards(drawn)))]


def test_a_deal_is_told_card_by_card_with_the_rule_that_applied() -> None:
    assert told("2h 3s Kd Ac 6h 5c") == [
        ("deal", "Player's first card: two of hearts, 2 points."),
        ("deal", "Banker's first card: three of spades, 3 points."),
        ("deal", "Player's second card: king of diamonds, 0 points."),
        ("deal", "Banker's second card: ace of clubs, 1 point."),
        ("total", "Player has 2, Banker has 4."),
        ("2", "Player has 2 and draws: rule 2, the Player draws on 0-5."),
        ("deal", "Player's third card: six of hearts, 6 points."),
        ("total", "Player now has 8."),
        (
            "4",
            "Banker has 4 against a third card of 6 and draws: rule 4, on 4 the Banker draws if that card is "  # noqa: ISC004
            "2, 3, 4, 5, 6, 7.",
        ),
        ("deal", "Banker's third card: five of clubs, 5 points."),
        ("total", "Banker now has 9."),
        ("result", "Banker wins, 9 to 8."),
    ]


def test_a_natural_is_told_as_rule_1() -> None:
    assert told("9c 4s Kd 4c")[-2:] == [
        ("1", "Player has a natural 9 and Banker has a natural 8: both hands stand by rule 1."),
        ("result", "Player wins, 9 to 8."),
    ]


def test_a_standing_player_is_told_as_rules_2_and_3() -> None:
    assert told("6c 6s Kd Kc")[-3:] == [
        ("2", "Player has 6 and stands: rule 2, the Player stands on 6-7."),
        ("3", "The Player stood; Banker has 6 and stands: rule 3, draw on 0-5, stand on 6-7."),
        ("result", "A tie: both hands have 6."),
    ]


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("2h 2s Kd Kc 8h 5c", "on 2 the Banker draws whatever that card"),
        ("2h 7s Kd Kc 8h", "on 7 the Banker stands whatever that card"),
    ],
)
def test_rule_4_is_told_by_its_row(drawn: str, words: str) -> None:
    assert words in next(text for rule, text in told(drawn) if rule == "4")


@given(st.lists(ANY_CARD, min_size=6, max_size=6))
def test_every_card_is_told_once_and_in_deal_order_of_each_hand(drawn: list[Card]) -> None:
    dealt = deal(drawn)
    assert tuple(step.card for step in describe_steps(dealt) if step.card) == dealt.cards
