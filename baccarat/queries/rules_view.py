"""A table's rules as they are drawn: plain JSON-ready values, money as decimal strings."""

from typing import Any

from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.money import format_amount


def present_rules(rules: TableRules) -> dict[str, Any]:
    """Draw a table's rules: amounts as decimal strings, odds as "8:1"."""
    commission = rules.commission
    return {
        "preset": rules.preset,
        "version": rules.version,
        "currency": rules.currency,
        "decks": rules.decks,
        "shuffle": rules.shuffle,
        "seats": rules.seats,
        "chips": [format_amount(chip, rules.currency) for chip in rules.chips],
        "minimum": format_amount(rules.minimum, rules.currency),
        "maximum": format_amount(rules.maximum, rules.currency),
        "spots_per_round": rules.spots_per_round,
        "player_pays": str(rules.player_pays),
        "banker_pays": str(rules.banker_pays),
        "tie_pays": str(rules.tie_pays),
        "commission": None
        if commission is None
        else {
            "rate": f"{commission.rate.numerator}/{commission.rate.denominator}",
            "rounding": None
            if commission.rounding is None
            else f"{commission.rounding.numerator}/{commission.rounding.denominator} of the lowest chip, up",
            "timing": commission.timing,
        },
        "under_minimum": rules.under_minimum,
        "turn_seconds": rules.turn_seconds,
        "caller": rules.caller,
        "play_money": rules.play_money,
        "cut_cards_from_end": rules.cut_cards_from_end,
        "burn": rules.burn,
        "seat_kept_rounds": rules.seat_kept_rounds,
        "look_seconds": rules.look_seconds,
        "hand_back_seconds": rules.hand_back_seconds,
    }
