"""Plots of the randomness report. Imported only when drawing, because matplotlib is heavy."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from matplotlib.figure import Figure

from baccarat.domain.rng_tests.statistics import SIGNIFICANCE, AdjustedTestResult, Sample
from baccarat.domain.rng_tests.suite import expected_counts
from baccarat.domain.rules.cards import FULL_DECK
from baccarat.domain.rules.deal import Outcome

DEVIATIONS: Final = 2.5758
"""Standard deviations of a two-sided band of 99 %."""
HISTOGRAM_BINS: Final = 26


def draw_report(sample: Sample, results: Sequence[AdjustedTestResult], file: str) -> None:
    """Write a plot of the report to a file: PNG, SVG or PDF by its extension."""
    figure = Figure(figsize=(11, 9), layout="constrained")
    figure.suptitle(f"{len(sample.shoes)} shoes and {len(sample.outcomes)} rounds")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1, 1.2))
    top, bottom = halves
    left, right = top.subplots(1, 2)
    _p_values(left, results)
    _shares(right, sample)
    _positions(bottom, bottom.subplots(1, 1), sample)
    figure.savefig(file)


def _p_values(axes: Any, results: Sequence[AdjustedTestResult]) -> None:
    performed = [test for test in results if test.adjusted_p_value is not None]
    colours = ["tab:green" if test.passed else "tab:red" for test in performed]
    axes.barh([test.result.name for test in performed], [test.adjusted_p_value for test in performed], color=colours)
    axes.axvline(SIGNIFICANCE, color="black", linewidth=1, linestyle="--")
    axes.set(title="p, adjusted by Holm; dashed: fails below", xlim=(0, 1))
    axes.invert_yaxis()


def _shares(axes: Any, sample: Sample) -> None:
    rounds, expected = max(len(sample.outcomes), 1), expected_counts(sample)
    counted = Counter(outcome for _, outcome in sample.outcomes)
    ticks = range(len(Outcome))
    expected_share = [expected[outcome] / rounds for outcome in Outcome]
    band = [DEVIATIONS * math.sqrt(share * (1 - share) / rounds) for share in expected_share]
    axes.errorbar(ticks, expected_share, yerr=band, fmt="_", color="black", capsize=12, label="expected, 99 % band")
    axes.plot(ticks, [counted[outcome] / rounds for outcome in Outcome], "o", color="tab:blue", label="dealt")
    axes.set_xticks(ticks, [outcome.capitalize() for outcome in Outcome])
    axes.set(title="Shares of outcomes", ylim=(0, None))
    axes.legend()


def _positions(figure: Any, axes: Any, sample: Sample) -> None:
    """Plot each card's count in each part of the shoe as standard deviations from the mean."""
    counts = {card: [0.0] * HISTOGRAM_BINS for card in FULL_DECK}
    expected = [0.0] * HISTOGRAM_BINS
    for shoe in sample.shoes:
        for position, card in enumerate(shoe):
            counts[card][position * HISTOGRAM_BINS // len(shoe)] += 1
            expected[position * HISTOGRAM_BINS // len(shoe)] += 1 / 52
    grid = [
        [(count - mean) / math.sqrt(mean) if mean else 0.0 for count, mean in zip(counts[card], expected, strict=True)]
        for card in FULL_DECK
    ]
    image = axes.imshow(grid, aspect="auto", cmap="RdBu", vmin=-4, vmax=4)
    axes.set(title="Cards by part of the shoe", xlabel="part of the shoe, from the first card to the last")
    axes.set_yticks(range(0, 52, 13), ["clubs", "diamonds", "hearts", "spades"])
    figure.colorbar(image, ax=axes, label="standard deviations")
