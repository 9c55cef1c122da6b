"""Commission on a Banker win, in exact integer arithmetic, rounded once (rules, section 1, readings)."""

from baccarat.domain.rules.table_rules import Commission, TableRules


def charge(commission: Commission, *, win: int, lowest_chip: int) -> int:
    """Return the commission on one player's Banker win in one round, all in minor units.

    With a rounding unit, round up to its next multiple, then up to the minor unit if the unit is finer. Round exact
    commission half up to the minor unit. It never exceeds the win.
    """
    owed, per = win * commission.rate.numerator, commission.rate.denominator
    unit = commission.rounding
    if unit is None:
        return (2 * owed + per) // (2 * per)
    size = unit.numerator * lowest_chip
    units = -(-owed * unit.denominator // (per * size))
    return min(win, -(-units * size // unit.denominator))


def is_finer_than_minor_unit(rules: TableRules) -> bool:
    """Return whether these chips can win an exact commission that is not a whole number of minor units."""
    commission = rules.commission
    if commission is None or commission.rounding is not None:
        return False
    share = commission.rate.numerator * rules.banker_pays.numerator
    whole = commission.rate.denominator * rules.banker_pays.denominator
    return any(chip * share % whole for chip in rules.chips)
