"""The form in which staff draft a version of rules: a field left empty stays as it is, "none" empties it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.validation import InvalidRules
from baccarat.queries.rules_view import present_rules
from casino.backoffice.sections import Field
from casino.kernel import money
from casino.kernel.errors import Refusal

NONE: Final = "none"
_COMMISSION: Final = ("commission_rate", "commission_rounding", "commission_timing")
_WORDS: Final[Mapping[str, str]] = {
    "decks": "Decks",
    "seats": "Seats",
    "chips": "Chips, comma separated",
    "minimum": "Minimum",
    "maximum": "Maximum",
    "spots_per_round": "Spots in one round: any or one",
    "player_pays": "Player pays, such as 1:1",
    "banker_pays": "Banker pays",
    "tie_pays": "Tie pays",
    "commission_rate": "Commission, such as 5/100, or none",
    "commission_rounding": "Commission rounded up to a share of the lowest chip, such as 1/4, or none",
    "commission_timing": "Commission taken: settlement or deferred",
    "under_minimum": "Under the minimum: raise or reject",
    "turn_seconds": "Turn in seconds, or none",
    "caller": "Caller: yes or no",
    "play_money": "Play money: yes or no",
    "cut_cards_from_end": "Cut card, cards from the end",
    "burn": "Burn: yes or no",
    "seat_kept_rounds": "Turns that a seat is kept, or none",
    "look_seconds": "Seconds to look, or none",
    "hand_back_seconds": "Seconds to hand back, or none",
}


def fields(rules: TableRules) -> tuple[Field, ...]:
    """Return a field for all that a version may change, labelled with what holds now."""
    now = present_rules(rules)
    shown = {**now, **{f"commission_{name}": value for name, value in (now["commission"] or {}).items()}}
    own = tuple(
        Field(name, f"{label} (now {_plain(shown.get(name))})", required=False, longest=120)
        for name, label in _WORDS.items()
    )
    said = Field("acknowledgement", "The sentence to acknowledge, where a return needs one", required=False, lines=2)
    return (*own, said)


def changes(given: Mapping[str, str], rules: TableRules) -> dict[str, Any]:
    """Read what a form says as fields of TableRules. Raises InvalidRules with fields that can't be read."""
    asked = {name: given.get(name, "").strip() for name in _WORDS}
    wrong: dict[str, str] = {}
    found: dict[str, Any] = {}
    for name, text in asked.items():
        if not text or name in _COMMISSION:
            continue
        try:
            found[name] = _READ[name](text, rules.currency)
        except (ValueError, Refusal):
            wrong[name] = "can't be read"
    try:
        found.update(_commission(asked, rules.commission))
    except ValueError:
        wrong["commission"] = "can't be read"
    if wrong:
        raise InvalidRules(" ".join(f"{name} can't be read." for name in wrong), fields=wrong)
    return found


def _commission(asked: Mapping[str, str], now: Commission | None) -> dict[str, Commission | None]:
    rate, rounding, timing = (asked[name] for name in _COMMISSION)
    if not (rate or rounding or timing):
        return {}
    if rate == NONE:
        return {"commission": None}
    made = now or Commission(Ratio(5, 100), None, CommissionTiming.SETTLEMENT)
    if rate:
        made = replace(made, rate=_ratio(rate, "/"))
    if rounding:
        made = replace(made, rounding=None if rounding == NONE else _ratio(rounding, "/"))
    if timing:
        made = replace(made, timing=CommissionTiming(timing))
    return {"commission": made}


def _whole(text: str, currency: str) -> int:
    del currency
    return int(text)


def _whole_or_none(text: str, currency: str) -> int | None:
    return None if text == NONE else _whole(text, currency)


def _chips(text: str, currency: str) -> tuple[int, ...]:
    return tuple(money.parse_positive(chip.strip(), currency) for chip in text.split(","))


def _odds(text: str, currency: str) -> Ratio:
    del currency
    return _ratio(text, ":")


def _ratio(text: str, mark: str) -> Ratio:
    first, _, second = text.partition(mark)
    return Ratio(int(first), int(second))


def _yes(text: str, currency: str) -> bool:
    del currency
    if text not in {"yes", "no"}:
        raise ValueError(text)
    return text == "yes"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NONE if value is None else str(value)


_READ: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "decks": _whole,
    "seats": _whole,
    "chips": _chips,
    "minimum": money.parse_positive,
    "maximum": money.parse_positive,
    "spots_per_round": lambda text, _: SpotsPerRound(text),
    "player_pays": _odds,
    "banker_pays": _odds,
    "tie_pays": _odds,
    "under_minimum": lambda text, _: UnderMinimumPolicy(text),
    "turn_seconds": _whole_or_none,
    "caller": _yes,
    "play_money": _yes,
    "cut_cards_from_end": _whole_or_none,
    "burn": _yes,
    "seat_kept_rounds": _whole_or_none,
    "look_seconds": _whole_or_none,
    "hand_back_seconds": _whole_or_none,
}
