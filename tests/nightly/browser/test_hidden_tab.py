"""A tab in the background: it draws nothing, misses nothing, and shows where the game is when it comes back."""

from playwright.sync_api import expect

from tests.processes import wait_until

COUNT_SHOWS = """() => {
    globalThis.shows = 0;
    const game = document.querySelector(".game");
    const count = () => { globalThis.shows += game.dataset.step === "closing"; };
    new MutationObserver(count).observe(game, { attributeFilter: ["data-step"] });
}"""


def test_a_tab_hidden_for_two_rounds_comes_back_to_the_game_as_it_is(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    ana, ben = house.company(table, 1, 2)
    screen = open_screen(table, token=ana, reduced_motion="no-preference")
    screen.usual = False
    screen.page.evaluate(COUNT_SHOWS)
    window = screen.page.context.new_cdp_session(screen.page)
    window.send("Page.setWebLifecycleState", {"state": "frozen"})
    for _ in range(2):
        number = house.number(table)
        for token in (ana, ben):
            stakes = [{"spot": "banker", "amount": "25.00"}]
            house.post(f"/tables/{table}/deal", {"stakes": stakes, "currency": "EUR"}, token)
        last = house.settled(table, number)
        assert wait_until(lambda: bool(house.get(f"/tables/{table}")["round"]))

    window.send("Page.setWebLifecycleState", {"state": "active"})
    screen.page.bring_to_front()

    screen.expect_round(last)
    player = next(each["player"] for each in house.get(f"/tables/{table}")["seats"] if each["seat"] == 1)
    balances = house.get(f"/players/{player}/balances")["items"]
    game = next(
        item["balance"]["amount"] for item in balances if item["account"] == "game" and item["money_type"] == "play"
    )
    expect(screen.balance).to_have_text(f"€{float(game):,.2f}")
    expect(screen.page.locator(".message")).to_have_text("Place your bets")
    assert screen.page.evaluate("globalThis.shows") <= 1, "only the last round may still be shown"
