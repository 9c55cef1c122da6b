"""The five table presets: frozen, versioned rules (rules, section 1)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    Shuffle,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.validation import InvalidRules, validate
from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind

__all__ = [
    "PRESETS",
    "Commission",
    "CommissionTiming",
    "InvalidRules",
    "Preset",
    "Ratio",
    "Shuffle",
    "SpotsPerRound",
    "TableRules",
    "UnderMinimumPolicy",
    "UnknownPreset",
    "player_edge_spots",
    "rules_for",
]


class UnknownPreset(Refusal):
    code = "unknown_preset"
    kind = RefusalKind.INVALID
    title = "There is no such table preset"
    remedy = "Send the name of one of the presets listed."


@dataclass(frozen=True, slots=True)
class Preset:
    """One published set of rules. Chips and limits are whole units of the table's currency."""

    name: str
    version: int
    source: str
    title: str
    decks: int
    shuffle: Shuffle
    seats: int
    chips: tuple[int, ...]
    minimum: int
    maximum: int
    spots_per_round: SpotsPerRound
    player_pays: Ratio
    banker_pays: Ratio
    tie_pays: Ratio
    commission: Commission | None
    under_minimum: UnderMinimumPolicy
    turn_seconds: int | None
    caller: bool
    play_money: bool
    cut_cards_from_end: int | None
    burn: bool
    seat_kept_rounds: int | None
    look_seconds: int | None = None
    hand_back_seconds: int | None = None


_EVEN: Final = Ratio(1, 1)
_EIGHT: Final = Ratio(8, 1)
_FIVE_PERCENT: Final = Ratio(5, 100)
_EXACT: Final = Commission(rate=_FIVE_PERCENT, rounding=None, timing=CommissionTiming.SETTLEMENT)

_OVERVIEW: Final = Preset(
    name="overview",
    version=1,
    source="001",
    title="Baccarat Overview",
    decks=8,
    shuffle=Shuffle.EACH_ROUND,
    seats=1,
    chips=(1, 5, 25, 100, 500),
    minimum=5,
    maximum=300,
    spots_per_round=SpotsPerRound.ANY,
    player_pays=_EVEN,
    banker_pays=_EVEN,
    tie_pays=_EIGHT,
    commission=replace(_EXACT, rounding=Ratio(1, 4)),
    under_minimum=UnderMinimumPolicy.REJECT,
    turn_seconds=None,
    caller=False,
    play_money=True,
    cut_cards_from_end=None,
    burn=False,
    seat_kept_rounds=None,
)
_ATLANTIC_CITY: Final = replace(
    _OVERVIEW,
    name="atlantic_city",
    source="000",
    title="Baccarat (multi-player)",
    seats=5,
    commission=None,
    under_minimum=UnderMinimumPolicy.RAISE,
    turn_seconds=15,
    seat_kept_rounds=3,
)
_MINI: Final = replace(_OVERVIEW, name="mini", source="002", title="Mini Baccarat", commission=_EXACT)
_CLASSIC: Final = replace(
    _OVERVIEW,
    name="classic",
    source="003",
    title="Baccarat Classic",
    decks=6,
    spots_per_round=SpotsPerRound.ONE,
    tie_pays=Ratio(9, 1),
    commission=_EXACT,
)
_BIG_TABLE: Final = replace(
    _OVERVIEW,
    name="big_table",
    version=2,  # 1 had no ceremony
    source="004",
    title="Baccarat Game",
    shuffle=Shuffle.SHOE,
    seats=14,
    chips=(25, 100, 500, 1000),
    minimum=25,
    maximum=5000,
    commission=replace(_EXACT, timing=CommissionTiming.DEFERRED),
    turn_seconds=15,
    caller=True,
    cut_cards_from_end=14,
    burn=True,
    seat_kept_rounds=3,
    look_seconds=10,
    hand_back_seconds=10,
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {preset.name: preset for preset in (_ATLANTIC_CITY, _OVERVIEW, _MINI, _CLASSIC, _BIG_TABLE)}
)

_FIXED: Final = frozenset({"preset", "version", "currency"})
_OWN: Final = frozenset(field.name for field in fields(TableRules)) - _FIXED


def rules_for(preset: str, *, currency: str, **overrides: Any) -> TableRules:
    """Return a preset's rules in a currency's minor units, with overrides for some fields.

    Overrides are fields of TableRules, amounts in minor units. Raises UnknownPreset, UnknownCurrency, and InvalidRules
    with the names of the invalid fields.
    """
    found = PRESETS.get(preset)
    if found is None:
        raise UnknownPreset(f"{preset!r} is none of {', '.join(PRESETS)}.", presets=list(PRESETS))
    unknown = dict.fromkeys(sorted(overrides.keys() - _OWN), "is not a field that a table can set")
    if unknown:
        raise InvalidRules(f"No table can set {', '.join(unknown)}.", fields=unknown)
    return validate(replace(_scaled(found, currency), **overrides))


def _scaled(preset: Preset, currency: str) -> TableRules:
    unit = 10 ** money.exponent(currency)
    values: dict[str, Any] = {name: getattr(preset, name) for name in _OWN}
    values["chips"] = tuple(chip * unit for chip in preset.chips)
    values["minimum"] = preset.minimum * unit
    values["maximum"] = preset.maximum * unit
    return TableRules(preset=preset.name, version=preset.version, currency=currency, **values)
