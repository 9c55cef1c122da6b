"""Validation of table rules: types, ranges, and combinations that a table can play."""

from collections.abc import Callable, Mapping
from dataclasses import astuple, fields
from itertools import pairwise
from math import gcd
from typing import Final

from baccarat.domain.rules.coups import DECKS
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
from baccarat.domain.rules.wagers import is_makeable
from casino.kernel.errors import Refusal, RefusalKind
from casino.kernel.money import MAX_AMOUNT

SEATS: Final = 1, 14
MILLISECONDS: Final = 0, 60_000
"""Bounds of what can be chosen, and of each part of the show."""
CYCLE_SECONDS: Final = 0, 3600
MIN_CARDS_BEHIND_CUT: Final = 12
"""Two whole rounds: the one in which the cut card comes out, and one more."""
MIN_CARDS_BEFORE_CUT: Final = 17
"""The turned card, ten burned, and one whole round must lie before the cut card."""

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "preset": (str,),
    "version": (int,),
    "currency": (str,),
    "decks": (int,),
    "shuffle": (Shuffle,),
    "seats": (int,),
    "chips": (tuple,),
    "minimum": (int,),
    "maximum": (int,),
    "spots_per_round": (SpotsPerRound,),
    "player_pays": (Ratio,),
    "banker_pays": (Ratio,),
    "tie_pays": (Ratio,),
    "commission": (Commission, type(None)),
    "under_minimum": (UnderMinimumPolicy,),
    "turn_seconds": (int, type(None)),
    "caller": (bool,),
    "play_money": (bool,),
    "cut_cards_from_end": (int, type(None)),
    "burn": (bool,),
    "fixed_order": (bool,),
    "seat_kept_rounds": (int, type(None)),
    "look_seconds": (int, type(None)),
    "hand_back_seconds": (int, type(None)),
    "show_milliseconds": (ShowMilliseconds,),
    "auto_confirm": (bool,),
    "minimum_cycle_seconds": (int,),
    "may_hurry": (bool,),
}


class InvalidRules(Refusal):
    """`facts["fields"]` maps each invalid field to a sentence, `facts["codes"]` to an error code."""

    code = "invalid_rules"
    kind = RefusalKind.INVALID
    title = "A table cannot play by these rules"
    remedy = "Correct the fields named and send the rules again."
    fact_types = {"fields": dict[str, str], "codes": dict[str, str] | None}


def validate(rules: TableRules) -> TableRules:
    """Return the rules unchanged if a table can play by them. Raises InvalidRules."""
    mistyped = _wrong_types(rules)
    if mistyped:
        raise _invalid(mistyped, dict.fromkeys(mistyped, "wrong_type"))
    broken = [(field, code, sentence) for field, code, sentence, is_valid in reversed(_CHECKS) if not is_valid(rules)]
    if broken:
        raise _invalid({field: sentence for field, _, sentence in broken}, {field: code for field, code, _ in broken})
    return rules


def _invalid(faults: dict[str, str], codes: dict[str, str]) -> InvalidRules:
    detail = " ".join(f"{field} {sentence}." for field, sentence in sorted(faults.items()))
    return InvalidRules(detail, fields=faults, codes=codes)


def _wrong_types(rules: TableRules) -> dict[str, str]:
    # Exact types, because True is an int and 2.0 == 2.
    values = [(field.name, getattr(rules, field.name)) for field in fields(rules)]
    faults = {name: f"cannot be {type(value).__name__}" for name, value in values if type(value) not in _TYPES[name]}
    if "chips" not in faults and any(type(chip) is not int for chip in rules.chips):
        faults["chips"] = "must be whole numbers of minor units"
    return faults


def _is_valid_odds(ratio: Ratio) -> bool:
    parts = (ratio.numerator, ratio.denominator)
    return all(type(part) is int and 1 <= part <= 10_000 for part in parts)


def _is_valid_share(ratio: Ratio | None) -> bool:
    return ratio is None or (_is_valid_odds(ratio) and ratio.numerator <= ratio.denominator)


def _has_valid_chips(rules: TableRules) -> bool:
    chips = rules.chips
    return bool(chips) and chips[0] > 0 and all(low < high for low, high in pairwise(chips))


def _fits_the_shoe(rules: TableRules) -> bool:
    if rules.shuffle is Shuffle.EACH_ROUND:
        return rules.cut_cards_from_end is None
    cut = rules.cut_cards_from_end
    return cut is not None and MIN_CARDS_BEHIND_CUT <= cut <= rules.decks * 52 - MIN_CARDS_BEFORE_CUT


def _has_valid_commission(rules: TableRules) -> bool:
    commission = rules.commission
    return commission is None or (_is_valid_share(commission.rate) and _is_valid_share(commission.rounding))


def _commission_can_wait(rules: TableRules) -> bool:
    deferred = rules.commission is not None and rules.commission.timing is CommissionTiming.DEFERRED
    return not deferred or rules.shuffle is Shuffle.SHOE


def _has_valid_show(rules: TableRules) -> bool:
    shortest, longest = MILLISECONDS
    return all(type(each) is int and shortest <= each <= longest for each in astuple(rules.show_milliseconds))


def _is_valid_seconds(seconds: int | None) -> bool:
    return seconds is None or 1 <= seconds <= 60


# If a field has several faults, the first one listed is reported.
_CHECKS: Final[tuple[tuple[str, str, str, Callable[[TableRules], bool]], ...]] = (
    ("decks", "decks_out_of_range", "must be from 1 to 8", lambda rules: DECKS[0] <= rules.decks <= DECKS[1]),
    ("seats", "seats_out_of_range", "must be from 1 to 14", lambda rules: SEATS[0] <= rules.seats <= SEATS[1]),
    ("chips", "chips_not_ascending", "must be positive, ascending and without repeats", _has_valid_chips),
    (
        "chips",
        "chips_too_many_remainders",
        "must not need more than 10000 different remainders by the lowest chip",
        lambda rules: not _has_valid_chips(rules) or rules.chips[0] // gcd(*rules.chips) <= 10_000,
    ),
    (
        "minimum",
        "minimum_not_makeable",
        "must be an amount that the chips can make up",
        lambda rules: not _has_valid_chips(rules) or is_makeable(rules.minimum, rules),
    ),
    (
        "maximum",
        "maximum_not_makeable",
        "must be an amount that the chips can make up",
        lambda rules: not _has_valid_chips(rules) or is_makeable(rules.maximum, rules),
    ),
    ("maximum", "maximum_under_minimum", "must not be below the minimum", lambda rules: rules.minimum <= rules.maximum),
    (
        "maximum",
        "maximum_too_large",
        "is more than this system handles",
        lambda rules: rules.maximum < MAX_AMOUNT // 10_000,
    ),
    (
        "player_pays",
        "player_odds_out_of_range",
        "must be a ratio of whole numbers from 1 to 10000",
        lambda rules: _is_valid_odds(rules.player_pays),
    ),
    (
        "banker_pays",
        "banker_odds_out_of_range",
        "must be a ratio of whole numbers from 1 to 10000",
        lambda rules: _is_valid_odds(rules.banker_pays),
    ),
    (
        "tie_pays",
        "tie_odds_out_of_range",
        "must be a ratio of whole numbers from 1 to 10000",
        lambda rules: _is_valid_odds(rules.tie_pays),
    ),
    (
        "commission",
        "commission_out_of_range",
        "must be a share of at most the whole, rounded to at most the lowest chip",
        _has_valid_commission,
    ),
    (
        "commission",
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
        "turn_seconds",
        "turn_out_of_range",
        "must be from 1 to 3600",
        lambda rules: rules.turn_seconds is None or 1 <= rules.turn_seconds <= 3600,
    ),
    (
        "cut_cards_from_end",
        "cut_card_out_of_place",
        f"belongs to a shoe, from {MIN_CARDS_BEHIND_CUT} to {MIN_CARDS_BEFORE_CUT} fewer than its cards",
        _fits_the_shoe,
    ),
    (
        "seat_kept_rounds",
        "seat_kept_out_of_range",
        "must be from 1 to 100",
        lambda rules: rules.seat_kept_rounds is None or 1 <= rules.seat_kept_rounds <= 100,
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
    ("look_seconds", "look_out_of_range", "must be from 1 to 60", lambda rules: _is_valid_seconds(rules.look_seconds)),
    (
        "hand_back_seconds",
        "hand_back_out_of_range",
        "must be from 1 to 60",
        lambda rules: _is_valid_seconds(rules.hand_back_seconds),
    ),
    ("show_milliseconds", "show_out_of_range", "must be whole numbers from 0 to 60000", _has_valid_show),
    (
        "auto_confirm",
        "auto_confirm_needs_a_turn",
        "needs turns of at least 3 seconds",
        lambda rules: not rules.auto_confirm or (rules.turn_seconds is not None and rules.turn_seconds >= 3),
    ),
    (
        "minimum_cycle_seconds",
        "cycle_out_of_range",
        "must be from 0 to 3600",
        lambda rules: CYCLE_SECONDS[0] <= rules.minimum_cycle_seconds <= CYCLE_SECONDS[1],
    ),
)
