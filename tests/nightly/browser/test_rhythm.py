"""The rhythm of play: while a round is shown nothing counts down, and the next turn begins whole."""

from playwright.sync_api import expect

SHOW, LONG_SHOW = 6_000, 60_000
TURN_SECONDS = 60
LEAST_LEFT = 50
"""Seconds of the turn that must be left when the page opens it, with room for a busy machine."""

RECORD = """() => {
    const states = globalThis.states = new Map();
    const game = document.querySelector(".game");
    const text = (selector) => document.querySelector(selector).textContent;
    const enabled = (name) => !document.querySelector(`[data-act="${name}"]`).disabled;
    const look = () => {
        if (!game.isConnected) return;  // the window was given to the next test
        const { step } = game.dataset;
        const timer = document.querySelector(".timer").hasAttribute("data-on");
        const buttons = { rebet: enabled("rebet"), rebetDeal: enabled("rebetDeal") };
        const state = { step, message: text(".message"), timer, ...buttons };
        const key = JSON.stringify(state);
        if (!states.has(key)) states.set(key, { ...state, left: Number(text(".timer-text")) });
        requestAnimationFrame(look);
    };
    look();
}"""


def play_one_round(house, open_screen, *, milliseconds):
    """Let two players deal, record what the first one sees until the next round is open, and return it."""
    show = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), milliseconds)
    table = house.table("atlantic_city", turn_seconds=TURN_SECONDS, show_milliseconds=show)
    tokens = house.company(table, 2, 4)
    ana = open_screen(table, token=tokens[0], reduced_motion="no-preference")
    house.post(f"/tables/{table}/deal", {"stakes": [{"spot": "tie", "amount": "5.00"}], "currency": "EUR"}, tokens[1])
    ana.place("banker", "25")
    ana.page.evaluate(RECORD)
    ana.act("deal")
    expect(ana.page.locator('.game[data-step="called"]')).to_be_attached()
    return table, tokens, ana


def test_what_is_shown_never_contradicts_itself_and_the_next_turn_begins_whole(house, open_screen):
    _, _, ana = play_one_round(house, open_screen, milliseconds=SHOW)
    expect(ana.page.locator(".message")).to_have_text("Place your bets", timeout=4 * SHOW)
    states = ana.page.evaluate("[...globalThis.states.values()]")

    shown = [state for state in states if state["step"] != "over"]
    assert {"closing", "dealing", "called", "paid"} <= {state["step"] for state in shown}
    assert not any(state["timer"] for state in shown), "nothing counts down while a round is shown"
    assert not any(state["rebet"] or state["rebetDeal"] for state in shown), "no button of the next turn is live"
    opened = next(state for state in states if state["message"] == "Place your bets" and state["rebet"])
    assert opened["timer"]
    assert opened["left"] >= LEAST_LEFT


def test_the_show_is_skipped_when_all_who_sit_at_the_table_ask(house, open_screen):
    table, tokens, ana = play_one_round(house, open_screen, milliseconds=LONG_SHOW)
    house.post(f"/tables/{table}/skip-show", {}, tokens[1])

    ana.act("skip")

    expect(ana.button("rebet")).to_be_enabled()
    expect(ana.page.locator(".message")).to_have_text("Place your bets")
    assert house.get(f"/tables/{table}")["round"]["phase"] == "betting"
