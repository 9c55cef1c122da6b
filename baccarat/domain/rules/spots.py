"""Spots as people write them, in presets, requests and forms; what is wrong with them; and their lines in words.

    {"name": "tie", "lines": [{"when": {"winner": "tie"}, "pays": "8:1"}]}

A condition is a value, a list of values, or a range such as {"from": 6, "to": 9}. A line has `pays` or `push`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from baccarat.domain.rules.coups import FACTS, Coup, Value, counts_of
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    FactCondition,
    PayLine,
    Ratio,
    SpotKind,
    SpotRules,
    TableRules,
)
from casino.kernel.conversion import Malformed, convert
from casino.kernel.errors import Fault, Refusal
from casino.kernel.money import AmountText

NAME: Final = "(?!all$)[a-z][a-z0-9_]{0,31}"
"""What a spot may be called. `all` is the line of all spots in reports."""
MAX_SPOTS: Final = 24
MAX_LINES: Final = 32
Odds = Annotated[str, Meta(pattern="^[0-9]{1,5}([.][0-9]{1,4})?:[1-9][0-9]{0,4}$", examples=["8:1"])]
Share = Annotated[str, Meta(pattern="^[1-9][0-9]{0,4}/[1-9][0-9]{0,4}$", examples=["5/100"])]


class WrittenRange(msgspec.Struct, forbid_unknown_fields=True, rename={"low": "from", "high": "to"}):
    """Whole numbers from one to another."""

    low: int
    high: int


Written = Value | list[Value] | WrittenRange


class WrittenPayLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A pay line decides where all its conditions hold. It either pays, or pushes: returns the stake."""

    when: Annotated[
        dict[str, Written],
        Meta(
            description="A value, a list of values or a range by the name of each fact that must hold.",
            examples=[{"winner": "banker", "banker_points": [6]}],
            extra_json_schema={"propertyNames": {"enum": list(FACTS)}},
        ),
    ] = {}
    pays: Odds | None = None
    push: bool = False


class WrittenCommission(msgspec.Struct, forbid_unknown_fields=True):
    """The house's share of what a spot wins."""

    rate: Share
    rounding: Annotated[
        Share | None, Meta(description="The share of the lowest chip to round up to; null keeps it exact.")
    ] = None
    timing: CommissionTiming = CommissionTiming.SETTLEMENT


class WrittenSpot(msgspec.Struct, forbid_unknown_fields=True):
    """A spot that takes stakes. Its first line that holds decides; without one, the stake is lost."""

    name: Annotated[str, Meta(examples=["banker"], extra_json_schema={"pattern": f"^{NAME}$"})]
    lines: Annotated[
        list[WrittenPayLine],
        Meta(examples=[[{"when": {"winner": "tie"}, "push": True}, {"when": {"winner": "banker"}, "pays": "1:1"}]]),
    ]
    kind: SpotKind = SpotKind.MAIN
    commission: WrittenCommission | None = None
    minimum: Annotated[AmountText | None, Meta(description="Null: the table's.")] = None
    maximum: Annotated[AmountText | None, Meta(description="Null: the table's.")] = None
    needs: Annotated[
        list[str], Meta(description="Spots of which one must be bet with it, if it names any.", examples=[[]])
    ] = []


def read_spots(written: Any, amount: Callable[[str], int]) -> tuple[SpotRules, ...]:
    """Read spots in JSON values. `amount` reads an amount into minor units. Raises Malformed with the places."""
    spots = convert(written, list[WrittenSpot], "spots")
    return tuple(_read_spot(f"spots[{index}]", spot, amount) for index, spot in enumerate(spots))


def _read_spot(path: str, spot: WrittenSpot, amount: Callable[[str], int]) -> SpotRules:
    minimum, maximum = spot.minimum, spot.maximum
    return SpotRules(
        name=spot.name,
        kind=spot.kind,
        lines=tuple(_read_line(f"{path}.lines[{index}]", line) for index, line in enumerate(spot.lines)),
        commission=None if spot.commission is None else _read_commission(spot.commission),
        minimum=None if minimum is None else read_amount(f"{path}.minimum", minimum, amount),
        maximum=None if maximum is None else read_amount(f"{path}.maximum", maximum, amount),
        needs=tuple(spot.needs),
    )


def read_amount(path: str, text: str, amount: Callable[[str], int]) -> int:
    """Read an amount into minor units. Raises Malformed."""
    try:
        return amount(text)
    except Refusal as refusal:
        raise Malformed(Fault(path, refusal.code, f"is refused. {refusal.title}")) from None


def _read_line(path: str, line: WrittenPayLine) -> PayLine:
    if line.push is (line.pays is not None):
        raise Malformed(Fault(path, "line_pays_or_pushes", "must either pay odds or push"))
    when = tuple(_read_condition(fact, values) for fact, values in sorted(line.when.items()))
    return PayLine(when, None if line.pays is None else _read_ratio(line.pays))


def _read_condition(fact: str, written: Written) -> FactCondition:
    if isinstance(written, WrittenRange):
        possible = FACTS[fact].values if fact in FACTS else ()
        return FactCondition(
            fact, tuple(each for each in possible if type(each) is int and written.low <= each <= written.high)
        )
    return FactCondition(fact, tuple(written) if isinstance(written, list) else (written,))


def _read_commission(written: WrittenCommission) -> Commission:
    rounding = written.rounding
    return Commission(_read_ratio(written.rate), None if rounding is None else _read_ratio(rounding), written.timing)


def _read_ratio(text: str) -> Ratio:
    """Read odds such as "8:1" or "0.54:1", or a share such as "5/100"."""
    first, second = re.split("[:/]", text)
    if "." not in first:
        return Ratio(int(first), int(second))
    exact = Fraction(first) / int(second)
    return Ratio(exact.numerator, exact.denominator)


def write_spots(spots: Sequence[SpotRules], amount: Callable[[int], str]) -> list[dict[str, Any]]:
    """Write spots as `read_spots` reads them. `amount` writes an amount of minor units."""
    return [msgspec.to_builtins(_write_spot(spot, amount)) for spot in spots]


def _write_spot(spot: SpotRules, amount: Callable[[int], str]) -> WrittenSpot:
    commission = spot.commission
    return WrittenSpot(
        name=spot.name,
        kind=spot.kind,
        lines=[write_line(line) for line in spot.lines],
        commission=None if commission is None else _write_commission(commission),
        minimum=None if spot.minimum is None else amount(spot.minimum),
        maximum=None if spot.maximum is None else amount(spot.maximum),
        needs=list(spot.needs),
    )


def write_line(line: PayLine) -> WrittenPayLine:
    """Write a pay line."""
    when: dict[str, Any] = {
        each.fact: each.values[0] if len(each.values) == 1 else list(each.values) for each in line.when
    }
    return WrittenPayLine(when, push=True) if line.pays is None else WrittenPayLine(when, pays=str(line.pays))


def _write_commission(commission: Commission) -> WrittenCommission:
    rounding = commission.rounding
    return WrittenCommission(
        write_share(commission.rate), None if rounding is None else write_share(rounding), commission.timing
    )


def write_share(ratio: Ratio) -> str:
    """Write a share as "5/100", unreduced."""
    return f"{ratio.numerator}/{ratio.denominator}"


def faults_of(rules: TableRules) -> Iterator[Fault]:
    """Yield what is wrong with the spots of these rules, apart from their limits."""
    if not 1 <= len(rules.spots) <= MAX_SPOTS:
        yield Fault("spots", "spots_out_of_range", f"must be from 1 to {MAX_SPOTS} spots")
    if len({spot.commission.timing for spot in rules.spots if spot.commission}) > 1:
        yield Fault("spots", "commission_timings_differ", "must take all commission at one time")
    seen: set[str] = set()
    for index, spot in enumerate(rules.spots):
        path = f"spots[{index}]"
        if not re.fullmatch(NAME, spot.name, re.ASCII):
            yield Fault(
                f"{path}.name", "spot_name_malformed", "must be small letters, digits and underscores, and not `all`"
            )
        if spot.name in seen:
            yield Fault(f"{path}.name", "spot_named_twice", f"is the second spot called {spot.name}")
        seen.add(spot.name)
        for name in spot.needs:
            if name == spot.name or name not in rules.spot_names:
                yield Fault(f"{path}.needs", "needed_spot_unknown", f"names {name}, which is no other spot here")
        yield from _commission_faults(f"{path}.commission", spot.commission)
        yield from _line_faults(path, spot, counts_of(rules.decks))


def _commission_faults(path: str, commission: Commission | None) -> Iterator[Fault]:
    shares = () if commission is None else (commission.rate, commission.rounding)
    if any(
        share is not None and not (is_valid_ratio(share) and share.numerator <= share.denominator) for share in shares
    ):
        sentence = "must be a share of at most the whole, rounded to at most the lowest chip"
        yield Fault(path, "commission_out_of_range", sentence)


def is_valid_ratio(ratio: Ratio) -> bool:
    """Return whether both numbers are from 1 to 10000."""
    return all(type(part) is int and 1 <= part <= 10_000 for part in (ratio.numerator, ratio.denominator))


def _line_faults(path: str, spot: SpotRules, possible: Mapping[Coup, int]) -> Iterator[Fault]:
    if not 1 <= len(spot.lines) <= MAX_LINES:
        yield Fault(f"{path}.lines", "lines_out_of_range", f"must be from 1 to {MAX_LINES} lines")
    left = list(possible)
    for index, line in enumerate(spot.lines):
        where = f"{path}.lines[{index}]"
        if line.pays is not None and not is_valid_ratio(line.pays):
            yield Fault(f"{where}.pays", "odds_out_of_range", "must be a ratio of whole numbers from 1 to 10000")
        unknown = list(_condition_faults(where, line))
        yield from unknown
        if unknown:
            return
        holds = [coup for coup in left if all(each.holds(coup) for each in line.when)]
        if not holds and any(all(each.holds(coup) for each in line.when) for coup in possible):
            yield Fault(where, "line_unreachable", "is never reached: the lines before it decide whenever it holds")
        elif not holds:
            yield Fault(where, "line_never_holds", "never holds with these cards")
        taken = set(holds)
        left = [coup for coup in left if coup not in taken]


def _condition_faults(where: str, line: PayLine) -> Iterator[Fault]:
    for each in line.when:
        path = f"{where}.when.{each.fact}"
        if each.fact not in FACTS:
            yield Fault(path, "fact_unknown", f"is no fact of a coup; there are {', '.join(FACTS)}")
            continue
        possible = {(type(value), value) for value in FACTS[each.fact].values}
        if not each.values or any((type(value), value) not in possible for value in each.values):
            yield Fault(path, "fact_value_unknown", f"must be of {', '.join(map(_say, FACTS[each.fact].values))}")


def _say(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def spot_title(name: str) -> str:
    """Return what staff call a spot: "Lucky nine"."""
    return name.replace("_", " ").capitalize()


def spot_in_words(spot: SpotRules) -> str:
    """Say what a spot pays, line by line, and its commission."""
    lines = [line_in_words(line) for line in spot.lines]
    if spot.commission is not None:
        lines.append(f"less {commission_in_words(spot.commission)}")
    return ", ".join(lines)


def commission_in_words(commission: Commission) -> str:
    """Say what commission is charged: "5/100 commission, exact, taken from the payout"."""
    rounding = commission.rounding
    rounded = "exact" if rounding is None else f"rounded up to {write_share(rounding)} of the lowest chip"
    return f"{write_share(commission.rate)} commission, {rounded}, {timing_in_words(commission.timing)}"


def timing_in_words(timing: CommissionTiming) -> str:
    """Say when commission is taken."""
    deferred = timing is CommissionTiming.DEFERRED
    return "set aside until the shoe ends or the player leaves" if deferred else "taken from the payout"


def line_in_words(line: PayLine) -> str:
    """Say what a line pays, and when: "8:1 if winner is tie"."""
    what = "the stake is returned" if line.pays is None else f"pays {line.pays}"
    return f"{what} if {when_in_words(line)}" if line.when else what


def when_in_words(line: PayLine) -> str:
    """Say when a line decides: "winner is banker and banker points is 6"."""
    return " and ".join(condition_in_words(each) for each in line.when)


def condition_in_words(condition: FactCondition) -> str:
    """Say a condition: "banker points are 6", "winner is player or tie", "player pair"."""
    name = condition.fact.replace("_", " ")
    if all(isinstance(value, bool) for value in condition.values):
        return name if condition.values == (True,) else f"no {name}"
    return f"{name} {'are' if name.endswith('s') else 'is'} {' or '.join(map(str, condition.values))}"
