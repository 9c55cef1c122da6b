"""The scoreboard beside the table: always in view, as the service draws it, with each mark's round behind it."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.system.browser.screen import Screen

SIZES = {"desktop": (1440, 900), "landscape tablet": (1024, 768), "portrait tablet": (820, 1180)}
ROADS = ("bead_plate", "big_road", "big_eye_boy", "small_road", "cockroach_pig")
DERIVED = ROADS[2:]
BIG_ROAD_COLUMNS = 24


def played(
    house: Any, open_screen: Any, rounds: int, *, width: int = 1440, height: int = 900, **form: Any
) -> tuple[str, Screen]:
    """Return a table and a window of its player after some rounds."""
    table = house.table("mini")
    token = house.seated(table, 1)
    for number in range(1, rounds + 1):
        wager = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
        house.post(f"/tables/{table}/deal", wager, token)
        house.settled(table, number)
    return table, open_screen(table, token=token, viewport={"width": width, "height": height}, **form)


def marks(screen: Screen, road: str) -> Locator:
    return screen.page.locator(f".game > .scoreboard .road.{road} [data-number]")


def swipe(screen: Screen, part: str) -> None:
    """Swipe over most of a part of the page with a finger, towards its start."""
    box = screen.page.locator(part).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    points = [{"x": box["x"] + box["width"] * (0.8 - 0.07 * step), "y": y} for step in range(11)]
    finger = screen.page.context.new_cdp_session(screen.page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points[:1]})
    for point in points[1:]:
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def numbers(screen: Screen, road: str) -> list[int]:
    """Return the rounds of a road's marks, in the order they were added."""
    return [int(mark.get_attribute("data-number") or "") for mark in marks(screen, road).all()]


@pytest.mark.parametrize("size", SIZES)
def test_from_1024_pixels_the_whole_scoreboard_is_in_view(house, open_screen, size):
    width, height = SIZES[size]
    _, screen = played(house, open_screen, 2, width=width, height=height)

    expect(marks(screen, "bead_plate")).to_have_count(2)
    for road in ROADS:
        box = screen.page.locator(f".game > .scoreboard .road.{road}").bounding_box()
        assert box, road
        assert min(box["width"], box["height"]) > 20
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (2560, 1440)])
def test_beside_the_felt_the_big_roads_cells_are_14_to_18_pixels_wide(house, open_screen, size):
    screen = open_screen(house.table("mini"), viewport={"width": size[0], "height": size[1]})
    box = screen.page.locator(".game > .scoreboard .road.big_road").bounding_box()
    assert 14 <= box["width"] / BIG_ROAD_COLUMNS <= 18.5


def test_the_roads_are_those_of_the_service(house, open_screen):
    table, screen = played(house, open_screen, 14)
    board = house.get(f"/tables/{table}/statistics")

    expect(marks(screen, "bead_plate")).to_have_count(14)
    wins = [cell["number"] for cell in board["big_road"]["cells"]]
    assert numbers(screen, "bead_plate") == [bead["number"] for bead in board["bead_plate"]]
    assert numbers(screen, "big_road") == wins
    ties = sum(1 for cell in board["big_road"]["cells"] if cell["ties"]) or bool(board["big_road"]["leading_ties"])
    expect(screen.page.locator(".game > .scoreboard .big_road .road-tie")).to_have_count(int(ties))
    for road in DERIVED:
        expect(marks(screen, road)).to_have_count(len(board[road]))
        assert numbers(screen, road) == wins[len(wins) - len(board[road]) :]
        for colour in ("red", "blue"):
            drawn = screen.page.locator(f".game > .scoreboard .road.{road} :is(circle, path).{colour}")
            expect(drawn).to_have_count(sum(cell["colour"] == colour for cell in board[road]))
    for outcome in ("banker", "player", "tie"):
        total = screen.page.locator(f".game > .scoreboard .score-sum.{outcome} strong")
        expect(total).to_have_text(str(board["totals"][outcome]))


def test_asking_draws_what_a_win_of_banker_would_add_and_takes_it_away_again(house, open_screen):
    table, screen = played(house, open_screen, 8)
    expect(marks(screen, "bead_plate")).to_have_count(8)
    asked = house.get(f"/tables/{table}/statistics")["ask"]["banker"]
    ghosts = screen.page.locator(".game > .scoreboard .road-mark.ghost")
    button = screen.page.get_by_role("button", name="What a win of Banker would add")

    button.focus()
    screen.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(ghosts).to_have_count(2 + sum(asked[road] is not None for road in DERIVED))
    place = screen.page.locator(".game > .scoreboard .big_road g:has(> .ghost)").get_attribute("transform")
    cell = asked["big_road"]
    assert place == f"translate({(cell['column'] - 0.5) * 10:g} {(cell['row'] - 0.5) * 10:g})"
    screen.press("Enter")
    expect(ghosts).to_have_count(0)


def test_a_new_result_is_marked_as_new_once_its_cards_are_shown(house, open_screen):
    table, screen = played(house, open_screen, 2)
    expect(marks(screen, "bead_plate")).to_have_count(2)
    expect(screen.page.locator(".road-mark.new")).to_have_count(0)

    screen.place("banker", "5")
    screen.act("deal")
    house.settled(table, 3)

    expect(marks(screen, "bead_plate")).to_have_count(3)
    expect(screen.page.locator(".game > .scoreboard .bead_plate [data-number='3'] .new")).to_have_count(1)
    expect(screen.page.locator(".game > .scoreboard .bead_plate .new")).to_have_count(1)


def test_a_mark_shows_its_round_which_can_be_checked_there(house, open_screen):
    table, screen = played(house, open_screen, 3)
    second = house.http.get(f"/tables/{table}/rounds", params={"number": 2}).json()["items"][0]
    card = screen.page.get_by_role("dialog", name="Round of this mark")

    marks(screen, "bead_plate").nth(1).hover()
    expect(card).to_be_visible()
    expect(card).to_contain_text("Round 2")
    expect(card.locator(".round-card-hand.banker span").last).to_have_text(str(second["banker_hand"]["total"]))
    card.get_by_role("button", name="Check round 2").click()
    expect(card.locator(".check-line")).to_contain_text("Checked with the casino\u2019s own keys")
    screen.page.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_marks_are_reached_by_arrow_keys(house, open_screen):
    _, screen = played(house, open_screen, 3)
    expect(marks(screen, "bead_plate")).to_have_count(3)
    card = screen.page.get_by_role("dialog", name="Round of this mark")

    screen.page.get_by_role("group", name="Scoreboard").focus()
    screen.press("ArrowLeft")
    expect(card).to_contain_text("Round 3")
    screen.press("ArrowLeft")
    expect(card).to_contain_text("Round 2")
    screen.press("Escape")
    expect(card).to_be_hidden()


def test_on_a_phone_the_last_results_are_in_view_and_the_roads_one_swipe_away(house, open_screen):
    _, screen = played(house, open_screen, 3, width=390, height=844, has_touch=True)
    last = screen.page.locator(".game > .scoreboard .score-last .mark")

    expect(last).to_have_count(3)
    expect(last.last).to_be_in_viewport()
    big_road = screen.page.locator(".game > .scoreboard .road.big_road")
    expect(big_road).not_to_be_in_viewport()
    swipe(screen, ".score-track")
    expect(big_road).to_be_in_viewport()


def test_a_spectator_sees_a_round_but_no_link_to_a_proof_of_others(house, open_screen):
    table, _ = played(house, open_screen, 1)
    watcher = open_screen(table, viewport={"width": 1440, "height": 900})

    marks(watcher, "bead_plate").first.hover()
    card = watcher.page.get_by_role("dialog", name="Round of this mark")
    expect(card).to_contain_text("Its players can check it.")
    expect(card.get_by_role("link")).to_have_count(0)
