"""Each way in which the house's answer can differ from a receipt turns the page red."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route

from tests.processes import wait_until
from tests.system.browser.test_receipts import STATUSES, Document, play


def test_a_receipt_is_kept_though_what_keeps_it_did_not_arrive_at_first(house, open_screen) -> None:
    screen = open_screen(house.table("mini"), 1)
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        refused.append(route.request.url)
        route.abort()

    screen.page.route("**/view/receipts*.js", refuse_once, times=1)
    screen.page.reload()  # the window may have loaded it for another test

    round_ = play(screen)

    assert wait_until(lambda: screen.page.evaluate(STATUSES, round_) == ["agrees"])
    assert refused


def test_a_house_that_denies_the_round_of_a_receipt_turns_the_page_red(house, open_screen) -> None:
    screen = open_screen(house.table("mini"), 1)
    screen.page.route("**/rounds/*/proof", lambda route: route.fulfill(status=403, json={"code": "not_in_round"}))
    play(screen)
    screen.expect_notice("The casino denies round 1")
    screen.page.unroute_all()


def no_receipt(_: Document) -> None:
    return None


def other_stakes(receipt: Document) -> Document:
    return {**receipt, "stakes": [{**receipt["stakes"][0], "amount": "50.00"}]}


def other_commitment(receipt: Document) -> Document:
    return {**receipt, "terms": {**receipt["terms"], "commitment": "ab" * 32}}


def other_signature(receipt: Document) -> Document:
    return {**receipt, "signature": "ab" * 64}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (no_receipt, "answered without a receipt"),
        (other_stakes, "is not for the wager"),
        (other_commitment, "is not for the wager"),
        (other_signature, "is not for the wager"),
    ],
)
def test_an_answer_without_a_receipt_for_what_was_shown_turns_the_page_red(
    house, open_screen, change: Callable[[Document], Document | None], words: str
) -> None:
    screen = open_screen(house.table("mini"), 1)

    def answer(route: Route) -> None:
        response = route.fetch()
        document = response.json()
        if response.ok:  # else the page repeats the request
            document["receipt"] = change(document["receipt"])
        route.fulfill(response=response, json=document)

    screen.page.route("**/deal", answer)
    play(screen)
    screen.expect_notice(words)
    screen.page.unroute_all()


def other_payout(state: Document) -> None:
    for seat in (state["last_round"] or {"seats": []})["seats"]:
        if seat["payout"]:
            seat["payout"]["results"][0]["returned"] = "1000.00"


def no_payout(state: Document) -> None:
    for seat in (state["last_round"] or {"seats": []})["seats"]:
        seat["payout"] = None


def no_receipt_of_the_contribution(state: Document) -> None:
    if state["you"]:
        state["you"]["contribution"] = None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other_payout, "signed statement of what round 1 returned to you is missing or wrong"),
        (no_payout, "signed statement of what round 1 returned to you is missing or wrong"),
        (no_receipt_of_the_contribution, "The receipt of what you added to shuffle"),
    ],
)
def test_a_house_that_does_not_sign_what_it_paid_and_took_turns_the_page_red(
    house, open_screen, change: Callable[[Document], None], words: str
) -> None:
    screen = open_screen(house.table("mini"), 1)

    def answer(route: Route) -> None:
        response = route.fetch()
        document = response.json()
        if response.ok:
            change(document)
        route.fulfill(response=response, json=document)

    screen.page.route(f"**/api/v1/tables/{screen.table}", answer)
    if change is no_receipt_of_the_contribution:
        screen.page.route("**/deal", answer)
    play(screen)
    screen.expect_notice(words)
    screen.page.unroute_all(behavior="wait")
