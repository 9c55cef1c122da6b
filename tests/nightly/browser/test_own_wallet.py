"""The table page where the money is in the casino's own wallet: what the player sees of each wager, in each trouble."""

import contextlib
import re
from collections.abc import Callable, Generator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from casino.devstack.bots.house import new_operator
from casino.devstack.operator import running
from casino.devstack.operator.running import OwnWallet
from casino.devstack.system import Stack
from tests.processes import wait_until
from tests.system.browser.house import CURRENCY, House
from tests.system.browser.screen import TIMEOUT, Screen
from tests.system.browser.windows import Windows

FUNDS = "500.00"


@pytest.fixture(scope="module")
def wallet(stack: Stack) -> OwnWallet:
    return running.start(stack)


@pytest.fixture(scope="module")
def casino(stack: Stack, house: House, wallet: OwnWallet) -> Generator[House]:
    """Add an operator whose players' money is in its own wallet."""
    credential = new_operator(stack, "own-wallet")
    wallet.register(stack.base_url, credential)
    with contextlib.closing(House(stack.base_url, credential, witnesses=house.witnesses)) as casino:
        yield casino


@pytest.fixture
def arrive(casino: House, wallet: OwnWallet, windows: Windows) -> Generator[Callable[..., Screen]]:
    """Return `arrive(behaviour, table)`, which seats a player whose debits the wallet meets in this way."""
    with contextlib.ExitStack() as ends:

        def sit(behaviour: str, table: str = "", *, seated: bool = True) -> Screen:
            table, reference = table or casino.table("mini"), f"{uuid4().hex}-{behaviour}"
            player = casino.post("/players", {"reference": reference, "nickname": behaviour.title()})["id"]
            wallet.add_player(player, reference=reference, currency=CURRENCY, balance=FUNDS)
            token = str(casino.post(f"/players/{player}/sessions", {})["token"])
            if seated:
                seat = {"seat": 1, "currency": CURRENCY, "money_type": "real"}
                casino.post(f"/tables/{table}/seat", seat, token)
            screen = windows.open(casino, table=table, token=token, latency=0, clock=False, form={})
            ends.callback(windows.close, screen)
            return screen

        yield sit


def beside_another(casino: House, arrive: Callable[..., Screen], behaviour: str) -> Screen:
    """Seat a player in a round that waits for another one."""
    table = casino.table("atlantic_city", turn_seconds=3600)
    other = casino.seated(table, 2)
    screen = arrive(behaviour, table)
    casino.post(f"/tables/{table}/pass", {}, other)
    expect(screen.spot("banker")).not_to_have_attribute("aria-disabled", "", timeout=TIMEOUT)  # the next one is open
    return screen


def bet(screen: Screen) -> None:
    screen.place("banker", "5", "5")
    screen.answered()
    screen.act("deal")


def expect_words(screen: Screen, words: str) -> None:
    expect(screen.page.get_by_text(words).first).to_be_visible(timeout=TIMEOUT)


def test_a_wager_is_confirming_and_then_confirmed_and_the_balance_has_its_age(
    casino: House, arrive: Callable[..., Screen]
) -> None:
    screen = beside_another(casino, arrive, "slow")
    expect(screen.balance).to_contain_text("500.00")
    expect_words(screen, "At your casino, ")
    expect(screen.balance).to_be_visible()
    bet(screen)
    expect_words(screen, "Confirming …")
    expect_words(screen, "Your wager is in play. Waiting for the others")
    expect(screen.balance).to_contain_text("490.00")


def test_who_sits_down_brings_no_real_money_and_sees_how_old_the_balance_is(arrive: Callable[..., Screen]) -> None:
    screen = arrive("obey", seated=False)
    panel = screen.page.locator(".panel")
    amount = panel.get_by_label("Bring to the table")
    screen.page.get_by_role("button", name="Take seat 1").last.click()
    expect(amount).to_be_visible()  # play money is here
    panel.get_by_label("Real money").check()
    expect(panel).to_contain_text("Your money stays at your casino.")
    expect(amount).to_be_hidden()
    panel.get_by_role("button", name="Sit down").click()
    expect(screen.balance).to_contain_text("500.00")

    screen.page.locator(".to-leave").click()
    screen.page.get_by_role("button", name="Take seat 1").last.click()

    expect(panel.locator(".choice", has_text="Real money")).to_contain_text("At your casino, ")
    expect(panel.locator(".choice", has_text="Real money")).to_contain_text("500.00")


def test_the_lobby_offers_no_deposit_where_the_casinos_own_cashier_has_the_money(arrive: Callable[..., Screen]) -> None:
    screen = arrive("obey")
    screen.page.locator(".to-lobby").click()
    expect(screen.page.locator(".lobby-table").first).to_be_visible(timeout=TIMEOUT)
    expect(screen.page.locator('[data-account="statement"]')).to_be_visible()
    for part in ("deposit", "withdraw"):
        expect(screen.page.locator(f'[data-account="{part}"]')).to_be_hidden()


def test_while_a_wager_is_confirming_nothing_can_change_and_the_page_says_why(
    casino: House, arrive: Callable[..., Screen]
) -> None:
    screen, held = beside_another(casino, arrive, "obey"), []
    screen.page.route("**/deal", lambda route: held.append(route))  # noqa: PLW0108  (it asks how many it takes)
    bet(screen)
    expect_words(screen, "Confirming …")
    for name in ("deal", "undo", "clear", "pass", "rebet", "rebetDeal"):
        expect(screen.button(name)).to_be_disabled()
        expect(screen.button(name)).to_have_attribute("title", re.compile("Until it has answered"))
    expect(screen.spot("banker")).to_have_attribute("aria-disabled", "")
    for key in ("Enter", "u", "c", "r", "p"):
        screen.press(key)
    screen.page.locator(".to-leave").dispatch_event("click")
    screen.expect_notice("Until it has answered, nothing can be changed.")
    assert len(held) == 1

    held[0].continue_()
    screen.page.unroute("**/deal")
    expect_words(screen, "Your wager is in play. Waiting for the others")

    expect(screen.notice.filter(has_text="Until it has answered")).to_have_count(0)
    expect(screen.chips_on("banker")).to_contain_text("10")
    expect(screen.balance).to_contain_text("490.00")


def test_a_wager_of_two_tabs_is_taken_once(casino: House, arrive: Callable[..., Screen], windows: Windows) -> None:
    first = beside_another(casino, arrive, "slow")
    second = windows.open(casino, table=first.table, token=first.token, latency=0, clock=False, form={})
    first.place("banker", "5", "5")
    first.answered()
    expect(second.chips_on("banker")).to_contain_text("10", timeout=TIMEOUT)

    for tab in (first, second):
        tab.act("deal")

    for tab in (first, second):
        expect_words(tab, "Your wager is in play. Waiting for the others")
        expect(tab.chips_on("banker")).to_contain_text("10")
        expect(tab.balance).to_contain_text("490.00")
    windows.close(second)


def test_what_a_round_returns_is_being_paid_until_the_wallet_has_it(
    casino: House, wallet: OwnWallet, arrive: Callable[..., Screen]
) -> None:
    screen = arrive("obey")
    wallet.control(always={"credits": "temporary"})
    try:
        number = 0
        while not number or float(casino.settled(screen.table, number)["seats"][0]["result"]["returned"]) == 0:
            bet(screen)
            number += 1
            casino.settled(screen.table, number)
        expect_words(screen, "Won, being paid")
        expect(screen.page.locator("#account-balance")).not_to_contain_text("0.00 EUR", timeout=TIMEOUT)
    finally:
        wallet.control(always={})
    screen.expect_notice("Paid: your casino has the money.")


def test_a_balance_that_the_wallet_tells_during_the_show_waits_for_its_end(
    casino: House, arrive: Callable[..., Screen]
) -> None:
    screen = arrive("obey")
    squeeze = screen.page.locator('[data-switch="squeeze"]')
    if squeeze.get_attribute("aria-pressed") == "false":  # the tests before may have switched it on
        squeeze.click()
    casino.post(f"/tables/{screen.table}/forced-cards", {"scenario": "banker_natural"})
    bet(screen)
    card = screen.page.locator(".last-card .card.squeeze")
    expect(card).to_be_visible(timeout=TIMEOUT)
    headers = {"Authorization": f"Bearer {screen.token}"}

    def told() -> dict[str, Any]:
        return dict(casino.http.get(f"/tables/{screen.table}", headers=headers).json()["you"])

    assert wait_until(lambda: told()["game_balance"]["amount"] == "509.50")
    with screen.page.expect_response(f"**/tables/{screen.table}"):
        screen.page.evaluate("dispatchEvent(new Event('online'))")  # read the table again
    expect(screen.balance).not_to_contain_text("509.50")
    assert card.is_visible(), "the show was over"
    screen.press("Enter")

    expect(screen.balance).to_contain_text("509.50")
    squeeze.click()


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("refuse", "Not taken: the casino's own wallet refused the stakes"),
        ("refuse", "limit is reached."),
        ("apply_then_fail", "No answer by the casino's own wallet: nothing is at stake"),
    ],
)
def test_a_wager_that_is_not_taken_says_why_and_leaves_its_chips(
    arrive: Callable[..., Screen], behaviour: str, words: str
) -> None:
    screen = arrive(behaviour)
    bet(screen)
    screen.expect_notice(words)
    expect(screen.chips_on("banker")).to_contain_text("10")
    expect(screen.button("deal")).to_be_enabled(timeout=TIMEOUT)
    screen.act("undo")
    expect(screen.chips_on("banker")).to_contain_text("5")
    screen.act("clear")
    expect(screen.chips_on("banker")).to_have_count(0)
