"""Rules on pages: values, a table's versions, what a version changes, its theoretical and actual returns."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final
from uuid import UUID

from baccarat.domain.rules import versions
from baccarat.domain.rules.odds import notes, odds_sheet
from baccarat.domain.rules.spots import commission_in_words, line_in_words, spot_title
from baccarat.domain.rules.table_rules import FIELDS, LABELS, TableRules
from baccarat.domain.rules.versions import SpotReturn
from baccarat.queries.rules_versions import RulesVersionDetails
from baccarat.storage import rules_versions
from baccarat.storage.rules_versions import DRAFT, IN_FORCE, PUBLISHED, REJECTED, RETIRED
from casino.backoffice import html
from casino.backoffice.forms import label
from casino.backoffice.sections import Grid, Section
from casino.kernel.money import format_amount

_LEAST: Final = "Return at the minimum"
STATUS_TONES: Final = {DRAFT: "warn", REJECTED: "bad", PUBLISHED: "player", IN_FORCE: "good", RETIRED: "plain"}


def rule_facts(rules: TableRules) -> list[tuple[str, object]]:
    """List every rule with its value, apart from the spots."""
    return [(label(name), versions.field_in_words(rules, name)) for name in FIELDS if name not in {"spots", *LABELS}]


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


def spots(rules: TableRules, returns: Sequence[SpotReturn] = ()) -> Grid:
    """Show each spot's terms, its theoretical return, as recorded if it was, and whether it gives players an edge."""
    sheet = odds_sheet(rules)
    recorded = {each.spot: (Fraction(each.exact), Fraction(each.at_minimum)) for each in returns}
    rows = []
    for spot in rules.spots:
        odds = sheet.spot(spot.name)
        lines = [f"{line_in_words(each.line)} ({versions.format_percent(each.chance)})" for each in odds.lines]
        rows.append(
            (
                html.below(spot_title(spot.name), spot.kind),
                html.lines(*lines),
                html.NOTHING if spot.commission is None else commission_in_words(spot.commission),
                " to ".join(format_amount(limit, rules.currency) for limit in rules.limits_of(spot)),
                " or ".join(map(spot_title, spot.needs)) or html.NOTHING,
                *map(versions.format_percent, recorded.get(spot.name, (odds.exact.rtp, odds.at_minimum.rtp))),
                html.badge("the player's edge", "bad") if spot.name in sheet.player_edge else html.NOTHING,
            )
        )
    limits = f"Limits in {rules.currency}"
    headers = ("Spot", "Lines, and how often they decide", "Commission", limits, "Needs", "Return", _LEAST, "Warning")
    return Grid("Spots", headers, rows, note=" ".join(notes(sheet)), numeric=frozenset({"Return", _LEAST}))


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
