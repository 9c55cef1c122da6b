"""The plot of the randomness report, as SVG."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from baccarat.domain.rules.cards import FULL_DECK
from baccarat.domain.rules.deal import Outcome
from baccarat.services.rng_statistics import SIGNIFICANCE, AdjustedTestResult, Sample
from baccarat.services.rng_suite import expected_counts

DEVIATIONS: Final = 2.5758
"""Standard deviations of a two-sided band of 99 %."""
HISTOGRAM_BINS: Final = 26
WIDTH, HEIGHT = 1100, 900
_DEEPEST: Final = 4.0
"""Standard deviations that have the deepest colour."""
_GOOD, _BAD, _DEALT = "#2a7f3f", "#c0261c", "#1f5fa8"


def draw_report(sample: Sample, results: Sequence[AdjustedTestResult]) -> str:
    """Return p-values, the shares of outcomes, and each card's count in each part of the shoe."""
    title = f"{len(sample.shoes)} shoes and {len(sample.outcomes)} rounds"
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(WIDTH / 2, 24, title, anchor="middle", size=16),
        *_p_values(results, left=220, top=70, width=300, height=300),
        *_shares(sample, left=640, top=70, width=400, height=300),
        *_positions(sample, left=100, top=450, width=880, height=400),
        "</svg>",
    ]
    return "\n".join(parts)


def _p_values(
    results: Sequence[AdjustedTestResult], *, left: float, top: float, width: float, height: float
) -> Iterable[str]:
    yield _text(left, top - 16, f"p, adjusted by Holm; dashed: fails below {SIGNIFICANCE:g}")
    performed = [(test, test.adjusted_p_value) for test in results if test.adjusted_p_value is not None]
    step = height / max(len(performed), 1)
    for index, (test, p_value) in enumerate(performed):
        y = top + index * step
        yield _text(left - 8, y + step / 2 + 4, test.result.name, anchor="end")
        yield _rectangle(left, y + step * 0.1, width * p_value, step * 0.8, _GOOD if test.passed else _BAD)
    yield _frame(left, top, width, height)
    x = left + width * SIGNIFICANCE
    yield f'<path d="M{x:.1f} {top}v{height}" stroke="black" stroke-dasharray="4"/>'


def _shares(sample: Sample, *, left: float, top: float, width: float, height: float) -> Iterable[str]:
    yield _text(left, top - 16, "Shares of outcomes: dealt, and what is expected with its band of 99 %")
    rounds, expected = max(len(sample.outcomes), 1), expected_counts(sample)
    counted = Counter(outcome for _, outcome in sample.outcomes)
    step = width / len(Outcome)
    for index, outcome in enumerate(Outcome):
        x, share, dealt = left + step * (index + 0.5), expected[outcome] / rounds, counted[outcome] / rounds
        band = DEVIATIONS * math.sqrt(share * (1 - share) / rounds)
        low, middle, high = (top + height * (1 - min(max(each, 0), 1)) for each in (share - band, share, share + band))
        yield f'<path d="M{x - 14:.1f} {low:.1f}h28m-14 0V{high:.1f}m-14 0h28" stroke="black" fill="none"/>'
        yield f'<path d="M{x - 22:.1f} {middle:.1f}h44" stroke="black" stroke-width="2"/>'
        yield f'<circle cx="{x:.1f}" cy="{top + height * (1 - dealt):.1f}" r="5" fill="{_DEALT}"/>'
        yield _text(x, top + height + 18, f"{outcome.capitalize()}: {dealt:.2%}", anchor="middle")
    yield _frame(left, top, width, height)


def _positions(sample: Sample, *, left: float, top: float, width: float, height: float) -> Iterable[str]:
    """Draw each card's count in each part of the shoe as standard deviations from the mean."""
    yield _text(
        left, top - 16, "Cards by part of the shoe: red more often than the mean, blue less, deepest at 4 sigma"
    )
    counts = {card: [0.0] * HISTOGRAM_BINS for card in FULL_DECK}
    expected = [0.0] * HISTOGRAM_BINS
    for shoe in sample.shoes:
        for position, card in enumerate(shoe):
            counts[card][position * HISTOGRAM_BINS // len(shoe)] += 1
            expected[position * HISTOGRAM_BINS // len(shoe)] += 1 / 52
    across, down = width / HISTOGRAM_BINS, height / len(FULL_DECK)
    for row, card in enumerate(FULL_DECK):
        for column, (count, mean) in enumerate(zip(counts[card], expected, strict=True)):
            deviation = (count - mean) / math.sqrt(mean) if mean else 0.0
            yield _rectangle(left + column * across, top + row * down, across, down, _colour(deviation))
    for index, suit in enumerate(("clubs", "diamonds", "hearts", "spades")):
        yield _text(left - 8, top + height * (index + 0.5) / 4, suit, anchor="end")
    yield _frame(left, top, width, height)
    yield _text(left + width / 2, top + height + 20, "from the first card to the last", anchor="middle")


def _colour(deviation: float) -> str:
    pale = round(255 * (1 - min(abs(deviation) / _DEEPEST, 1)))
    return f"rgb(255,{pale},{pale})" if deviation > 0 else f"rgb({pale},{pale},255)"


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _frame(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="#999"/>'
