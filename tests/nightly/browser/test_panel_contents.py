"""What the table page tells beside the game: shuffles and past rounds, chat, statistics, preferences, first steps."""

from playwright.sync_api import expect

from tests.processes import wait_until
from tests.system.browser.screen import TIMEOUT


def test_players_contribute_to_the_shuffle_and_verify_the_round_afterwards(stack, house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    panel = screen.open("fair")
    expect(panel.locator(".fair-now")).to_contain_text("Your browser drew")
    commitment = panel.locator("section", has_text="Shoe of round 2, next").locator(".hash").first.text_content()
    panel.get_by_label("Add something of your own").fill("lucky seven")
    panel.get_by_role("button", name="Add it").click()
    expect(panel.get_by_role("status")).to_have_text("Added. The last one counts.")

    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.expect_round(first)
    assert first["contributions"] == [], "its cut was closed before"
    panel.locator("summary", has_text="Shoe of round 1").click()
    expect(panel.locator(".facts")).to_contain_text([first["seed"]])
    screen.act("rebetDeal")
    second = house.settled(table, 2)
    (own,) = second["contributions"]
    assert (own["seat"], own["contribution"]) == (1, b"lucky seven".hex())
    assert own["public_key"].startswith("01"), "signed by the page"
    assert second["commitment"] == commitment, "published before the first bet"
    screen.act("rebetDeal")
    third = house.settled(table, 3)
    assert len(bytes.fromhex(third["contributions"][0]["contribution"])) == 16, "random bytes drawn by the browser"

    stack.manage("checkpoint")
    panel = screen.open("history")
    panel.get_by_role("button", name="Check round 1", exact=True).click()
    expect(panel.locator(".check-line:visible")).to_contain_text(
        "Checked with the casino\u2019s own keys", timeout=TIMEOUT
    )


def test_a_past_round_is_replayed(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.expect_round(first)
    screen.act("rebetDeal")
    screen.expect_round(house.settled(table, 2))

    screen.open("history").get_by_role("button", name="Replay round 1").click()

    screen.expect_round(first)
    expect(screen.page.locator(".message")).to_have_text("A round that was played before")
    screen.page.get_by_role("button", name="Back to the game").click()
    screen.expect_round(house.settled(table, 2))


VOID = """
from baccarat.services import voiding
from baccarat.storage.models import Round
from casino.events.store import Metadata
from casino.operators import changes

round_ = Round.objects.get(pk="{round}")
asking = Metadata(operator=str(round_.operator_id), actor="staff:1", causation="", correlation="")
waits = voiding.void(round_=round_.pk, operator=round_.operator_id, reason="malfunction", note="Jam", metadata=asking)
changes.confirm(waits.pk, by="staff:2")
"""
"""Voids a round that was settled, by two persons, in a process of its own."""


def test_a_round_that_is_voided_after_it_was_paid_is_told_at_the_table_and_in_the_history(stack, house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    tokens = house.company(table, 1, 2)
    wager = {"stakes": [{"spot": "tie", "amount": "10.00"}], "currency": "EUR"}
    number = house.number(table)
    house.post(f"/tables/{table}/deal", wager, tokens[0])
    house.post(f"/tables/{table}/pass", {}, tokens[1])
    round_ = house.settled(table, number)
    player, other = (open_screen(table, token=token) for token in tokens)
    player.expect_round(round_)

    stack.manage("shell", "-c", VOID.format(round=round_["id"]))

    player.expect_notice(f"Round {number} was voided: your bets in it do not count.")
    other.expect_notice(f"Round {number} was voided. All of it has been undone.")
    expect(player.page.locator(".hands .card.shown")).to_have_count(0)
    line = player.open("history").locator(".round-line").first
    expect(line.locator(".round-score")).to_contain_text("voided")
    expect(line.locator(".net")).to_have_count(0)
    expect(line.get_by_role("button", name=f"Replay round {number}")).to_have_count(0)


def test_chat_messages_are_shown_as_text_and_can_be_reported(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    narrow = {"viewport": {"width": 1100, "height": 800}}
    ana, ben = (open_screen(table, token=token, **narrow) for token in house.company(table, 1, 2))
    text = '<img src=x onerror="document.title=1"><b>hello</b>'
    panel = ana.open("chat")
    panel.get_by_label("Write to the table").fill(text)
    panel.get_by_role("button", name="Send").click()
    expect(panel.locator(".chat-line p")).to_have_text(text)

    button = ben.page.locator('button[data-panel="chat"]')
    expect(button).to_have_attribute("data-unread", "", timeout=TIMEOUT)
    panel = ben.open("chat")
    expect(panel.locator(".chat-line p")).to_have_text(text)
    expect(panel.locator(".chat-line").locator("img, b")).to_have_count(0)
    expect(ben.page).to_have_title("Baccarat")
    panel.get_by_role("button", name="Report what Seat 1 wrote").click()
    ben.expect_notice("A moderator will look at it")
    ben.page.get_by_role("button", name="Seat 1: Taken betting (Report this player)").click()
    panel.get_by_label("Something else").check()
    panel.get_by_role("button", name="Send the report").click()
    expect(panel.get_by_role("alert")).to_have_text("Say in a few words what happened.")
    panel.get_by_label("In your own words").fill("Reads my cards aloud")
    panel.get_by_role("button", name="Send the report").click()
    expect(panel).to_contain_text("Your report about seat 1 was sent.")
    panel.get_by_role("button", name="Back to the table").click()
    panel = ben.open("chat")
    panel.get_by_role("button", name="Close the chat").click()
    expect(panel.get_by_label("Write to the table")).to_be_hidden()
    panel.get_by_role("button", name="Open the chat again").click()
    expect(panel.get_by_label("Write to the table")).to_be_visible()


def test_statistics_show_columns_totals_and_roads(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    outcome = house.settled(table, 1)["outcome"]
    panel = screen.open("stats")

    expect(panel.locator(".letter")).to_have_text({"banker": "B", "player": "P", "tie": "\u2013"}[outcome])
    expect(panel.locator(".score-sum.hands dd")).to_have_text("1")
    expect(panel.locator(".road")).to_have_count(5)
    screen.press("Escape")
    screen.act("rebetDeal")
    screen.expect_round(house.settled(table, 2))
    expect(screen.open("stats").locator(".score-sum.hands dd")).to_have_text("2")


def test_preferences_are_stored_and_animation_changes_at_the_next_entry(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    panel = screen.open("options")
    panel.get_by_label("Classic").check()
    panel.get_by_role("switch", name="Instant dealing").check()
    panel.get_by_role("switch", name="Animation").uncheck()
    root = screen.page.locator("html")
    expect(root).to_have_attribute("data-style", "classic")
    expect(root).to_have_attribute("data-animated", "true")

    screen.page.locator(".to-lobby").click()
    screen.page.go_back()

    expect(screen.page.locator(".board")).to_be_visible(timeout=TIMEOUT)
    expect(root).to_have_attribute("data-animated", "false")
    panel = screen.open("options")
    expect(panel.get_by_label("Classic")).to_be_checked(timeout=TIMEOUT)
    expect(panel.get_by_role("switch", name="Instant dealing")).to_be_checked()
    expect(panel.get_by_role("switch", name="Animation")).not_to_be_checked()


def test_a_first_bet_is_explained_in_three_steps_once(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.page.evaluate("localStorage.removeItem('casino.local')")
    screen.page.reload()

    screen.expect_notice("step 1 of 3: choose a chip")
    screen.choose("5")
    screen.expect_notice("Step 2 of 3: put it on Player, Tie or Banker")
    screen.spot("banker").click()
    screen.expect_notice("Step 3 of 3: press Deal")
    screen.act("deal")
    house.settled(table, 1)
    screen.act("rebet")
    expect(screen.chips_on("banker")).to_have_text("5")

    expect(screen.notice.filter(has_text="of 3")).to_have_count(0)


def test_sounds_wait_for_a_gesture_and_are_muted_in_the_header_and_stay_so(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.page.evaluate(
        "() => { window.played = 0; const start = AudioBufferSourceNode.prototype.start;"
        " AudioBufferSourceNode.prototype.start = function () { window.played += 1; start.call(this); } }"
    )
    assert screen.page.evaluate("window.played") == 0

    screen.place("banker", "5")
    assert wait_until(lambda: screen.page.evaluate("window.played") > 0)
    screen.answered()
    mute = screen.page.locator('[data-switch="sound"]')
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "false")
    played = screen.page.evaluate("window.played")
    screen.place("banker", "5")
    expect(screen.chips_on("banker")).to_have_text("10")
    assert screen.page.evaluate("window.played") == played

    screen.page.reload()
    expect(mute).to_have_attribute("aria-pressed", "false", timeout=TIMEOUT)
