"""More questions of people on duty: each is answered in at most four clicks from the front page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from casino.staff.duties import Role
from tests.system.browser.test_back_office import Desk, Visitor


def test_why_revenue_is_down_today_leads_to_tables_and_players(desk: Desk, enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.COMPLIANCE)
    visitor.page.locator("details.c-numbers summary").first.click()
    visitor.clicks += 1
    visitor.click(visitor.page.locator("details.c-numbers a:visible").first)
    visitor.sees("Tables", "Players", "GGR")
    expect(visitor.link_to("baccarat/table")).to_be_visible()
    expect(visitor.link_to("operators/player")).to_be_visible()


def test_who_changed_a_tables_limits_and_why(enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.COMPLIANCE)
    visitor.click(visitor.page.locator("a[href='/admin/baccarat/rulesversion/']:visible").first)
    visitor.go("mini@2")
    visitor.sees("Minimum: 5.00 EUR becomes 10.00 EUR.", "maker", "checker", "Asked for by the players.")


def test_who_deposited_more_than_2000_in_a_day(enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.COMPLIANCE)
    visitor.go("Players", "Player figures")
    visitor.type("at least", "2000")
    visitor.press("Show")
    visitor.click(visitor.link_to("operators/player"))
    visitor.sees("Recent activity, real money")


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.COMPLIANCE])
def test_a_player_is_self_excluded(desk: Desk, enter: Callable[[Role], Visitor], role: Role) -> None:
    visitor = enter(role)
    visitor.type("Id, number or reference", desk.office.player.reference)
    visitor.press("Search")
    visitor.click(visitor.link_to("operators/player"))
    visitor.press("Exclude this player")
    visitor.page.get_by_label("Who excludes").and_(visitor.page.locator(":visible")).select_option(
        label="The player, whose wish I record"
    )
    visitor.page.get_by_label("Kind").and_(visitor.page.locator(":visible")).select_option(
        label="Cooling-off, for 24 to 1008 hours"
    )
    visitor.type("Hours or months", "24" if role is Role.SUPPORT else "48")
    visitor.type("Reason, for staff", "Asked for by telephone.")
    visitor.press("Exclude")
    visitor.sees("The player is excluded from deposits and play")
