"""A return outside its band is a significant event, and a case that somebody must own and explain."""

from typing import Any, Final

from baccarat.reports.band import ReturnVerdict
from casino.compliance import cases
from casino.reports.definition import ReportData, ReportScope, Row
from casino.reports.document import rate
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
    told: dict[str, Any] = {
        "table": str(table), "name": name, "rules": rules, "spot": spot, "money_type": money_type, "currency": currency,
        "rounds": rounds, "stakes": wagers, "handle": handle, "returned": returned,
        "theoretical": None if theory is None else rate(theory), "expected": rate(expected), "actual": rate(actual),
        "low": rate(low), "high": rate(high), "verdict": verdict,
        "since": asked.since.isoformat(), "until": asked.until.isoformat(), "position": asked.position,
    }  # fmt: skip
    about = f"table:{table} {rules} {spot} {money_type} {currency}"
    if cases.open_case(operator=asked.operator, kind=KIND, subject=about, details=told) is None:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.RETURN_OUT_OF_BAND,
        operator=asked.operator,
        subject=f"table:{table}",
        actor="system",
        reason=f"the actual return of {spot} is {verdict} its band",
        before={"low": told["low"], "expected": told["expected"], "high": told["high"]},
        after={"actual": told["actual"], "rules": rules, "rounds": rounds},
        amount=returned,
        currency=currency,
    )
