"""States that no words tell are told by more than their colour."""

import pytest

from tests.system.browser.screen import TIMEOUT

APART = """([selector, attribute, one, other]) => {
    const colours = /color|background|shadow|filter|^fill$|^stroke$|^transition|^animation/;
    const look = (element) => ["", "::before", "::after"].map((part) => {
        const style = getComputedStyle(element, part);
        const names = [...style].filter((name) => !colours.test(name) && !name.startsWith("--"));
        return names.map((name) => `${name}: ${style.getPropertyValue(name)}`);
    });
    const element = document.querySelector(selector);
    const all = [element, ...element.querySelectorAll("*")];
    const put = (value) => value === null ? element.removeAttribute(attribute) : element.setAttribute(attribute, value);
    const kept = element.getAttribute(attribute);
    const [a, b] = [one, other].map((value) => { put(value); return JSON.stringify(all.map(look)); });
    put(kept);
    return a !== b;
}"""
"""Whether an element with one or another value of an attribute looks different without its colours."""
PRESSED = ("aria-pressed", "true", "false")
AT_THE_TABLE = {
    "a switch of the game": ('.corner-button[data-switch="instant"]', *PRESSED),
    "the chosen chip": (".chip-button", *PRESSED),
    "an asked road": (".score-ask", *PRESSED),
    "a lost connection": (".connection", "data-connection", "offline", "streaming"),
    "the last seconds": (".timer", "data-late", "", None),
    "an unread panel": (".menu .to-chat", "data-unread", "", None),
    "a check that failed": (".check-line", "data-tick", "failed", "proven"),
    "a check that waits": (".check-line", "data-tick", "waiting", "proven"),
}


@pytest.mark.parametrize("style", ["modern", "classic"])
def test_states_at_the_table_are_told_without_colour(house, open_screen, style):
    screen = open_screen(house.table("atlantic_city", turn_seconds=600), 1)
    screen.page.evaluate(
        """style => {
        document.documentElement.dataset.style = style;
        const line = document.querySelector(".game").appendChild(document.createElement("p"));
        line.className = "check-line";
    }""",
        style,
    )
    same = {name for name, what in AT_THE_TABLE.items() if not screen.page.evaluate(APART, [*what])}
    plain = screen.page.evaluate(APART, [".plate", "data-status", "confirmed", "deciding"])  # words tell it
    screen.page.locator("p.check-line").evaluate("line => line.remove()")

    assert same == set()
    assert not plain, "the measurement sees colours"


def test_filters_of_the_lobby_are_told_without_colour(house, open_screen):
    screen = open_screen(house.table("mini"))
    screen.page.locator(".to-lobby").click()
    screen.page.locator(".filter").first.wait_for(timeout=TIMEOUT)
    assert screen.page.evaluate(APART, [".filter", *PRESSED])
