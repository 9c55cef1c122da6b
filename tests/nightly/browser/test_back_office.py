"""More questions of people on duty: each is answered in at most four clicks from the front page."""

from collections.abc import Callable

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


def test_a_player_is_self_excluded_by_support(desk: Desk, enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.SUPPORT)
    visitor.find_player(desk.office.player.reference)
    visitor.press("Exclude this player")
    visitor.page.get_by_label("Who excludes").and_(visitor.page.locator(":visible")).select_option(
        label="The player, whose wish I record"
    )
    visitor.page.get_by_label("Kind").and_(visitor.page.locator(":visible")).select_option(
        label="Cooling-off, for 24 to 1008 hours"
    )
    visitor.type("Hours or months", "24")
    visitor.type("Reason, for staff", "Asked for by telephone.")
    visitor.press("Exclude")
    visitor.sees("The player is excluded from deposits and play")
