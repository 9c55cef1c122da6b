"""Game performance (GLI-19 2.9.2): theoretical and actual return by table, rules version and spot."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.wagers import Spot
from baccarat.reports import play_facts, rule_sets
from baccarat.reports.band import (
    ReturnBand,
    ReturnTotals,
    ReturnVerdict,
    expected_rarest_results,
    expected_return_of_stake,
    return_band,
    theoretical_return,
    variance,
)
from baccarat.reports.play_facts import SpotTotals, TablePlay
from baccarat.reports.rule_sets import RuleSet
from casino.compliance import cases
from casino.reports import document
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportData,
    ReportDefinition,
    ReportScope,
    Row,
    amount,
    count,
    moment,
    rate,
)
from casino.significant import recorder

KIND: Final = "return_out_of_band"
_OUTSIDE: Final = (ReturnVerdict.ABOVE.value, ReturnVerdict.BELOW.value)


def open_return_cases(asked: ReportScope, found: ReportData) -> None:
    """Open a case for each spot of a table's rules that is outside its band, unless one is already open."""
    for row in found.rows:
        if row[-1] in _OUTSIDE:
            _open(asked, row)


def _open(asked: ReportScope, row: Row) -> None:
    money_type, currency, table, name, rules, _, _, _, spot, rounds, wagers, handle, returned, *_ = row
    theory, expected, actual, low, high, verdict = row[-6:]
    details: dict[str, Any] = {
        "table": str(table), "name": name, "rules": rules, "spot": spot, "money_type": money_type, "currency": currency,
        "rounds": rounds, "stakes": wagers, "handle": handle, "returned": returned,
        "theoretical": None if theory is None else document.rate(theory), "expected": document.rate(expected),
        "actual": document.rate(actual), "low": document.rate(low), "high": document.rate(high), "verdict": verdict,
        "since": asked.since.isoformat(), "until": asked.until.isoformat(), "position": asked.position,
    }  # fmt: skip
    subject = f"table:{table} {rules} {spot} {money_type} {currency}"
    if cases.open_case(operator=asked.operator, kind=KIND, subject=subject, details=details) is None:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.RETURN_OUT_OF_BAND,
        operator=asked.operator,
        subject=f"table:{table}",
        actor="system",
        reason=f"the actual return of {spot} is {verdict} its band",
        before={"low": details["low"], "expected": details["expected"], "high": details["high"]},
        after={"actual": details["actual"], "rules": rules, "rounds": rounds},
        amount=returned,
        currency=currency,
    )


ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class PerformanceLine:
    """One spot of a table and rules, or all spots together, with its verdict."""

    spot: str
    staked: SpotTotals
    theoretical_return: Fraction | None
    totals: ReturnTotals
    variance: Fraction
    band: ReturnBand | None


def read(asked: ReportScope) -> ReportData:
    """Return a row for each spot and one for all, by table, rules, money type and currency.

    Rounds voided since are excluded from returns and counted separately.
    """
    played = play_facts.read(asked)
    known = rule_sets.load_rule_sets({each.table for each in played})
    rows, figures = [], []
    for each in played:
        rule_set = known.get((each.table, each.rules))
        lines = list(performance_lines(each, None if rule_set is None else rule_set.rules))
        rows += [_row(asked, each, rule_set, line) for line in lines]
        figures.append(_figures(asked, each, lines[-1]))
    return ReportData(rows, figures)


def performance_lines(each: TablePlay, rules: TableRules | None) -> Iterator[PerformanceLine]:
    """Yield a line for each spot with stakes, and then for all. Without rules there is no theoretical return."""
    for spot in play_facts.SPOTS:
        if spot in each.spots:
            yield _line(each, rules, spot)
    yield _line(each, rules, None)


def _line(each: TablePlay, rules: TableRules | None, spot: Spot | None) -> PerformanceLine:
    spots = each.spots if spot is None else {spot: each.spots[spot]}
    squares = {pair: total for pair, total in each.squares.items() if set(pair) <= set(spots)}
    summed = _sum(each, spots) if spot is None else each.spots[spot]
    name = ALL if spot is None else spot.value
    if rules is None:
        played = ReturnTotals(summed.handle, summed.returned, Fraction(0), squares)
        return PerformanceLine(name, summed, None, played, Fraction(0), None)
    expected = sum(
        (
            expected_return_of_stake(rules, one, stake) * times
            for one in spots
            for stake, times in spots[one].stakes.items()
        ),
        Fraction(0),
    )
    played, spread = ReturnTotals(summed.handle, summed.returned, expected, squares), variance(rules, squares)
    rarest = expected_rarest_results(rules, {one: staked.handle for one, staked in spots.items()}, squares)
    judged = return_band(played, spread, rarest_results=rarest)
    return PerformanceLine(
        name, summed, None if spot is None else theoretical_return(rules, spot), played, spread, judged
    )


def _sum(each: TablePlay, spots: dict[Spot, SpotTotals]) -> SpotTotals:
    total = SpotTotals(rounds=each.rounds)
    for staked in spots.values():
        total.wagers += staked.wagers
        total.handle += staked.handle
        total.returned += staked.returned
        total.commission += staked.commission
        total.voided_handle += staked.voided_handle
    return total


def _row(asked: ReportScope, each: TablePlay, rule_set: RuleSet | None, line: PerformanceLine) -> Row:
    staked, judged, whole = line.staked, line.band, line.spot == ALL
    since, until = (each.opened_at, None) if rule_set is None else (rule_set.since, rule_set.until)
    return (
        asked.money_type_label(each.money_type), each.currency, each.table, each.name, each.rules, since, until,
        _status(each, rule_set), line.spot, staked.rounds, staked.wagers, staked.handle, staked.returned,
        staked.commission, each.voided if whole else None, staked.voided_handle,
        each.in_play if whole else None, line.theoretical_return, judged and judged.expected, judged and judged.actual,
        judged and judged.low, judged and judged.high, "" if judged is None else judged.verdict.value,
    )  # fmt: skip


def _status(each: TablePlay, rule_set: RuleSet | None) -> str:
    """Return the current status: a round waiting for a person takes precedence over the status of the rules."""
    if each.has_suspended_round:
        return "interrupted"
    return "" if rule_set is None else rule_set.status.replace("_", " ")


def _figures(asked: ReportScope, each: TablePlay, line: PerformanceLine) -> dict[str, Any]:
    """Return values that plots and monitoring add up: whole minor units, and squared ones as text."""
    return {
        "money_type": asked.money_type_label(each.money_type),
        "currency": each.currency,
        "table": str(each.table),
        "rules": each.rules,
        "handle": line.totals.handle,
        "returned": line.totals.returned,
        "expected": round(line.totals.expected),
        "variance": str(round(line.variance)),
    }


PERFORMANCE: Final = ReportDefinition(
    name="performance",
    title="Game performance",
    description="Returned is what came back, net of commission. Expected is the theoretical return of the stakes as "
    "they were, with the table's rounding; the band holds 99 of 100 honest games. Voided rounds are left out and "
    "counted apart; in play is what lay in rounds that were not over.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("table", "Table"),
        Column("table_name", "Name"),
        Column("rules", "Rules"),
        moment("available_from", "Available from"),
        moment("available_until", "Until"),
        Column("status", "Status"),
        Column("spot", "Spot"),
        count("rounds", "Rounds", sums=False),
        count("wagers", "Stakes", sums=False),
        amount("handle", "Handle", sums=False),
        amount("returned", "Returned", sums=False),
        amount("commission", "Commission", sums=False),
        count("voided_rounds", "Voided rounds", sums=False),
        amount("voided_handle", "Voided handle", sums=False),
        amount("in_play", "In play", sums=False),
        rate("theoretical", "Theoretical return"),
        rate("expected", "Expected return"),
        rate("actual", "Actual return"),
        rate("low", "Band from"),
        rate("high", "Band to"),
        Column("verdict", "Verdict"),
    ),
    read=read,
    repeatable=False,
    watch=open_return_cases,
)
