"""What pages show of versions of rules: a table's list of them, what each changes, returns in theory and returned."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final
from uuid import UUID

from baccarat.domain.rules import versions
from baccarat.domain.rules.odds import odds_sheet
from baccarat.domain.rules.odds_page import notes
from baccarat.queries.rules_versions import RulesVersionDetails
from baccarat.storage import rules_versions
from baccarat.storage.rules_versions import DRAFT, IN_FORCE, PUBLISHED, REJECTED, RETIRED
from casino.backoffice import html
from casino.backoffice.sections import Grid, Section

TONES: Final = {DRAFT: "warn", REJECTED: "bad", PUBLISHED: "player", IN_FORCE: "good", RETIRED: "plain"}


def of_table(table: UUID) -> Sequence[Section]:
    """List a table's versions on its page."""
    rows = [
        (
            row.label,
            html.badge(row.status.replace("_", " "), TONES.get(row.status, "plain")),
            row.drafted_by or html.NOTHING,
            row.decided_by or html.NOTHING,
            html.moment(row.since),
            html.moment(row.until),
        )
        for row in sorted(rules_versions.load([table])[table].values(), key=lambda row: -row.version)
    ]
    headers = ("Rules", "Status", "Drafted by", "Decided by", "Since (UTC)", "Until (UTC)")
    note = html.listing("baccarat_rulesversion", "Their pages", q=str(table))
    return (Grid("Versions of the rules", headers, rows, note=note),)


def differences(found: RulesVersionDetails, holds: RulesVersionDetails | None) -> Sequence[Section]:
    """Say in words what a version changes against the one in force."""
    if holds is None or holds.row.version == found.row.version:
        return ()
    told = versions.describe_differences(holds.rules, found.rules) or ("Nothing.",)
    return (Grid(f"Against {holds.row.label}, which is in force", ("Change",), [(each,) for each in told]),)


def odds(found: RulesVersionDetails) -> Grid:
    """Show what each spot returns in theory, and which gives players an edge."""
    exact = {each.spot: each for each in found.returns}
    rows = [
        (
            told.spot.capitalize(),
            str(told.pays),
            versions.format_percent(Fraction(exact[told.spot].exact) if told.spot in exact else told.exact.rtp),
            versions.format_percent(
                Fraction(exact[told.spot].at_minimum) if told.spot in exact else told.at_minimum.rtp
            ),
            html.badge("the player's edge", "bad")
            if told.spot in odds_sheet(found.rules).player_edge
            else html.NOTHING,
        )
        for told in odds_sheet(found.rules).spots
    ]
    headers = ("Spot", "Pays", "Return", "Return at the minimum", "Doubt")
    says = " ".join(notes(odds_sheet(found.rules)))
    return Grid("Theoretical return, by enumeration", headers, rows, note=says, numeric=frozenset(headers[2:4]))


def played(found: RulesVersionDetails) -> Grid:
    """Show what was played by a version, and what it returned."""
    currency = found.rules.currency
    rows = []
    for each in found.play_totals:
        actual = each.actual_return()
        rows.append(
            (
                each.money_type,
                str(each.rounds),
                str(each.wagers),
                html.money(each.staked, currency),
                html.money(each.paid, currency),
                html.money(each.commission, currency),
                html.NOTHING if actual is None else versions.format_percent(actual),
                str(each.voided),
            )
        )
    headers = ("Book", "Rounds", "Wagers", "Staked", "Paid", "Commission", "Actual return", "Voided")
    return Grid("Played by it", headers, rows, empty="Nothing yet.", numeric=frozenset(headers[1:]))
