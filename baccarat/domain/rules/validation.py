"""Validation of table rules: types, ranges, and combinations that a table can play."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd
from typing import Any, Final

import msgspec

from baccarat.domain.rules.spots import faults_of
from baccarat.domain.rules.table_rules import FIELDS, LABELS, Shuffle, TableRules
from baccarat.domain.rules.wagers import is_makeable
from casino.kernel.conversion import OUT_OF_BOUNDS, Malformed, convert, in_words
from casino.kernel.errors import Fault, Invalid
from casino.kernel.money import MAX_AMOUNT

MIN_CARDS_BEHIND_CUT: Final = 12
"""Two whole rounds: the one in which the cut card comes out, and one more."""
MIN_CARDS_BEFORE_CUT: Final = 17
"""The turned card, ten burned, and one whole round must lie before the cut card."""


class InvalidRules(Invalid):
    """`faults` are of the fields of rules."""

    title = "A table cannot play by these rules"
    remedy = "Correct the fields named and send the rules again."
    member = "rules"

    def __init__(self, faults: Sequence[Fault]) -> None:
        # Of several faults of a field, the first is told.
        self.faults = tuple({fault.field: fault for fault in reversed(faults)}.values())[::-1]
        super().__init__(in_words(self.faults))


def change(rules: TableRules, changes: Mapping[str, Any]) -> TableRules:
    """Return the rules with changes to some fields, amounts in minor units. Raises InvalidRules."""
    unknown = sorted(changes.keys() - (FIELDS.keys() - LABELS))
    if unknown:
        raise InvalidRules([Fault(name, "unknown_field", "is not a field that a table can set") for name in unknown])
    return validate(replace(rules, **changes))


def validate(rules: TableRules) -> TableRules:
    """Return the rules unchanged if a table can play by them. Raises InvalidRules."""
    faults = list(_type_faults(rules))
    if OUT_OF_BOUNDS.issuperset(fault.code for fault in faults):
        faults += [Fault(field, code, sentence) for field, code, sentence, is_valid in _CHECKS if not is_valid(rules)]
        known = {fault.field for fault in faults}
        if "decks" not in known:
            faults += faults_of(rules)
        if "chips" not in known:
            faults += _limit_faults(rules)
    if faults:
        raise InvalidRules(faults)
    return rules


def _type_faults(rules: TableRules) -> Iterator[Fault]:
    """Yield what has another type than its field, or is out of the bounds that its field declares."""
    for name, hint in FIELDS.items():
        value = getattr(rules, name)
        try:
            same = convert(msgspec.to_builtins(value), hint, name)
        except Malformed as error:
            yield from error.faults
        except TypeError:
            yield Fault(name, "wrong_type", f"cannot be {type(value).__name__}")
        else:
            # An enum's value is no member yet, and True is an int.
            if type(same) is not type(value) or msgspec.json.encode(same) != msgspec.json.encode(value):
                yield Fault(name, "wrong_type", f"cannot be {type(value).__name__}")


def _limit_faults(rules: TableRules) -> Iterator[Fault]:
    makeable = "must be an amount that the chips can make up"
    for path, minimum, maximum in _limits(rules):
        for name, amount in (("minimum", minimum), ("maximum", maximum)):
            if not is_makeable(amount, rules):
                yield Fault(f"{path}{name}", f"{name}_not_makeable", makeable)
        if minimum > maximum:
            yield Fault(f"{path}maximum", "maximum_under_minimum", "must not be below the minimum")
        if maximum >= MAX_AMOUNT // 10_000:
            yield Fault(f"{path}maximum", "maximum_too_large", "is more than this system handles")


def _limits(rules: TableRules) -> Iterator[tuple[str, int, int]]:
    """Yield the limits of the table, and those of each spot that has any of its own, with the path of their fields."""
    yield "", rules.minimum, rules.maximum
    for index, spot in enumerate(rules.spots):
        if (spot.minimum, spot.maximum) != (None, None):
            yield f"spots[{index}].", *rules.limits_of(spot)


def _has_valid_chips(rules: TableRules) -> bool:
    chips = rules.chips
    return bool(chips) and chips[0] > 0 and all(low < high for low, high in pairwise(chips))


def _fits_the_shoe(rules: TableRules) -> bool:
    if rules.shuffle is Shuffle.EACH_ROUND:
        return rules.cut_cards_from_end is None
    cut = rules.cut_cards_from_end
    return cut is not None and MIN_CARDS_BEHIND_CUT <= cut <= rules.decks * 52 - MIN_CARDS_BEFORE_CUT


def _commission_can_wait(rules: TableRules) -> bool:
    return not rules.defers_commission or rules.shuffle is Shuffle.SHOE


_CHECKS: Final[tuple[tuple[str, str, str, Callable[[TableRules], bool]], ...]] = (
    ("chips", "chips_not_ascending", "must be positive, ascending and without repeats", _has_valid_chips),
    (
        "chips",
        "chips_too_many_remainders",
        "must not need more than 10000 different remainders by the lowest chip",
        lambda rules: not _has_valid_chips(rules) or rules.chips[0] // gcd(*rules.chips) <= 10_000,
    ),
    (
        "spots",
        "commission_can_not_wait",
        "can be deferred only where a shoe is dealt to its end",
        _commission_can_wait,
    ),
    (
        "turn_seconds",
        "turn_needs_a_limit",
        "may be without limit only at a table of one seat",
        lambda rules: rules.turn_seconds is not None or rules.seats == 1,
    ),
    (
        "cut_cards_from_end",
        "cut_card_out_of_place",
        f"belongs to a shoe, from {MIN_CARDS_BEHIND_CUT} to {MIN_CARDS_BEFORE_CUT} fewer than its cards",
        _fits_the_shoe,
    ),
    ("burn", "burn_needs_a_shoe", "needs a shoe", lambda rules: not rules.burn or rules.shuffle is Shuffle.SHOE),
    (
        "fixed_order",
        "fixed_order_needs_a_shoe",
        "needs a shoe",
        lambda rules: not rules.fixed_order or rules.shuffle is Shuffle.SHOE,
    ),
    (
        "look_seconds",
        "look_without_hand_back",
        "goes with hand_back_seconds: both or neither",
        lambda rules: (rules.look_seconds is None) is (rules.hand_back_seconds is None),
    ),
    (
        "auto_confirm",
        "auto_confirm_needs_a_turn",
        "needs turns of at least 3 seconds",
        lambda rules: not rules.auto_confirm or (rules.turn_seconds is not None and rules.turn_seconds >= 3),
    ),
)
