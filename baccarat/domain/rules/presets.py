"""The published table presets (rules, section 1): files of `published/`, validated as a table's own rules.

Their amounts are whole units of the table's currency, times its scale. `scales.toml` has the scales of the currencies
whose unit is worth little.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import change
from baccarat.domain.rules.written import read_rules
from casino.kernel import money
from casino.kernel.errors import Invalid

FOLDER: Final = Path(__file__).parent / "published"
ORDER: Final = "atlantic_city", "overview", "mini", "classic", "big_table"


class UnknownPreset(Invalid):
    title = "There is no such table preset"
    remedy = "Send the name of one of the presets listed."
    fact_types = {"presets": list[str]}


@dataclass(frozen=True, slots=True)
class Preset:
    """One published set of rules, and where it was published. `written` has amounts in whole units."""

    name: str
    version: int
    source: str
    title: str
    written: Mapping[str, Any]

    def in_currency(self, currency: str) -> TableRules:
        """Return the rules in a currency's minor units. Raises UnknownCurrency."""
        unit = unit_of(currency)
        values = read_rules(self.written, lambda amount: int(amount) * unit)
        return TableRules(preset=self.name, version=self.version, currency=currency, **values)


def _read(name: str) -> Preset:
    written = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return Preset(name, written.pop("version"), written.pop("source"), written.pop("title"), written)


SCALES: Final[Mapping[str, int]] = tomllib.loads((FOLDER / "scales.toml").read_text(encoding="utf-8"))
PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({name: _read(name) for name in ORDER})


def unit_of(currency: str) -> int:
    """Return what presets call one, in minor units. Raises UnknownCurrency."""
    return money.unit(currency) * SCALES.get(currency, 1)


def rules_for(preset: str, *, currency: str, **overrides: Any) -> TableRules:
    """Return a preset's rules in a currency's minor units, with overrides for some fields.

    Overrides are fields of TableRules, amounts in minor units. Raises UnknownPreset, UnknownCurrency and
    InvalidRules.
    """
    if preset not in PRESETS:
        raise UnknownPreset(f"{preset!r} is not one of {', '.join(PRESETS)}.", presets=list(PRESETS))
    return change(_in_currency(preset, currency), overrides)


@lru_cache(maxsize=64)
def _in_currency(preset: str, currency: str) -> TableRules:
    return PRESETS[preset].in_currency(currency)
