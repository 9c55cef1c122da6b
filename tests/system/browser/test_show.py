"""What follows from a result is told by the step of its show, on the page and to the page that frames it."""

import json
from collections.abc import Generator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from casino.devstack.site import Site, running_site
from tests.processes import wait_until
from tests.system.browser.house import CURRENCY, House
from tests.system.browser.screen import DESKTOP, TIMEOUT
from tests.system.browser.show import SHOW_MILLISECONDS, record, told

SIT = """async ([table, body]) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const { command } = await import(loaded.find((name) => /core\\/api[^/]*js$/.test(name)));
    await command(`tables/${table}/seat`, body);
}"""


@pytest.fixture
def site(house: House) -> Generator[Site]:
    """Serve a site of the operator, whose visitor has play money."""
    player = {"reference": uuid4().hex, "nickname": "Visitor"}
    visitor = house.post("/players", player)["id"]
    money = {"amount": "5000.00", "currency": CURRENCY, "money_type": "play"}
    house.post(f"/players/{visitor}/sandbox-credits", money)
    credential = house.http.headers["Authorization"].removeprefix("Bearer ")
    with running_site(service=house.base_url, credential=credential, player=player) as site:
        site.register_origin()
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Generator[Page]:
    """Open the site in a window of its own, which records what the framed page tells it."""
    context = browser.new_context(locale="en-GB", viewport=DESKTOP)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(site.origin)
    page.evaluate("""() => {
        window.received = [];
        const at = () => performance.timeOrigin + performance.now();
        addEventListener("message", ({ data: { type, data } }) => {
            received.push({ at: at(), type, data: JSON.stringify(data) });
        });
    }""")
    yield page
    context.close()


def seat(house: House, page: Page, site: Site, table: str) -> Frame:
    """Launch the visitor at the table, and sit down."""
    body = json.dumps({"table": table})
    page.route(f"{site.origin}/launch", lambda route: route.continue_(post_data=body), times=1)
    page.get_by_role("button", name="Launch").click()
    expect(page.frame_locator("iframe").locator(".game .board")).to_be_visible(timeout=TIMEOUT)
    frame = page.frames[1]
    frame.evaluate(SIT, [table, {"seat": 1, "buy_in": "1000.00", "currency": CURRENCY, "money_type": "play"}])
    expect(page.frame_locator("iframe").locator("button.spot.mine")).to_have_count(3, timeout=TIMEOUT)
    return frame


def bet_on_banker(frame: Frame) -> None:
    frame.locator('.chip-button[data-chip="100.00"]').click()
    frame.locator('button.spot.mine[data-spot="banker"]').click()
    expect(frame.locator(".felt[data-waiting]")).to_have_count(0)
    expect(frame.locator(".score-status")).not_to_have_text("One moment …")


def expect_all_told(frame: Frame, page: Page) -> None:
    """Expect what follows from Banker's win of €100.00, on the table and in the page that frames it."""
    expect(frame.locator("#game-balance")).to_have_text("€1,095.00")
    expect(frame.locator(".balance-aside")).to_have_text("Set aside for commission€5.00")
    expect(frame.locator(".marker")).to_have_count(1)
    expect(frame.locator(".table-facts")).not_to_contain_text("0 cards out")
    expect(frame.locator(".score-last li")).to_have_count(0)  # its cards were chosen
    assert wait_until(lambda: "round.settled" in [each["type"] for each in page.evaluate("received")])


def test_nothing_tells_a_result_before_its_step_and_the_framing_page_hears_it_last(
    house: House, page: Page, site: Site
) -> None:
    table = house.table("big_table", turn_seconds=60, show_milliseconds=SHOW_MILLISECONDS)
    frame = seat(house, page, site, table)
    house.post(f"/tables/{table}/forced-cards", {"scenario": "banker_wins_by_third_card"})
    bet_on_banker(frame)
    record(frame)
    page.evaluate("received.length = 0")

    frame.locator('[data-act="deal"]').click()
    frame.locator('.game[data-step="dealing"]').wait_for()
    frame.locator('button[data-panel="history"]').dispatch_event("click")

    shown = told(frame)
    assert shown.early("€1,000.00", "€900.00") == []
    expect_all_told(frame, page)
    expect(frame.locator(".round-line")).to_have_count(1)
    results = [each for each in page.evaluate("received") if each["type"] == "round.settled" or "1095" in each["data"]]
    assert {each["type"] for each in results} == {"round.settled", "balance.changed"}
    assert min(each["at"] for each in results) >= shown.began("paid")


def test_a_table_without_a_show_tells_everything_at_once(house: House, page: Page, site: Site) -> None:
    table = house.table("big_table", turn_seconds=60)
    frame = seat(house, page, site, table)
    house.post(f"/tables/{table}/forced-cards", {"scenario": "banker_wins_by_third_card"})
    bet_on_banker(frame)

    frame.locator('[data-act="deal"]').click()

    expect_all_told(frame, page)
