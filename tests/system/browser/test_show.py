"""What follows from a result is told by the step of its show, on the page and to the page that frames it."""

from collections.abc import Callable, Generator

import pytest
from playwright.sync_api import Browser, expect

from tests.processes import wait_until
from tests.system.browser.house import House
from tests.system.browser.show import SHOW_MILLISECONDS, Visit, framing_page, serving, visit

BEFORE = ("€1,000.00", "€900.00", "1000.00", "900.00")
BANKER_BY_THIRD_CARD = ("6s", "2d", "Kh", "3c", "4d")


@pytest.fixture
def arrive(house: House, browser: Browser) -> Generator[Callable[..., Visit]]:
    """Return `arrive(table)`, which seats a visitor at a table in the operator's page."""
    with serving(house) as site, framing_page(site, browser) as page:
        yield lambda table, **options: visit(house, site, page, table, **options)


def expect_all_told(shown: Visit, *, markers: int = 1) -> None:
    """Expect what follows from Banker's win of €100.00, on the table and in the page that frames it."""
    frame = shown.frame
    expect(frame.locator("#game-balance")).to_have_text("€1,095.00")
    expect(frame.locator(".balance-aside")).to_have_text("Set aside for commission€5.00")
    expect(frame.locator(".marker")).to_have_count(markers)
    expect(frame.locator(".table-facts")).not_to_contain_text(", 0 cards out")
    expect(frame.locator(".hand .total")).to_have_text(["6", "9"])
    expect(frame.locator(".score-last li")).to_have_count(0)  # its cards were chosen
    assert wait_until(lambda: "round.settled" in [each["part"] for each in shown.page.evaluate("received")])


def test_nothing_tells_a_result_before_its_step_and_the_framing_page_hears_it_last(
    house: House, arrive: Callable[..., Visit]
) -> None:
    shown = arrive(house.table("big_table", turn_seconds=60, show_milliseconds=SHOW_MILLISECONDS))
    shown.choose(*BANKER_BY_THIRD_CARD)
    shown.bet()
    shown.deal(panel="history")

    told = shown.told()

    assert told.early(*BEFORE) == []
    expect_all_told(shown)
    expect(shown.frame.locator(".round-line")).to_have_count(1)
    assert {"part": "balance.changed", "value": "1095.00"}.items() <= told.values[-1].items()


def test_skip_releases_everything_at_once(house: House, arrive: Callable[..., Visit]) -> None:
    shown = arrive(house.table("big_table", turn_seconds=60, show_milliseconds=SHOW_MILLISECONDS), company=True)
    shown.choose(*BANKER_BY_THIRD_CARD)
    shown.bet()
    shown.deal()
    shown.frame.locator(".hands .card.shown").nth(1).wait_for()

    shown.frame.locator('[data-act="skip"]').click()

    told = shown.told()
    first, second, *_, fourth, third_card = told.turned
    assert third_card - fourth < second - first, "the cards went on at their pace"
    assert told.early(*BEFORE) == []
    expect_all_told(shown, markers=2)


def test_a_table_without_a_show_tells_everything_at_once(house: House, arrive: Callable[..., Visit]) -> None:
    shown = arrive(house.table("big_table", turn_seconds=60))
    shown.choose(*BANKER_BY_THIRD_CARD)
    shown.bet()

    shown.frame.locator('[data-act="deal"]').click()

    expect_all_told(shown)
