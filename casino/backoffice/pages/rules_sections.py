"""Rules on pages: values, a table's versions, what a version changes, its theoretical and actual returns."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules import versions
from baccarat.domain.rules.odds import notes, odds_sheet
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, TableRules
from baccarat.queries.rules_versions import RulesVersionDetails
from baccarat.storage import rules_versions
from baccarat.storage.rules_versions import DRAFT, IN_FORCE, PUBLISHED, REJECTED, RETIRED
from casino.backoffice import html
from casino.backoffice.forms import label
from casino.backoffice.sections import Grid, Section
from casino.kernel.money import format_amount

STATUS_TONES: Final = {DRAFT: "warn", REJECTED: "bad", PUBLISHED: "player", IN_FORCE: "good", RETIRED: "plain"}
_TIMINGS: Final = {
    CommissionTiming.SETTLEMENT: "taken at settlement",
    CommissionTiming.DEFERRED: "taken when the shoe ends or the player leaves",
}


def rule_facts(rules: TableRules) -> list[tuple[str, object]]:
    """List every rule with its value."""
    amounts = {"chips", "minimum", "maximum"}
    return [
        (label(name), _text(getattr(rules, name), rules.currency if name in amounts else None))
        for name in TableRules.__dataclass_fields__
    ]


def _text(value: Any, currency: str | None) -> str:
    if isinstance(value, Commission):
        return _commission(value)
    if isinstance(value, tuple):
        return ", ".join(_text(part, currency) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return html.NOTHING
    return str(value).replace("_", " ") if currency is None else format_amount(value, currency)


def _commission(commission: Commission) -> str:
    rate, rounding = commission.rate, commission.rounding
    rounded = "exact" if rounding is None else f"rounded to {rounding.numerator}/{rounding.denominator}"
    return f"{rate.numerator}/{rate.denominator} of the win, {rounded}, {_TIMINGS[commission.timing]}"


def versions_of(table: UUID) -> Sequence[Section]:
    """List a table's versions."""
    rows = [
        (
            row.label,
            html.badge(row.status.replace("_", " "), STATUS_TONES.get(row.status, "plain")),
            row.drafted_by or html.NOTHING,
            row.decided_by or html.NOTHING,
            row.change_reason or html.NOTHING,
            row.since,
            row.until,
        )
        for row in sorted(rules_versions.load([table])[table].values(), key=lambda row: -row.version)
    ]
    headers = ("Rules", "Status", "Drafted by", "Decided by", "Reason", "Since", "Until")
    note = html.listing("baccarat_rulesversion", "Their pages", q=str(table))
    return (Grid("Versions of the rules", headers, rows, note=note),)


def differences(version: RulesVersionDetails, in_force: RulesVersionDetails | None) -> Sequence[Section]:
    """List what a version changes against the one in force."""
    if in_force is None or in_force.row.version == version.row.version:
        return ()
    changes = versions.describe_differences(in_force.rules, version.rules) or ("Nothing.",)
    return (Grid(f"Against {in_force.row.label}, which is in force", ("Change",), [(change,) for change in changes]),)


def odds(version: RulesVersionDetails) -> Grid:
    """Show the theoretical return of each spot, and which spots give players an edge."""
    sheet = odds_sheet(version.rules)
    exact = {each.spot: each for each in version.returns}
    rows = []
    for row in sheet.spots:
        stored = exact.get(row.spot)
        full = row.exact.rtp if stored is None else Fraction(stored.exact)
        least = row.at_minimum.rtp if stored is None else Fraction(stored.at_minimum)
        warning = html.badge("the player's edge", "bad") if row.spot in sheet.player_edge else html.NOTHING
        rows.append(
            (
                row.spot.capitalize(),
                str(row.pays),
                versions.format_percent(full),
                versions.format_percent(least),
                warning,
            )
        )
    headers = ("Spot", "Pays", "Return", "Return at the minimum", "Warning")
    note = " ".join(notes(sheet))
    return Grid("Theoretical return, by enumeration", headers, rows, note=note, numeric=frozenset(headers[2:4]))


def performance(version: RulesVersionDetails) -> Grid:
    """Show the play under a version, and its actual return."""
    currency = version.rules.currency
    rows = []
    for total in version.play_totals:
        actual = total.actual_return()
        rows.append(
            (
                total.money_type,
                str(total.rounds),
                str(total.wagers),
                html.money(total.staked, currency),
                html.money(total.returned, currency),
                html.money(total.commission, currency),
                html.NOTHING if actual is None else versions.format_percent(actual),
                str(total.voided),
            )
        )
    headers = ("Money", "Rounds", "Wagers", "Staked", "Paid", "Commission", "Actual return", "Voided")
    return Grid("Play under these rules", headers, rows, numeric=frozenset(headers[1:]))
