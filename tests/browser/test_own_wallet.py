"""The table page where the money is in the casino's own wallet: what the player sees of each wager, in each trouble."""

import contextlib
from collections.abc import Callable, Generator
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from casino.devstack.bots.house import new_operator
from casino.devstack.operator import running
from casino.devstack.operator.running import OwnWallet
from casino.devstack.system import Stack
from tests.browser.house import CURRENCY, House
from tests.browser.screen import TIMEOUT, Screen
from tests.browser.windows import Windows

pytestmark = pytest.mark.slow
FUNDS = "500.00"


@pytest.fixture(scope="module")
def wallet(stack: Stack) -> OwnWallet:
    return running.start(stack)


@pytest.fixture(scope="module")
def casino(stack: Stack, wallet: OwnWallet) -> Generator[House]:
    """Add an operator whose players' money is in its own wallet."""
    credential = new_operator(stack, "own-wallet")
    wallet.register(stack.base_url, credential)
    with contextlib.closing(House(stack.base_url, credential)) as casino:
        yield casino


@pytest.fixture
def arrive(casino: House, wallet: OwnWallet, windows: Windows) -> Generator[Callable[..., Screen]]:
    """Return `arrive(behaviour, table)`, which seats a player whose debits the wallet meets in this way."""
    with contextlib.ExitStack() as ends:

        def sit(behaviour: str, table: str = "") -> Screen:
            table, reference = table or casino.table("mini"), f"{uuid4().hex}-{behaviour}"
            player = casino.post("/players", {"reference": reference, "nickname": behaviour.title()})["id"]
            wallet.add_player(player, reference=reference, currency=CURRENCY, balance=FUNDS)
            token = str(casino.post(f"/players/{player}/sessions", {})["token"])
            seat = {"seat": 1, "buy_in": "10.00", "currency": CURRENCY, "money_type": "real"}
            casino.post(f"/tables/{table}/seat", seat, token)
            screen = windows.open(casino, table=table, token=token, latency=0, clock=False, form={})
            ends.callback(windows.close, screen)
            return screen

        yield sit


def bet(screen: Screen) -> None:
    screen.place("banker", "5", "5")
    screen.answered()
    screen.act("deal")


def expect_words(screen: Screen, words: str) -> None:
    expect(screen.page.get_by_text(words).first).to_be_visible(timeout=TIMEOUT)


def test_a_wager_is_confirming_and_then_confirmed_and_the_balance_has_its_age(
    casino: House, arrive: Callable[..., Screen]
) -> None:
    table = casino.table("atlantic_city", turn_seconds=3600)
    other = casino.seated(table, 2)
    screen = arrive("slow", table)
    casino.post(f"/tables/{table}/pass", {}, other)
    expect(screen.balance).to_contain_text("500.00")
    expect_words(screen, "At your casino, ")
    expect(screen.balance).to_be_visible()
    bet(screen)
    expect_words(screen, "Confirming …")
    expect_words(screen, "Your wager is in play. Waiting for the others")
    expect(screen.balance).to_contain_text("490.00")


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
