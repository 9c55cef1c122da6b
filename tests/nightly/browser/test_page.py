"""The table page in a real browser: whatever else a player sees, does and never loses."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.system.browser.screen import TIMEOUT


def test_a_new_player_sits_down_and_leaves_with_the_money(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table)
    assert screen.page.url.endswith(f"#table={table}"), "the token has left the address"

    screen.page.get_by_role("button", name="Seat 1: free, sit down here").click()
    screen.page.get_by_label("Play money").check()
    screen.page.get_by_label("Bring to the table").fill("123,50")
    screen.page.get_by_role("button", name="Sit down", exact=True).click()
    expect(screen.balance).to_have_text("€123.50")
    screen.page.get_by_role("button", name="Leave").click()
    expect(screen.page.get_by_role("button", name="Seat 1: free, sit down here")).to_be_enabled()
    screen.expect_notice("You left the table")


def test_a_deal_is_dropped_when_a_chip_before_it_is_refused(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.set_network(latency=2000)
    for key in ("4", "t", "t", "t", "t"):
        screen.press(key)
    screen.act("deal")

    screen.expect_notice("Bet at most €300.00")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.set_network()
    screen.answered()
    assert house.seat_of(table, 1)["status"] == "deciding"
    screen.act("deal")
    screen.expect_round(house.settled(table, 1))


def test_a_right_click_clears_the_bet(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.place("banker", "25")
    screen.place("tie", "5")
    expect(screen.bet).to_have_text("€30.00")

    screen.spot("tie").click(button="right")

    expect(screen.bet).to_have_text("€0.00")
    expect(screen.balance).to_have_text("€1,000.00")


def test_a_page_left_open_over_a_release_offers_the_new_one(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    page = screen.page

    def reconnect():
        screen.set_network(offline=True)
        screen.expect_notice("Reconnecting")
        with page.expect_response("**/play/", timeout=TIMEOUT):
            screen.set_network()

    def release(route):
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("js/main.", "js/main.released."))

    reconnect()
    expect(screen.notice).to_have_count(0, timeout=TIMEOUT)
    page.route("**/play/", release)
    reconnect()
    screen.expect_notice("new version of this page")
    page.unroute_all(behavior="wait")  # the page may have asked twice
    page.get_by_role("button", name="Load it").click()

    expect(screen.spot("banker")).to_be_enabled(timeout=TIMEOUT)
    expect(screen.notice).to_have_count(0)


def test_a_round_dealt_while_offline_is_shown_after_reconnecting(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60)
    ana, ben = (open_screen(table, token=token) for token in house.company(table, 1, 2))
    ana.place("banker", "25")
    ana.act("deal")
    expect(ana.page.locator("[data-you]")).to_contain_text("in play")

    ana.set_network(offline=True)
    ana.expect_notice("Reconnecting")
    ben.act("pass")
    round_ = house.settled(table, 2)
    ana.set_network()

    ana.expect_round(round_)
    returned = float(round_["seats"][0]["result"]["returned"])
    expect(ana.balance).to_have_text(f"€{975 + returned:,.2f}", timeout=TIMEOUT)
    expect(ana.notice.filter(has_text="Reconnecting")).to_have_count(0)


def test_a_player_whose_turn_times_out_loses_nothing(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=3)
    screen = open_screen(table, 1)
    screen.place("banker", "25")
    expect(screen.page.get_by_role("timer")).to_be_visible()

    expect(screen.chips_on("banker")).to_have_count(0, timeout=TIMEOUT)
    expect(screen.balance).to_have_text("€1,000.00")


def test_a_seat_taken_by_another_player_is_explained(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table)
    screen.page.get_by_role("button", name="Seat 1: free").click()
    screen.page.get_by_label("Play money").check()
    with screen.page.expect_response(lambda answer: answer.url.endswith("/seat") and answer.status == 409):
        house.seated(table, 1, "100.00")
        screen.page.get_by_role("button", name="Sit down", exact=True).click()

    screen.expect_notice("Somebody already has this seat")
    screen.expect_notice("Choose a free one")


def test_the_page_is_translated_into_german_with_german_number_formats(house, open_screen):
    screen = open_screen(house.table("mini"), 1, locale="de-DE")
    expect(screen.button("deal")).to_have_text("Geben")
    expect(screen.balance).to_have_text("1.000,00\u00a0€")
    screen.place("player", "1")
    screen.act("deal")
    screen.expect_notice("Der Einsatz liegt unter dem Minimum des Tisches.")


@pytest.mark.parametrize(
    ("form", "panels"),
    [
        ({}, ("stats", "history", "cash", "limit", "options", "help")),
        ({"phone": True, "dark": True}, ("options",)),
        ({"viewport": {"width": 640, "height": 400}}, ()),
    ],
)
def test_the_page_has_no_accessibility_violations(house, open_screen, form, panels):
    screen = open_screen(house.table("atlantic_city", turn_seconds=600), 1, **form)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe = Axe()

    for panel in (None, *panels):
        if panel:
            screen.open(panel)
        result = axe.run(screen.page, context=".panel" if panel else None, options={"resultTypes": ["violations"]})
        assert result.violations_count == 0, (panel, result.generate_report())
        screen.press("Escape")


def test_markers_of_commission_are_an_accessible_list(house, open_screen):
    table = house.table("big_table", turn_seconds=600)
    token = house.seated(table, 1)
    house.post(f"/tables/{table}/forced-cards", {"scenario": "banker_natural"})
    wager = {"stakes": [{"spot": "banker", "amount": "100.00"}], "currency": "EUR"}
    house.post(f"/tables/{table}/deal", wager, token)
    house.settled(table, 1)
    screen = open_screen(table, token=token)
    expect(screen.page.get_by_role("img", name="Seat 1: set aside for commission 5")).to_be_visible()

    result = Axe().run(screen.page, options={"resultTypes": ["violations"]})

    assert result.violations_count == 0, result.generate_report()


def test_statistics_that_do_not_arrive_leave_an_accessible_panel(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.page.route("**/statistics", lambda route: route.abort())
    panel = screen.open("stats")
    expect(panel.get_by_role("status")).not_to_have_text("")

    result = Axe().run(screen.page, context=".panel", options={"resultTypes": ["violations"]})

    assert result.violations_count == 0, result.generate_report()


def test_a_session_taken_over_elsewhere_is_explained(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    balances = house.http.get("/me/balances", headers={"Authorization": f"Bearer {screen.token}"}).json()
    assert balances["items"]
    player = house.get(f"/tables/{table}")["seats"][0]["player"]

    house.post(f"/players/{player}/sessions", {})

    expect(screen.page.get_by_role("heading", name="Your session is over")).to_be_visible(timeout=TIMEOUT)
    expect(screen.page.get_by_role("alert").filter(has_text="You came in somewhere else")).to_be_visible()
