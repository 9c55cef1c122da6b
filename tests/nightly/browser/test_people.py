"""Players at a table to one another: names of those who show theirs, what they say, and who won."""

from typing import Any

from playwright.sync_api import expect

WIDE = {"viewport": {"width": 1440, "height": 900}}
PREFERENCES = {
    "sound": True,
    "voice": False,
    "animation": True,
    "full_screen": False,
    "instant": False,
    "style": "modern",
}


def show_nickname(house: Any, token: str) -> str:
    """Let a player show the nickname, and return it."""
    headers = {"Authorization": f"Bearer {token}"}
    answer = house.http.put("/preferences", json={**PREFERENCES, "show_nickname": True}, headers=headers)
    assert answer.is_success, answer.text
    return str(answer.json()["nickname"])


def test_the_chat_stands_beside_the_table_and_speaks_in_bubbles(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    tokens = house.company(table, 1, 2)
    name = show_nickname(house, tokens[0])
    ana, ben = (open_screen(table, token=token, **WIDE) for token in tokens)
    expect(ana.page.locator('button[data-panel="chat"]')).to_be_hidden()

    column = ana.page.get_by_role("region", name="Chat")
    column.get_by_label("Write to the table").fill("<b>Good luck</b>")
    column.get_by_role("button", name="Send").click()

    plates = ben.page.locator(".plate bdi.plate-name")
    expect(plates.first).to_have_text(name)
    expect(ana.page.locator(".plate .plate-name").nth(1)).to_have_text("Taken")
    bubble = ben.page.locator(".bubble")
    expect(bubble.locator("bdi").first).to_have_text(name)
    expect(bubble).to_have_text(f"{name} <b>Good luck</b>")
    line = ben.page.get_by_role("region", name="Chat").locator(".chat-line")
    expect(line.locator("bdi.chat-who")).to_have_text(name)
    expect(line.locator("p[dir=auto]")).to_have_text("<b>Good luck</b>")

    ben.page.get_by_role("region", name="Chat").get_by_label("Write to the table").fill("Thanks")
    ben.page.get_by_role("region", name="Chat").get_by_role("button", name="Send").click()
    expect(column.locator(".chat-line .chat-who").last).to_have_text("Seat 2")
    expect(ana.page.locator(".bubble").last).to_have_text("Seat 2 Thanks")


def test_winners_are_named_to_all_if_they_show_their_nickname_and_not_otherwise(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    tokens = house.company(table, 1, 2, 3)
    named = [show_nickname(house, token) for token in tokens[:2]]
    watcher = open_screen(table, **WIDE)
    for token, spot in zip(tokens, ("banker", "player", "tie"), strict=True):
        wager = {"stakes": [{"spot": spot, "amount": "10.00"}], "currency": "EUR"}
        house.post(f"/tables/{table}/deal", wager, token)
    outcome = house.settled(table, house.number(table) - 1)["outcome"]
    ticker = watcher.page.locator(".game > .scoreboard .score-ticker")

    expect(watcher.page.locator(".game > .scoreboard .score-sum.hands strong")).to_have_text("1")
    if outcome == "tie":
        expect(ticker).to_have_text("")
    else:
        winner = named[0 if outcome == "banker" else 1]
        expect(ticker).to_contain_text(f"{winner} wins")
        expect(ticker).not_to_contain_text(named[1 if outcome == "banker" else 0])
