"""The five table presets: frozen, versioned rules (rules, section 1)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    ShowMilliseconds,
    Shuffle,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.validation import InvalidRules, validate
from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind


class UnknownPreset(Refusal):
    code = "unknown_preset"
    kind = RefusalKind.INVALID
    title = "There is no such table preset"
    remedy = "Send the name of one of the presets listed."
    fact_types = {"presets": list[str]}


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
    show_milliseconds: ShowMilliseconds
    fixed_order: bool = False
    look_seconds: int | None = None
    hand_back_seconds: int | None = None
    auto_confirm: bool = False
    minimum_cycle_seconds: int = 0
    may_hurry: bool = True


_BEFORE_CARDS, _CARD, _THIRD_CARD, _NATURAL, _RESULT, _PAUSE = 400, 660, 760, 700, 2750, 800
_TWO_CARDS: Final = _BEFORE_CARDS + 4 * _CARD + _RESULT + _PAUSE
_SHOW: Final = ShowMilliseconds(
    two_cards=_TWO_CARDS,
    natural=_TWO_CARDS + _NATURAL,
    one_third_card=_TWO_CARDS + _THIRD_CARD,
    two_third_cards=_TWO_CARDS + 2 * _THIRD_CARD,
    ceremony=700,
)
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
    show_milliseconds=_SHOW,
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

_CONFIGURABLE: Final = frozenset(field.name for field in fields(TableRules)) - {"preset", "version", "currency"}


def rules_for(preset: str, *, currency: str, **overrides: Any) -> TableRules:
    """Return a preset's rules in a currency's minor units, with overrides for some fields.

    Overrides are fields of TableRules, amounts in minor units. Raises UnknownPreset, UnknownCurrency, and InvalidRules
    with the names of the invalid fields.
    """
    published = PRESETS.get(preset)
    if published is None:
        raise UnknownPreset(f"{preset!r} is not one of {', '.join(PRESETS)}.", presets=list(PRESETS))
    unknown = dict.fromkeys(sorted(overrides.keys() - _CONFIGURABLE), "is not a field that a table can set")
    if unknown:
        raise InvalidRules(f"No table can set {', '.join(unknown)}.", fields=unknown)
    return validate(replace(_in_currency(published, currency), **overrides))


def _in_currency(preset: Preset, currency: str) -> TableRules:
    unit = money.unit(currency)
    values: dict[str, Any] = {name: getattr(preset, name) for name in _CONFIGURABLE}
    values["chips"] = tuple(chip * unit for chip in preset.chips)
    values["minimum"] = preset.minimum * unit
    values["maximum"] = preset.maximum * unit
    return TableRules(preset=preset.name, version=preset.version, currency=currency, **values)
