"""Game performance (GLI-19 2.9.2): theoretical and actual return by table, rules version and spot."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from baccarat.domain.rules.spots import spot_title
from baccarat.domain.rules.table_rules import TableRules
from baccarat.reports import play_facts
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
from baccarat.reports.play_facts import RuleSet, SpotTotals, TablePlay
from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.kernel.event_amounts import format_amounts
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
    integer,
    rate,
    timestamp,
)
from casino.significant import recorder

_OUTSIDE: Final = (ReturnVerdict.ABOVE.value, ReturnVerdict.BELOW.value)


def open_return_cases(scope: ReportScope, data: ReportData) -> None:
    """Open a case for each spot of a table's rules that is outside its band, unless one is already open."""
    for row in data.rows:
        if row[-1] in _OUTSIDE:
            _open(scope, row)


def _open(scope: ReportScope, row: Row) -> None:
    money_type, currency, table, name, rules, digest, _, _, _, spot, title, rounds, wagers, handle, returned, *_ = row
    theory, expected, actual, low, high, verdict = row[-6:]
    details = format_amounts({
        "table": str(table), "name": name, "rules": digest, "label": rules, "spot": spot,
        "money_type": money_type, "currency": currency,
        "rounds": rounds, "wagers": wagers, "handle": handle, "returned": returned,
        "theoretical": None if theory is None else document.rate(theory), "expected": document.rate(expected),
        "actual": document.rate(actual), "low": document.rate(low), "high": document.rate(high), "verdict": verdict,
        "since": scope.since.isoformat(), "until": scope.until.isoformat(),
    })  # fmt: skip
    subject = f"table:{table} {rules} {spot} {money_type} {currency}"
    if (
        cases.open_case(operator=scope.operator, kind=CaseKind.RETURN_OUT_OF_BAND, subject=subject, details=details)
        is None
    ):
        return
    recorder.record(
        kind=recorder.SignificantEventKind.RETURN_OUT_OF_BAND,
        operator=scope.operator,
        subject=f"table:{table}",
        actor="system",
        reason=f"the actual return of {title} is {verdict} its band",
        before={"low": details["low"], "expected": details["expected"], "high": details["high"]},
        after={"actual": details["actual"], "rules": digest, "label": rules, "rounds": rounds},
        amount=returned,
        currency=currency,
    )


ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class PerformanceLine:
    """One spot of a table and rules, or all spots together (None), with its verdict."""

    spot: str | None
    staked: SpotTotals
    theoretical_return: Fraction | None
    totals: ReturnTotals
    variance: Fraction
    band: ReturnBand | None


def read(scope: ReportScope) -> ReportData:
    """Return a row for each spot and one for all, by table, rules, money type and currency.

    Rounds voided since are excluded from returns and counted separately.
    """
    played = play_facts.read_play(scope)
    rule_sets = play_facts.load_rule_sets({play.table for play in played})
    rows, figures = [], []
    for play in played:
        rule_set = rule_sets.get((play.table, play.rules))
        lines = list(performance_lines(play, None if rule_set is None else rule_set.rules))
        rows += [_row(scope, play, rule_set, line) for line in lines]
        figures.append(_figures(scope, play, lines[-1]))
    return ReportData(rows, figures)


def performance_lines(play: TablePlay, rules: TableRules | None) -> Iterator[PerformanceLine]:
    """Yield a line for each spot of the rules, and then for all. Without rules there is no theoretical return."""
    for spot in sorted(play.spots) if rules is None else rules.spot_names:
        yield _line(play, rules, spot)
    yield _line(play, rules, None)


def _line(play: TablePlay, rules: TableRules | None, spot: str | None) -> PerformanceLine:
    spots = play.spots if spot is None else {spot: play.spots.get(spot, SpotTotals())}
    squares = {pair: total for pair, total in play.squares.items() if set(pair) <= set(spots)}
    staked = _sum(play, spots) if spot is None else spots[spot]
    if rules is None:
        totals = ReturnTotals(staked.handle, staked.returned, Fraction(0), squares)
        return PerformanceLine(spot, staked, None, totals, Fraction(0), None)
    expected = sum(
        (
            expected_return_of_stake(rules, one, stake) * times
            for one in spots
            for stake, times in spots[one].stakes.items()
        ),
        Fraction(0),
    )
    totals = ReturnTotals(staked.handle, staked.returned, expected, squares)
    spread = variance(rules, squares)
    rarest = expected_rarest_results(rules, {one: spots[one].handle for one in spots}, squares)
    band = return_band(totals, spread, rarest_results=rarest)
    return PerformanceLine(
        spot, staked, None if spot is None else theoretical_return(rules, spot), totals, spread, band
    )


def _sum(play: TablePlay, spots: dict[str, SpotTotals]) -> SpotTotals:
    total = SpotTotals(rounds=play.rounds)
    for staked in spots.values():
        total.wagers += staked.wagers
        total.handle += staked.handle
        total.returned += staked.returned
        total.commission += staked.commission
        total.voided_handle += staked.voided_handle
    return total


def _row(scope: ReportScope, play: TablePlay, rule_set: RuleSet | None, line: PerformanceLine) -> Row:
    staked, band, whole = line.staked, line.band, line.spot is None
    spot = ALL if line.spot is None else line.spot
    since, until = (play.opened_at, None) if rule_set is None else (rule_set.since, rule_set.until)
    return (
        scope.money_type_label(play.money_type), play.currency, play.table, play.name, _label(rule_set), play.rules,
        since, until, _status(play, rule_set), spot, spot_title(spot), staked.rounds, staked.wagers, staked.handle,
        staked.returned, staked.commission, play.voided if whole else None, staked.voided_handle,
        play.in_play if whole else None, line.theoretical_return, band and band.expected, band and band.actual,
        band and band.low, band and band.high, "" if band is None else band.verdict.value,
    )  # fmt: skip


def _label(rule_set: RuleSet | None) -> str:
    return "" if rule_set is None else rule_set.rules.label


def _status(play: TablePlay, rule_set: RuleSet | None) -> str:
    """Return the current status: a round waiting for a person takes precedence over the status of the rules."""
    if play.has_suspended_round:
        return "interrupted"
    return "" if rule_set is None else rule_set.status.replace("_", " ")


def _figures(scope: ReportScope, play: TablePlay, line: PerformanceLine) -> dict[str, Any]:
    """Return values that plots and monitoring add up: whole minor units, and squared ones as text."""
    return {
        "money_type": scope.money_type_label(play.money_type),
        "currency": play.currency,
        "table": str(play.table),
        "rules": play.rules,
        "handle": line.totals.handle,
        "returned": line.totals.returned,
        "expected": round(line.totals.expected),
        "variance": str(round(line.variance)),
    }


PERFORMANCE: Final = ReportDefinition(
    name="performance",
    title="Game performance",
    description="Returned is the amount paid back, net of commission. Expected is the theoretical return of the actual "
    "stakes, with the table's rounding; the band contains 99 of 100 honest games. Voided rounds are excluded and "
    "counted separately; in play is the amount staked in rounds that had not ended.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("table", "Table"),
        Column("table_name", "Name"),
        Column("rules", "Rules"),
        Column("rules_digest", "Digest of the rules"),
        timestamp("available_from", "Available from"),
        timestamp("available_until", "Until"),
        Column("status", "Status"),
        Column("spot", "Spot"),
        Column("spot_title", "Title of the spot"),
        integer("rounds", "Rounds", summed=False),
        integer("wagers", "Stakes", summed=False),
        amount("handle", "Handle", summed=False),
        amount("returned", "Returned", summed=False),
        amount("commission", "Commission", summed=False),
        integer("voided_rounds", "Voided rounds", summed=False),
        amount("voided_handle", "Voided handle", summed=False),
        amount("in_play", "In play", summed=False),
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
    key_columns=("table", "spot_title", "verdict", "actual", "low", "high", "expected", "handle"),
)
