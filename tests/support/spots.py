"""The spots of the five presets, coups of each outcome, and rules that pay otherwise."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from baccarat.domain.rules.coups import Coup, Pair, counts_of
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.spots import read_spots
from baccarat.domain.rules.table_rules import Commission, FactCondition, PayLine, Ratio, SpotKind, SpotRules
from baccarat.domain.rules.written import write_rules

SPOTS: Final = "player", "banker", "tie"
COUPS: Final = {
    Outcome.PLAYER: Coup(7, 6, 2, 2, Pair.NONE, Pair.NONE),
    Outcome.BANKER: Coup(6, 7, 2, 2, Pair.NONE, Pair.NONE),
    Outcome.TIE: Coup(6, 6, 2, 2, Pair.NONE, Pair.NONE),
}
"""One coup of each outcome, without third cards or pairs."""
LUCKY_NINE: Final = SpotRules(
    name="lucky_nine",
    kind=SpotKind.SIDE,
    lines=(
        PayLine(
            (
                FactCondition("player_cards", (3,)),
                FactCondition("player_points", (9,)),
                FactCondition("winner", ("player",)),
            ),
            Ratio(20, 1),
        ),
    ),
    needs=("player",),
)
"""The Player wins with three cards on 9, where a stake is on Player, too."""
_KEPT: Final[Any] = object()


def chance_of(outcome: Outcome, decks: int) -> float:
    """Return how likely an outcome is, dealt from full decks."""
    counts = counts_of(decks)
    return sum(ways for coup, ways in counts.items() if coup.winner is outcome) / sum(counts.values())


def spots_of(preset: str, *, commission: Commission | None = _KEPT, **odds: Ratio) -> tuple[SpotRules, ...]:
    """Return a preset's spots, winning at these odds instead, and with this commission on Banker instead."""
    return changed(rules_for(preset, currency="EUR").spots, commission=commission, **odds)


def changed(
    spots: Sequence[SpotRules], *, commission: Commission | None = _KEPT, **odds: Ratio
) -> tuple[SpotRules, ...]:
    """Return spots that win at these odds instead, and with this commission on Banker instead."""
    found = []
    for spot in spots:
        if spot.name in odds:
            lines = tuple(replace(line, pays=odds[spot.name]) if line.pays else line for line in spot.lines)
            spot = replace(spot, lines=lines)  # noqa: PLW2901
        if spot.name == "banker" and commission is not _KEPT:
            spot = replace(spot, commission=commission)  # noqa: PLW2901
        found.append(spot)
    return tuple(found)


def written(preset: str = "mini", *, commission: Mapping[str, str] | None = _KEPT, **odds: str) -> list[dict[str, Any]]:
    """Return a preset's spots as requests have them, winning at these odds, and with this commission on Banker."""
    spots: list[dict[str, Any]] = write_rules(rules_for(preset, currency="EUR"))["spots"]
    for spot in spots:
        for line in spot["lines"]:
            if "pays" in line:
                line["pays"] = odds.get(spot["name"], line["pays"])
        if spot["name"] == "banker" and commission is not _KEPT:
            spot["commission"] = commission
    return spots


def lucky_nine() -> tuple[SpotRules, ...]:
    """Return the spots of the file that adds "Lucky nine", in cents."""
    written = tomllib.loads((Path(__file__).parent / "lucky_nine.toml").read_text(encoding="utf-8"))
    return read_spots(written["spots"], lambda amount: int(amount) * 100)
