"""Our shoes pass the suite, and each way of being unfair that it is for fails it. Fixed seeds: the same every time."""

import functools
import hashlib
import itertools
import random
from collections.abc import Callable, Sequence

import pytest

from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rng_tests.cards import _serial, _twins
from baccarat.domain.rng_tests.gamma import InvalidChiSquare, chi_square_tail, normal_tails
from baccarat.domain.rng_tests.sample import RngTestResult, Sample
from baccarat.domain.rng_tests.suite import AdjustedTestResult, holm, passes, run_tests
from baccarat.domain.rules.cards import POINTS, Card, unshuffled_shoe
from baccarat.domain.rules.deal import Outcome, deal

SHOES, ROUNDS = 300, 2500


@functools.cache
def ours() -> Sample:
    """Shoes and rounds of both sizes, each with a seed and the shoes with a cut of their own."""
    shoes = [shuffle(_seed(n), cut=bytes([n % 251]) * 32, decks=8 if n % 4 else 6) for n in range(SHOES)]
    decks = [8 if n % 3 else 6 for n in range(ROUNDS)]
    cards = [shuffle(_seed(n + SHOES), cut=b"", decks=each, first=6) for n, each in enumerate(decks)]
    return Sample(shoes, [(each, deal(dealt).outcome) for each, dealt in zip(decks, cards, strict=True)])


def _seed(number: int) -> bytes:
    """As from the operating system: of no pattern."""
    return hashlib.sha256(b"seed %d" % number).digest()


def failed(judged: Sequence[AdjustedTestResult]) -> set[str]:
    return {each.result.name for each in judged if not each.passed}


def test_our_shoes_and_outcomes_pass_every_test_of_the_suite() -> None:
    judged = run_tests(ours())

    assert failed(judged) == set()
    assert passes(judged)
    assert len(judged) == 11
    assert all(each.result.p_value is not None for each in judged)


def shuffled(swap: Callable[[random.Random, int, int], int]) -> list[tuple[Card, ...]]:
    """Shoes of one deck shuffled by swapping each place with the one that `swap` draws."""
    chance, shoes = random.Random(7), []
    for _ in range(SHOES):
        shoe = list(unshuffled_shoe(1))
        for place in range(52):
            other = swap(chance, place, 52)
            shoe[place], shoe[other] = shoe[other], shoe[place]
        shoes.append(tuple(shoe))
    return shoes


def modulo(chance: random.Random, place: int, size: int) -> int:
    return place + chance.randrange(256) % 64 * (size - place) // 128  # a word that never reaches the far half


UNFAIR: dict[str, tuple[Callable[[], Sample], str]] = {
    "a stream that never reaches the far half": (lambda: Sample(shuffled(modulo), ()), "cards by part of the shoe"),
    "a swap with any place": (lambda: Sample(shuffled(lambda c, _, size: c.randrange(size)), ()), ""),
    "one shoe used again": (lambda: Sample([*ours().shoes, ours().shoes[3]], ()), "repeated shoes"),
    "aces are dealt first too often": (
        lambda: Sample([(Card("As"), *shoe[1:]) if n % 10 == 0 else shoe for n, shoe in enumerate(ours().shoes)], ()),
        "first cards",
    ),
    "cards of a deck stay together": (lambda: Sample([_sticky(shoe) for shoe in ours().shoes], ()), "twins in a row"),
    "high follows high": (
        lambda: Sample([_sorted_by_fours(shoe) for shoe in ours().shoes], ()),
        "serial correlation of points",
    ),
    "colours alternate": (lambda: Sample([_alternating(shoe) for shoe in ours().shoes], ()), "runs of a colour"),
    "the house wins Banker's bets a little less": (
        lambda: Sample((), [_robbed(n, each) for n, each in enumerate(ours().outcomes)]),
        "shares of outcomes",
    ),
    "winners come in streaks": (
        lambda: Sample((), sorted(ours().outcomes[:1200]) + list(ours().outcomes[1200:])),
        "runs of outcomes",
    ),
    "a ten every third time": (
        lambda: Sample([(Card("Ts") if n % 3 == 0 else Card("5c"), *unshuffled_shoe(1)[1:]) for n in range(300)], ()),
        "gaps between tens",
    ),
    "suits take turns": (
        lambda: Sample([(Card("5" + "cdhs"[n % 4]), *unshuffled_shoe(1)[1:]) for n in range(300)], ()),
        "all suits collected",
    ),
}  # fmt: skip


def _sticky(shoe: Sequence[Card]) -> tuple[Card, ...]:
    """Wherever two alike are one apart they are put together."""
    cards = list(shoe)
    for place in range(len(cards) - 2):
        if cards[place] == cards[place + 2]:
            cards[place + 1], cards[place + 2] = cards[place + 2], cards[place + 1]
    return tuple(cards)


def _sorted_by_fours(shoe: Sequence[Card]) -> tuple[Card, ...]:
    fours = [sorted(shoe[start : start + 4], key=POINTS.__getitem__) for start in range(0, len(shoe), 4)]
    return tuple(card for four in fours for card in four)


def _alternating(shoe: Sequence[Card]) -> tuple[Card, ...]:
    cards = list(shoe)
    for place in range(0, len(cards) - 2, 9):
        if (cards[place][1] in "dh") is (cards[place + 1][1] in "dh"):
            cards[place + 1], cards[place + 2] = cards[place + 2], cards[place + 1]
    return tuple(cards)


def _robbed(number: int, dealt: tuple[int, Outcome]) -> tuple[int, Outcome]:
    decks, outcome = dealt
    return decks, Outcome.PLAYER if number % 9 == 0 and outcome is Outcome.BANKER else outcome


@pytest.mark.parametrize("way", UNFAIR)
def test_what_is_unfair_fails(way: str) -> None:
    make, test = UNFAIR[way]

    judged = run_tests(make())

    assert not passes(judged)
    assert not test or test in failed(judged)


def test_a_house_without_history_passes_as_nothing_could_be_tested() -> None:
    judged = run_tests(Sample((), ()))

    assert passes(judged)
    assert [each.result.name for each in judged if each.result.p_value is not None] == ["repeated shoes"]


@pytest.mark.parametrize(
    ("value", "degrees", "tail"),
    [(3.841459, 1, 0.05), (9.210340, 2, 0.01), (0.0, 3, 1.0), (18.307038, 10, 0.05), (124.342113, 100, 0.05),
     (55.0, 51, 0.326), (612.0, 612, 0.4924), (1e4, 2, 0.0)],
)  # fmt: skip
def test_tails_of_the_chi_square_are_those_of_the_tables(value: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(value, degrees) == pytest.approx(tail, abs=5e-4)
    assert chi_square_tail(9.210340371976184, 2) == pytest.approx(0.01, abs=1e-12)  # exp(-x / 2)


def test_tails_of_the_normal_are_those_of_the_tables() -> None:
    assert normal_tails(1.959963984540054) == pytest.approx(0.05, abs=1e-12)
    assert normal_tails(-2.5758293035489) == pytest.approx(0.01, abs=1e-12)


@pytest.mark.parametrize(("value", "degrees"), [(1.0, 0), (-0.1, 3)])
def test_there_is_no_such_tail(value: float, degrees: int) -> None:
    with pytest.raises(InvalidChiSquare):
        chi_square_tail(value, degrees)


def test_p_values_are_adjusted_by_holm() -> None:
    judged = holm(
        [
            RngTestResult("a", "", 0.004),
            RngTestResult("b", "", None),
            RngTestResult("c", "", 0.001),
            RngTestResult("d", "", 0.5),
        ]
    )

    assert [each.adjusted_p_value for each in judged] == [pytest.approx(0.008), None, pytest.approx(0.003), 0.5]
    assert [each.passed for each in judged] == [False, True, False, True]


@pytest.mark.parametrize("decks", [1, 4])
def test_means_and_spreads_are_those_of_random_permutations(decks: int) -> None:
    chance, shoe = random.Random(decks), list(unshuffled_shoe(decks))
    serial, twins = [], []
    for _ in range(400):
        chance.shuffle(shoe)
        values = [POINTS[card] for card in shoe]
        serial.append(sum(a * b for a, b in zip(values, values[1:] + values[:1], strict=True)))
        twins.append(sum(a == b for a, b in itertools.pairwise(shoe)))
    for found, (mean, variance) in ((serial, _serial(decks)), (twins, _twins(decks))):
        average = sum(found) / len(found)
        assert average == pytest.approx(mean, abs=4 * (variance / len(found)) ** 0.5 + 1e-9)
        spread = sum((each - average) ** 2 for each in found) / (len(found) - 1)
        assert spread == pytest.approx(variance, rel=0.3, abs=1e-9)
