"""Records what a table tells of a result, by the step of its show, from before the deal."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Frame, Page

from tests.processes import wait_until

SHOW_MILLISECONDS = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), 8_000)
FRAME_MILLISECONDS = 200
"""A step is seen in the page's next frame, which a busy machine draws late."""

RELEASED = {
    "facts": "called",
    "title": "called",
    "words": "called",
    "balance": "paid",
    "aside": "paid",
    "plates": "paid",
    "notices": "over",
    "scoreboard": "over",
    "history": "over",
}
"""From which step on each may follow the result."""

RECORD = r"""() => {
    const game = document.querySelector(".game");
    const outcome = /wins|set aside|[+\u2212-]€|Tie,|Tie at|all at/;
    const html = (selector) => [...document.querySelectorAll(selector)].map((each) => each.outerHTML).join("");
    const width = (each) => each.getBoundingClientRect().width;
    const widths = (selector) => [...document.querySelectorAll(selector)].map(width);
    const parts = {
        facts: () => html(".table-facts"),
        title: () => document.title,
        balance: () => document.querySelector("#game-balance").textContent,
        aside: () => html(".aside, .balance-aside"),
        plates: () => html(".plate[data-aside]"),
        notices: () => html(".notice.warning"),
        scoreboard: () => html(".scoreboard") + widths(".scoreboard *"),
        history: () => html(".round-line"),
    };
    const told = globalThis.told = { steps: [], values: [] };
    const at = () => performance.timeOrigin + performance.now();
    const last = {};
    const tell = (part, value) => {
        if (last[part] === value) return;
        last[part] = value;
        told.values.push({ at: at(), part, value });
    };
    const look = () => {
        if (told.steps.at(-1)?.step !== game.dataset.step) told.steps.push({ at: at(), step: game.dataset.step });
        for (const [part, read] of Object.entries(parts)) tell(part, read());
    };
    look();
    new MutationObserver((changes) => {
        for (const { type, target, attributeName } of changes) {
            const value = type === "attributes" ? target.getAttribute(attributeName) : target.textContent;
            if (!target.closest?.(".spots, .board, .panel") && outcome.test(value ?? "")) tell("words", value);
        }
        look();
    }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
}"""


@dataclass(frozen=True, slots=True)
class Told:
    """What a page told, and when each step of the show began."""

    steps: list[tuple[str, float]]
    values: list[dict[str, Any]]

    def began(self, step: str) -> float:
        """When a step began; the show is over when it ends after it has begun."""
        begun = next(at for name, at in self.steps if name == "closing")
        return next(at for name, at in self.steps if name == step and at > begun)

    def early(self, *harmless: str) -> list[str]:
        """Name the parts that followed the result before its step, but for values that are harmless."""
        first: dict[str, str] = {}
        found = []
        for each in self.values:
            expected = first.setdefault(each["part"], "" if each["part"] == "words" else each["value"])
            before = each["at"] < self.began(RELEASED[each["part"]]) - FRAME_MILLISECONDS
            if before and each["value"] not in {expected, *harmless}:
                found.append(f"{each['part']}: {each['value'][:200]}")
        return found


def record(page: Page | Frame) -> None:
    """Record from now on."""
    page.evaluate(RECORD)


def told(page: Page | Frame) -> Told:
    """Wait for the end of the show, and return what was recorded."""
    recorded: dict[str, Any] = {}

    def is_over() -> bool:
        recorded.update(page.evaluate("globalThis.told"))
        steps = [each["step"] for each in recorded["steps"]]
        return "closing" in steps and steps[-1] == "over"

    assert wait_until(is_over), "the show has no end"
    return Told(steps=[(each["step"], each["at"]) for each in recorded["steps"]], values=recorded["values"])
