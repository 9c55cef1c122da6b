"""The lobby as a player chooses from it: filters, lists, the account, sizes and currencies."""

import re
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.instant import INSTANT
from tests.system.browser.house import CURRENCY
from tests.system.browser.screen import TIMEOUT
from tests.system.browser.test_lobby import card


def names(page: Page) -> list[str]:
    return page.locator(".lobby-name").all_inner_texts()


def test_filters_search_and_order_choose_among_the_tables_and_are_remembered(house, open_lobby):
    squeeze, mini = house.table("big_table"), house.table("mini")
    page = open_lobby(mini, house.newcomer())
    expect(card(page, mini)).to_be_visible()

    page.get_by_role("button", name="Squeeze").click()
    expect(card(page, mini)).to_have_count(0)
    expect(card(page, squeeze)).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Squeeze")).to_have_attribute("aria-pressed", "true")
    expect(card(page, mini)).to_have_count(0)

    page.get_by_label("Find a table").fill("no such table")
    expect(page.locator(".lobby-empty")).to_contain_text("No table matches what you are looking for.")
    page.get_by_role("button", name="Show all tables").click()
    expect(card(page, mini)).to_be_visible()
    page.get_by_label("Sort tables").select_option("Name")
    assert names(page) == sorted(names(page), key=str.lower)


def test_a_table_that_is_not_listed_is_not_found_but_by_who_sits_there(house, open_lobby):
    shown = house.table("mini")
    body = {"name": "Leftover", "preset": "mini", "currency": CURRENCY, "money_types": ["play"], "listed": False}
    hidden = house.post("/tables", body)["id"]
    page = open_lobby(hidden, house.newcomer())

    expect(card(page, shown)).to_be_visible()
    expect(card(page, hidden)).to_have_count(0)
    guest = open_lobby(hidden, house.seated(hidden, 1))
    guest.get_by_role("button", name="Squeeze").click()  # no filter hides where one's money lies
    expect(card(guest, hidden)).to_contain_text("Back to your seat")
    guest.get_by_role("button", name="Squeeze").click()
    card(guest, hidden).get_by_role("link").click()
    expect(guest.locator(f'.game[data-table="{hidden}"] #game-balance')).to_have_text("€1,000.00", timeout=TIMEOUT)


def test_the_account_is_at_hand_in_the_lobby(house, open_lobby):
    page = open_lobby(house.table("mini"), house.newcomer())

    expect(page.locator(".lobby-balances")).to_contain_text("€5,000.00")
    page.get_by_role("button", name="Deposit").click()
    dialog = page.locator("dialog.lobby-account")
    expect(dialog).to_contain_text("No deposit method is offered at the moment.")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Withdraw").click()
    expect(dialog).to_contain_text("No method pays withdrawals out at the moment.")
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Statement").click()
    dialog.get_by_text("Play money").click()
    expect(dialog.locator(".statement-lines li")).to_contain_text("Test credit")
    expect(dialog.locator(".statement-lines strong")).to_have_text("+€5,000.00")


def test_the_buy_in_is_offered_in_the_range_that_holds_and_refused_below(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table)
    screen.page.locator(".plate").first.click()
    panel = screen.page.locator(".panel")

    expect(panel).to_contain_text("From €5.00 to the €5,000.00 in your account")
    expect(panel.locator(".preset")).to_have_text(["€5.00", "€100.00", "€500.00", "€5,000.00"])
    panel.get_by_label("Bring to the table").fill("4")
    panel.get_by_role("button", name="Sit down").click()
    screen.expect_notice("Bring at least €5.00.")
    assert house.get(f"/tables/{table}")["seats"] == []
    panel.get_by_role("button", name="€500.00").click()
    panel.get_by_role("button", name="Sit down").click()
    expect(screen.balance).to_have_text("€500.00", timeout=TIMEOUT)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_lobby_fits_its_screen_and_has_no_accessibility_violations(house, open_lobby, width):
    page = open_lobby(house.table("mini"), house.newcomer(), viewport={"width": width, "height": 844})
    expect(page.locator(".lobby-table").first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator("main.lobby :is(button, a, input, select):visible").all():
        assert button.bounding_box()["height"] >= 44
    result = Axe().run(page, options={"resultTypes": ["violations"]})
    assert result.violations_count == 0, result.generate_report()


def test_a_player_with_two_currencies_sees_each_by_its_own_decimals_and_plays_in_either(house, open_lobby):
    """One has two decimals, the other eight, and its code is a declared one."""
    opening = {"preset": "mini", "currency": "BTC", "money_types": ["real"], "rules": INSTANT}
    coins, euros = house.post("/tables", {"name": "Coins", **opening})["id"], house.table("mini")
    player = house.post("/players", {"reference": uuid4().hex, "nickname": "Ann"})["id"]
    for amount, currency in (("0.50000001", "BTC"), ("75.50", "EUR")):
        credit = {"amount": amount, "currency": currency, "money_type": "real"}
        house.post(f"/players/{player}/sandbox-credits", credit)
    token = str(house.post(f"/players/{player}/sessions", {})["token"])
    page = open_lobby(coins, token)

    balances = page.locator(".lobby-balance").first.locator("strong")
    expect(balances).to_have_text([re.compile(r"^BTC\s?0\.50000001$"), "€75.50"], timeout=TIMEOUT)
    expect(card(page, coins)).to_contain_text(re.compile(r"0\.00050000 to BTC"))
    page.get_by_role("combobox", name="Currency").select_option("BTC")
    expect(card(page, euros)).to_have_count(0)
    expect(card(page, coins)).to_be_visible()
    page.get_by_role("button", name="Statement").click()
    dialog = page.locator("dialog.lobby-account")
    expect(dialog.locator(".statement-lines strong")).to_have_text(re.compile(r"^\+BTC\s?0\.50000001$"))
    dialog.get_by_label("Currency").select_option("EUR")
    expect(dialog.locator(".statement-lines strong")).to_have_text("+€75.50")
    close, currency = (dialog.locator(each).bounding_box() for each in (".panel-close", "select"))
    assert currency["y"] + currency["height"] <= close["y"]  # neither covers the other
    dialog.get_by_role("button", name="Close").click()

    card(page, coins).get_by_role("link").click()
    page.locator(".plate").first.click()
    panel = page.locator(".panel")
    expect(panel.locator(".preset").last).to_have_text(re.compile(r"0\.50000001$"))
    panel.get_by_label("Bring to the table").fill("0,1")
    panel.get_by_role("button", name="Sit down").click()
    expect(page.locator("#game-balance")).to_have_text(re.compile(r"0\.10000000$"), timeout=TIMEOUT)
    expect(page.locator("#account-balance")).to_have_text(re.compile(r"0\.40000001$"), timeout=TIMEOUT)
    colours = page.locator(".chip-button svg").evaluate_all("chips => chips.map(({ classList }) => classList.value)")
    assert len(set(colours)) == len(colours) > 1
    page.locator('.chip-button[data-chip="0.00250000"]').click()
    page.locator('button.spot.mine[data-spot="banker"]').first.click()
    page.locator('[data-act="deal"]').click()
    (seat,) = house.settled(coins, 1)["seats"]
    assert seat["stakes"] == [{"spot": "banker", "amount": "0.00250000"}]


def test_amounts_survive_the_page_at_every_number_of_decimals(house, open_screen):
    """Formats, parses and prints amounts of currencies with none to eight decimals, also of codes without a symbol."""
    page = open_screen(house.table("mini")).page
    wrong = page.evaluate(
        """async () => {
            const load = (path) => import(new URL(`../static/play/js/${path}`, location.href));
            const [{ parseAmount, toDecimal, toMinor, countDecimals }, { money, chipText }] = await Promise.all(
                [load("core/money.js"), load("messages/index.js")]);
            const wrong = [];
            for (const [currency, digits] of Object.entries({ JPY: 0, EUR: 2, KWD: 3, BTC: 8, USDT: 6, X5: 1 })) {
                for (let i = 0n; i < 3000n; i++) {
                    const units = (i * 7919n) ** 2n % 10n ** 14n + i;
                    const text = toDecimal(units, digits);
                    const shown = money(text, currency).replace(currency, "").replace(/[^0-9.]/g, "");
                    const chip = chipText(text).replaceAll(",", "");
                    const same = toMinor(text) === units && countDecimals(text) === digits && shown === text
                        && (units === 0n || parseAmount(text, digits) === units)
                        && (/K$/.test(chip) || Number(chip) === Number(text));
                    if (!same) wrong.push([currency, text, shown, chip]);
                }
                if (parseAmount(`1.${"0".repeat(digits)}1`, digits) !== null) wrong.push([currency, digits]);
            }
            return wrong;
        }"""
    )
    assert wrong == []
