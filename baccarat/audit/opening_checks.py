"""What a table is opened with, judged by itself."""

import functools
from typing import NamedTuple

from baccarat.audit import rules_versions
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.validation import InvalidRules, validate
from baccarat.domain.rules.versions import SpotReturn
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType


class TableSetup(NamedTuple):
    """What a table is opened with, as far as it can be at fault by itself."""

    rules: TableRules
    money_types: tuple[MoneyType, ...]
    edge_accepted: tuple[Spot, ...]
    returns: tuple[SpotReturn, ...]
    floor: int
    acknowledgement: str


@functools.lru_cache(maxsize=256)
def find_setup_faults(terms: TableSetup) -> tuple[tuple[str, object, object], ...]:
    """Tell what is wrong with a table's terms: (what, expected, found).

    Many tables have the same, and decoded ones have exact types.
    """
    try:
        validate(terms.rules)
    except InvalidRules as wrong:
        return (("rules are not playable", wrong.detail, terms.rules),)
    found: list[tuple[str, object, object]] = []
    real = MoneyType.REAL in terms.money_types
    found += rules_versions.find_version_faults(
        terms.rules, terms.returns, floor=terms.floor, acknowledgement=terms.acknowledgement, real=real
    )
    spots = player_edge_spots(terms.rules)
    if real and not set(spots) <= set(terms.edge_accepted):
        found.append(("player's edge not accepted", spots, terms.edge_accepted))
    if MoneyType.PLAY in terms.money_types and not terms.rules.play_money:
        found.append(("play money not offered", "real money only", terms.money_types))
    return tuple(found)
