"""Our shoes pass the suite, and each kind of unfairness fails it. Fixed seeds give the same result every time."""

import functools
import hashlib
import itertools
import random
from collections.abc import Callable, Sequence

import pytest

from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rules.cards import POINTS, Card, unshuffled_shoe
from baccarat.domain.rules.deal import Outcome, deal
from baccarat.services.rng_statistics import (
    AdjustedTestResult,
    InvalidChiSquare,
    RngTestResult,
    Sample,
    chi_square_tail,
    holm,
    normal_tails,
    passes,
)
from baccarat.services.rng_suite import _serial, _twins, run_tests

SHOES, ROUNDS = 300, 2500


@functools.cache
def ours() -> Sample:
    """Return shoes and rounds of both sizes, each from another seed, the shoes with a cut."""
    shoes = [shuffle(_seed(n), cut=bytes([n % 251]) * 32, decks=8 if n % 4 else 6) for n in range(SHOES)]
    decks = [8 if n % 3 else 6 for n in range(ROUNDS)]
    cards = [shuffle(_seed(n + SHOES), cut=b"", decks=each, first=6) for n, each in enumerate(decks)]
    return Sample(shoes, [(each, deal(dealt).outcome) for each, dealt in zip(decks, cards, strict=True)])


def _seed(number: int) -> bytes:
    """Return a seed without pattern, as from the operating system."""
    return hashlib.sha256(b"seed %d" % number).digest()


def failed(results: Sequence[AdjustedTestResult]) -> set[str]:
    return {result.result.name for result in results if not result.passed}


def test_our_shoes_and_outcomes_pass_every_test_of_the_suite() -> None:
    results = run_tests(ours())

    assert failed(results) == set()
    assert passes(results)
    assert len(results) == 11
    assert all(result.result.p_value is not None for result in results)


def shuffled(swap: Callable[[random.Random, int, int], int]) -> list[tuple[Card, ...]]:
    """Return shoes of one deck shuffled by swapping each position with the one that `swap` draws."""
    generator, shoes = random.Random(7), []
    for _ in range(SHOES):
        shoe = list(unshuffled_shoe(1))
        for place in range(52):
            other = swap(generator, place, 52)
            shoe[place], shoe[other] = shoe[other], shoe[place]
        shoes.append(tuple(shoe))
    return shoes


def modulo(generator: random.Random, place: int, size: int) -> int:
    return place + generator.randrange(256) % 64 * (size - place) // 128  # a word that never reaches the far half


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
        lambda: Sample((), [_rigged(n, each) for n, each in enumerate(ours().outcomes)]),
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
    """Put equal cards together that are one apart."""
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


def _rigged(number: int, dealt: tuple[int, Outcome]) -> tuple[int, Outcome]:
    decks, outcome = dealt
    return decks, Outcome.PLAYER if number % 9 == 0 and outcome is Outcome.BANKER else outcome


@pytest.mark.parametrize("kind", UNFAIR)
def test_each_kind_of_unfairness_fails(kind: str) -> None:
    make, test = UNFAIR[kind]

    results = run_tests(make())

    assert not passes(results)
    assert not test or test in failed(results)


def test_an_empty_sample_passes_because_nothing_can_be_tested() -> None:
    results = run_tests(Sample((), ()))

    assert passes(results)
    assert [result.result.name for result in results if result.result.p_value is not None] == ["repeated shoes"]


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
def test_an_impossible_chi_square_has_no_tail(value: float, degrees: int) -> None:
    with pytest.raises(InvalidChiSquare):
        chi_square_tail(value, degrees)


def test_p_values_are_adjusted_by_holm() -> None:
    results = holm(
        [
            RngTestResult("a", "", 0.004),
            RngTestResult("b", "", None),
            RngTestResult("c", "", 0.001),
            RngTestResult("d", "", 0.5),
        ]
    )

    assert [result.adjusted_p_value for result in results] == [pytest.approx(0.008), None, pytest.approx(0.003), 0.5]
    assert [result.passed for result in results] == [False, True, False, True]


@pytest.mark.parametrize("decks", [1, 4])
def test_means_and_spreads_are_those_of_random_permutations(decks: int) -> None:
    generator, shoe = random.Random(decks), list(unshuffled_shoe(decks))
    serial, twins = [], []
    for _ in range(400):
        generator.shuffle(shoe)
        values = [POINTS[card] for card in shoe]
        serial.append(sum(a * b for a, b in zip(values, values[1:] + values[:1], strict=True)))
        twins.append(sum(a == b for a, b in itertools.pairwise(shoe)))
    for values, (mean, variance) in ((serial, _serial(decks)), (twins, _twins(decks))):
        average = sum(values) / len(values)
        assert average == pytest.approx(mean, abs=4 * (variance / len(values)) ** 0.5 + 1e-9)
        spread = sum((each - average) ** 2 for each in values) / (len(values) - 1)
        assert spread == pytest.approx(variance, rel=0.3, abs=1e-9)
