"""A table in the page of an operator, and everything that it tells of a round from before the deal, by when."""

import contextlib
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from playwright.sync_api import Browser, Frame, Page, expect

from casino.devstack.site import Site, running_site
from tests.processes import wait_until
from tests.system.browser.house import CURRENCY, House
from tests.system.browser.screen import DESKTOP, TIMEOUT

SHOW_MILLISECONDS = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), 8_000)
FRAME_MILLISECONDS = 200
"""A step is seen in the page's next frame, which a busy machine draws late."""

STEPS = ("dealing", "called", "collecting", "paying", "paid", "over")
RELEASED = {
    "facts": "called",
    "title": "called",
    "words": "called",
    "spoken": "called",
    "places": "called",
    "balance": "paid",
    "aside": "paid",
    "plates": "paid",
    "faces": "over",
    "account": "over",
    "panel": "over",
    "notices": "over",
    "position": "over",
    "scoreboard": "over",
    "history": "over",
    "round.settled": "over",
    "balance.changed": "over",
    "funds.short": "over",
}
"""From which step on each may follow the result; the last ones are messages to the page that frames the table."""
HARMLESS = frozenset({"0", "6", "No more bets"})
"""Places for cards without and with a round, cards that can be seen through their backs, and what is said first."""

SIT = """async ([table, body]) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const { command } = await import(loaded.find((name) => /core\\/api[^/]*js$/.test(name)));
    await command(`tables/${table}/seat`, body);
}"""
PREFERENCES = {"sound": False, "voice": True, "animation": True, "full_screen": False, "instant": False}
RECEIVE = """() => {
    window.received = [];
    const at = () => performance.timeOrigin + performance.now();
    addEventListener("message", ({ data: { type, data } }) => {
        const game = (data.balances ?? []).find((each) => each.account === "game");
        received.push({ at: at(), part: type, value: game?.balance.amount ?? type });
    });
}"""
DRAWN = """async () => {
    for (let frames = 0; frames < 10; frames++) await new Promise(requestAnimationFrame);
}"""
"""Waits for the parts of the page that are drawn in later frames."""
RECORD = r"""() => {
    const game = document.querySelector(".game");
    const outcome = /wins|set aside|[+\u2212-]€|Tie,|Tie at|all at/;
    const all = (selector) => [...document.querySelectorAll(selector)];
    const html = (selector) => all(selector).map((each) => each.outerHTML).join("");
    const text = (selector) => all(selector).map((each) => each.textContent).join();
    const widths = (selector) => all(selector).map((each) => each.getBoundingClientRect().width);
    const parts = {
        facts: () => html(".table-facts"),
        title: () => document.title,
        places: () => String(all(".hands .card").length),
        faces: () => String(all(".card:not(.shown, [data-folded]) .card-face").length),
        balance: () => text("#game-balance"),
        account: () => text("#account-balance"),
        aside: () => html(".aside, .balance-aside"),
        plates: () => html(".plate[data-aside]"),
        panel: () => (text(".panel").match(/[+\u2212-]€[\d.,]+/g) ?? []).join(),
        notices: () => html(".notice.warning"),
        position: () => text(".position-net"),
        scoreboard: () => html(".game > .scoreboard") + widths(".game > .scoreboard *"),
        history: () => html(".round-line"),
    };
    const told = globalThis.told = { steps: [], values: [], turned: [], everything: {} };
    const at = () => performance.timeOrigin + performance.now();
    const last = {};
    const tell = (part, value) => {
        if (last[part] === value) return;
        last[part] = value;
        told.values.push({ at: at(), part, value });
    };
    const waiting = /as soon as the witness answers/; // as long as it takes, whatever is dealt
    const named = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\b[\d:]+:\d\d\b|Player \d+/g;
    const note = (element, what) => {
        if (element === document.documentElement || element.closest?.(".timer") || waiting.test(what)) return;
        const value = `${element.localName}.${element.className} ${what}`.replace(named, "…");
        told.everything[value] ??= at();
    };
    const look = () => {
        if (told.steps.at(-1)?.step !== game.dataset.step) told.steps.push({ at: at(), step: game.dataset.step });
        for (const [part, read] of Object.entries(parts)) tell(part, read());
    };
    look();
    new MutationObserver((changes) => {
        while (told.turned.length < all(".hands .card.shown").length) told.turned.push(at());
        for (const { type, target, attributeName } of changes) {
            const value = type === "attributes" ? target.getAttribute(attributeName) : target.textContent;
            if (!target.closest?.(".spots, .board, .panel") && outcome.test(value ?? "")) tell("words", value);
            note(type === "characterData" ? target.parentElement ?? target : target, `${attributeName ?? ""} ${value}`);
        }
        look();
    }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    speechSynthesis.speak = ({ text }) => tell("spoken", text);
    const peel = new KeyboardEvent("keydown", { key: "Enter", bubbles: true });
    setInterval(() => document.querySelector(".last-card .card.squeeze")?.dispatchEvent(peel), 100);
}"""


@dataclass(frozen=True, slots=True)
class Told:
    """What a page told, and when each step of the show began and each card was turned."""

    steps: list[tuple[str, float]]
    values: list[dict[str, Any]]
    turned: list[float]
    everything: dict[str, float]

    def began(self, step: str) -> float:
        """When a step began, or a later one if it was too short to be seen; over is what comes last."""
        begun = next(at for name, at in self.steps if name == "closing")
        last = STEPS[STEPS.index(step) :]
        return next(at for name, at in self.steps if name in last and at > begun)

    def early(self, *harmless: str) -> list[str]:
        """Name the parts that followed the result before its step, but for values that are harmless."""
        first: dict[str, str] = {}
        found = []
        for each in self.values:
            changes = each["part"] in {"words", "spoken"} or "." in each["part"]
            expected = first.setdefault(each["part"], "" if changes else each["value"])
            before = each["at"] < self.began(RELEASED[each["part"]]) - FRAME_MILLISECONDS
            if before and each["value"] not in {expected, *HARMLESS, *harmless}:
                found.append(f"{each['part']}: {each['value'][:200]}")
        return found

    def by(self, cards: int) -> set[str]:
        """Return everything that was told before so many cards were turned."""
        return {what for what, at in self.everything.items() if at < self.turned[cards - 1]}


def told_apart(shows: Mapping[str, Told], *, by: int) -> dict[str, set[str]]:
    """Return what only some of the shows told before so many cards were turned, of all that they told."""
    common = set.intersection(*(set(show.everything) for show in shows.values()))
    return {name: apart for name, show in shows.items() if (apart := show.by(by) - common)}


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor of an operator's site at a table in its frame, and the token of another player there."""

    house: House
    page: Page
    frame: Frame
    table: str
    other: str | None = None

    def choose(self, *cards: str) -> None:
        """Choose the cards of the next round, in deal order."""
        assert wait_until(self.has_round), "no round opens"
        self.house.post(f"/tables/{self.table}/forced-cards", {"cards": list(cards)})
        expect(self.frame.locator(".notice.warning")).to_contain_text("its cards were chosen", timeout=TIMEOUT)

    def has_round(self) -> bool:
        """Return whether cards can be chosen: a new shoe waits for its witnesses' links, and no round opens before."""
        state = self.house.get(f"/tables/{self.table}")
        return state["rules"]["turn_seconds"] is None or state["round"] is not None

    def bet(self, spot: str = "banker", chip: str = "100.00") -> None:
        """Place a chip, and record everything from now on."""
        self.frame.locator(f'.chip-button[data-chip="{chip}"]').click()
        self.frame.locator(f'button.spot.mine[data-spot="{spot}"]').click()
        expect(self.frame.locator(".felt[data-waiting]")).to_have_count(0)
        expect(self.frame.locator(".score-status")).not_to_have_text("One moment …")
        expect(self.frame.locator("#game-balance")).to_contain_text("€")
        self.frame.evaluate(DRAWN)
        self.frame.evaluate(RECORD)
        self.page.evaluate("received.length = 0")

    def deal(self, *, panel: str | None = None) -> None:
        """Deal, after the other player has bet on Banker, and open a panel when the first card comes."""
        if self.other:
            wager = {"stakes": [{"spot": "banker", "amount": "100.00"}], "currency": CURRENCY}
            self.house.post(f"/tables/{self.table}/deal", wager, self.other)
        self.frame.locator('[data-act="deal"]').click()
        self.frame.locator('.game[data-step="dealing"]').wait_for()
        if panel:
            self.frame.locator(f'button[data-panel="{panel}"]').dispatch_event("click")

    def told(self) -> Told:
        """Wait for the end of the show, and return what was told."""
        recorded: dict[str, Any] = {}

        def is_over() -> bool:
            recorded.update(self.frame.evaluate("globalThis.told"))
            steps = [each["step"] for each in recorded["steps"]]
            heard = [each["part"] for each in self.page.evaluate("received")]
            return "closing" in steps and steps[-1] == "over" and "round.settled" in heard

        assert wait_until(is_over), "the show has no end"
        heard = [each for each in self.page.evaluate("received") if each["part"] in RELEASED]
        return Told(
            steps=[(each["step"], each["at"]) for each in recorded["steps"]],
            values=[*recorded["values"], *heard],
            turned=recorded["turned"],
            everything=recorded["everything"],
        )


@contextlib.contextmanager
def serving(house: House) -> Generator[Site]:
    """Serve the site of a house's operator."""
    credential = house.http.headers["Authorization"].removeprefix("Bearer ")
    with running_site(service=house.base_url, credential=credential) as site:
        site.register_origin()
        yield site


@contextlib.contextmanager
def framing_page(site: Site, browser: Browser) -> Generator[Page]:
    """Open a site in a browser that knows nobody, in a page that records what it is told."""
    with contextlib.closing(browser.new_context(locale="en-GB", viewport=DESKTOP)) as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(site.origin)
        page.evaluate(RECEIVE)
        yield page


def visit(house: House, site: Site, page: Page, table: str, *, buy_in: str = "1000.00", company: bool = False) -> Visit:
    """Seat a new visitor, who hears the calls, at a table in the frame, optionally beside a player who is named."""
    other = house.seated(table, 2) if company else None
    site.player = {"reference": uuid4().hex, "nickname": "Visitor"}
    visitor = house.post("/players", site.player)["id"]
    money = {"amount": "5000.00", "currency": CURRENCY, "money_type": "real"}
    house.post(f"/players/{visitor}/sandbox-credits", money)
    token = house.post(f"/players/{visitor}/sessions", {})["token"]
    prefer(house, token, PREFERENCES)
    body = json.dumps({"table": table})
    page.route(f"{site.origin}/launch", lambda route: route.continue_(post_data=body), times=1)
    page.get_by_role("button", name="Launch").click()
    game = page.frame_locator("iframe").locator(f'.game[data-table="{table}"]')
    expect(game.locator(".board")).to_be_visible(timeout=TIMEOUT)
    frame = page.frames[1]
    frame.evaluate(SIT, [table, {"seat": 1, "buy_in": buy_in, "currency": CURRENCY, "money_type": "real"}])
    expect(game.locator("button.spot.mine")).to_have_count(3, timeout=TIMEOUT)
    if other:
        prefer(house, other, {"show_nickname": True})
        house.post(f"/tables/{table}/pass", {}, other)  # the round that it opened alone
        expect(game.locator("button.spot.mine:not([aria-disabled])")).to_have_count(3, timeout=TIMEOUT)
    return Visit(house, page, frame, table, other)


def prefer(house: House, token: str, preferences: Mapping[str, bool]) -> None:
    """Set the preferences of the player with this token."""
    headers = {"Authorization": f"Bearer {token}"}
    body = {**PREFERENCES, "style": "modern", "show_nickname": False, **preferences}
    answer = house.http.put("/preferences", json=body, headers=headers)
    assert answer.is_success, answer.text
