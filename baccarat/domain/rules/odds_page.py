"""An odds sheet as plain values and sentences, for the command and the API."""

from fractions import Fraction

from baccarat.domain.rules.commission import is_finer_than_minor_unit
from baccarat.domain.rules.odds import OddsSheet, SpotFigures, SpotOdds
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, TableRules
from casino.kernel import money

DECIMAL_PLACES = 9


def format_decimal(value: Fraction, *, places: int = DECIMAL_PLACES) -> str:
    """Format a fraction as a decimal string, rounded half up in magnitude to `places`, at least one."""
    scaled = (abs(value.numerator) * 10**places * 2 + value.denominator) // (2 * value.denominator)
    whole, rest = divmod(scaled, 10**places)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{rest:0{places}d}"


def format_fraction(value: Fraction) -> str:
    """Format a fraction in lowest terms as "n/d"."""
    return f"{value.numerator}/{value.denominator}"


def describe_commission(rules: TableRules) -> str:
    """Describe in one sentence the commission that a table charges on Banker wins."""
    commission = rules.commission
    if commission is None:
        return "No commission is charged."
    percent = Fraction(100 * commission.rate.numerator, commission.rate.denominator)
    return f"{float(percent):g}% of a Banker win, {_rounding(commission, rules)}, {_timing(commission)}."


def notes(sheet: OddsSheet) -> tuple[str, ...]:
    """Return notes on these odds for players and operators, one or two sentences each."""
    rules = sheet.rules
    least = f"{money.format_amount(rules.minimum, rules.currency)} {rules.currency}"
    lines = [
        "Player and Banker stakes are returned on a tie; figures are per unit staked.",
        f"At the minimum, a stake of {least} is settled and rounded as this table does.",
    ]
    if is_finer_than_minor_unit(rules):
        lines.append("Commission finer than the currency's minor unit is rounded half up to the minor unit.")
    for spot in sheet.player_edge:
        odds = sheet.spot(spot)
        edge, at_minimum = (format_decimal(100 * each.edge, places=6) for each in (odds.exact, odds.at_minimum))
        lines.append(
            f"The player has the edge on {spot.capitalize()}: the house edge is {edge}% "
            f"({at_minimum}% at the minimum). "
            "Such a table opens for real money only when its operator accepts that expressly."
        )
    return tuple(lines)


def odds_document(sheet: OddsSheet) -> dict[str, object]:
    """Return the sheet as JSON-ready values: fractions as "n/d" and as decimal strings, money as text."""
    rules, counts = sheet.rules, sheet.counts
    return {
        "preset": rules.preset,
        "version": rules.version,
        "currency": rules.currency,
        "decks": rules.decks,
        "minimum": money.format_amount(rules.minimum, rules.currency),
        "counts": {"banker": counts.banker, "player": counts.player, "tie": counts.tie, "all": counts.total},
        "commission": describe_commission(rules),
        "spots": [_spot(odds) for odds in sheet.spots],
        "player_edge": [str(spot) for spot in sheet.player_edge],
        "notes": list(notes(sheet)),
    }


def _spot(odds: SpotOdds) -> dict[str, object]:
    return {
        "spot": str(odds.spot),
        "pays": str(odds.pays),
        "win": _both(odds.win),
        "lose": _both(odds.lose),
        "push": _both(odds.push),
        "exact": _figures(odds.exact),
        "at_minimum": _figures(odds.at_minimum),
    }


def _figures(figures: SpotFigures) -> dict[str, object]:
    return {"return": _both(figures.rtp), "edge": _both(figures.edge), "variance": _both(figures.variance)}


def _both(value: Fraction) -> dict[str, str]:
    return {"fraction": format_fraction(value), "decimal": format_decimal(value)}


def _rounding(commission: Commission, rules: TableRules) -> str:
    unit = commission.rounding
    if unit is None:
        return "exact"
    share = "" if unit.numerator == unit.denominator else f"{unit.numerator}/{unit.denominator} of "
    return (
        f"rounded up to {share}the lowest chip ({money.format_amount(rules.chips[0], rules.currency)} {rules.currency})"
    )


def _timing(commission: Commission) -> str:
    if commission.timing is CommissionTiming.DEFERRED:
        return "owed until the shoe ends or the player leaves"
    return "taken from the payout"
