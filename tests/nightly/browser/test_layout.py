"""The table at every size: nothing overlaps, nothing is cut off, everything can be hit with a finger."""

import functools
import itertools
import tomllib

import pytest
from playwright.sync_api import expect

from baccarat.web.views import LANGUAGES as FILES
from casino.devstack.home import PROJECT
from tests.nightly.browser.layout import MEASURE, SIZES, faults, resize
from tests.processes import wait_until

LANGUAGES = sorted({language for language, *_ in FILES} - {"en"})
SPEAK = """async (language) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const messages = await import(loaded.find((name) => /messages\\/index[^/]*js$/.test(name)));
    await messages.loadLanguage(language);
    document.dispatchEvent(new Event("casino:language"));
}"""
"""Changes the language of the page, as the options and a site around it do."""
BUY_IN = "4000.00"
BIGGEST = {
    "atlantic_city": {"player": "300.00", "tie": "31.00", "banker": "125.00"},
    "overview": {"player": "131.00", "tie": "5.00", "banker": "300.00"},
    "mini": {"player": "131.00", "tie": "5.00", "banker": "300.00"},
    "classic": {"banker": "131.00"},
    "big_table": {"player": "1025.00", "tie": "25.00", "banker": "125.00"},
}
"""Stakes with the tallest towers and the longest sums of each preset."""
*SPOTS, SIDE_BET = tomllib.loads((PROJECT / "tests/support/lucky_nine.toml").read_text())["spots"]
WITH_SIDE_BET = [*SPOTS, {**SIDE_BET, "needs": [], "minimum": None, "maximum": None}]
SMALL = {"spot": "banker", "amount": "25.00", "currency": "EUR"}
SEATS = {"atlantic_city": 5, "overview": 1, "mini": 1, "classic": 1, "big_table": 14}
WITH_TURNS = {"atlantic_city": {"turn_seconds": 600}, "big_table": {"turn_seconds": 600, "caller": False}}
ROW = 82
"""Pixels of a header whose buttons have a name above or under them."""
ALL_ICONS = 520
MARGIN = 40
MAX_ROUNDS = 40
"""Rounds within which both hands draw a third card; the probability that none does is below 1 in 10,000."""


MEASURE_STEPS = """() => {
    globalThis.found = {};
    const game = document.querySelector(".game");
    const measure = () => { globalThis.found[game.dataset.step] = globalThis.listFaults(); };
    new MutationObserver(measure).observe(game, { attributeFilter: ["data-step"] });
}"""

HEADER = [".header", ".player-name", ".header button", ".corner-button, .to-more"]
BOXES = """(selectors) => selectors.map((selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility()).map((element) => element.getBoundingClientRect().toJSON()))"""
"""Lists the boxes of all visible elements of each selector."""

WATCH_SLIDES = """() => {
    const middle = (element) => {
        const box = element.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = middle(document.querySelector(".shoe-card"));
    globalThis.ways = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...how) {
        const animation = animate.apply(this, how);
        if (!this.matches(".hands .card")) return animation;
        animation.pause();
        animation.currentTime = 0;
        const [left, top] = middle(this);
        ways.push(Math.hypot(left - x, top - y));
        animation.play();
        return animation;
    };
}"""
"""Measures how far from the shoe each card is at the first moment of its way."""

SPOIL_AND_MEASURE = f"""() => {{
    const find = (selector) => document.querySelector(selector);
    find(".plate").style = find(".circle[data-spot=tie]").style.cssText;
    find(".plate-name").textContent = "A very long name for a seat";
    Object.assign(find('[data-act="deal"]').style, {{ blockSize: "20px", minBlockSize: "20px" }});
    return ({MEASURE.strip()})();
}}"""
"""Spoils and measures at once: the page may draw itself again at any time."""


def seat_all(house, preset, *, side):
    """Open a table, seat a player at each of its seats, and return the table and the tokens."""
    table = house.table(preset, **WITH_TURNS.get(preset, {}), **({"spots": WITH_SIDE_BET} if side else {}))
    return table, house.company(table, *range(1, SEATS[preset] + 1), buy_in=BUY_IN)


def place_all(house, table, tokens, preset, *, side):
    """Place chips on every spot of every seat, whatever lay there."""
    stakes = BIGGEST[preset] | ({SIDE_BET["name"]: "25.00"} if side and preset != "classic" else {})
    for token in tokens:
        if house.get(f"/tables/{table}")["round"]:
            house.post(f"/tables/{table}/clear", {}, token)
        for spot, amount in stakes.items():
            house.post(f"/tables/{table}/place", {"spot": spot, "amount": amount, "currency": "EUR"}, token)


def deal_six_cards(house, table, tokens, preset):
    """Play rounds until both hands have three cards; only the last seat bets, for the others it would take long."""
    *others, last = tokens
    for _ in range(MAX_ROUNDS):
        assert wait_until(lambda: SEATS[preset] == 1 or bool(house.get(f"/tables/{table}")["round"]))
        house.post(f"/tables/{table}/place", SMALL, last)
        number = house.number(table)
        for token in others:
            house.post(f"/tables/{table}/pass", {}, token)
        house.post(f"/tables/{table}/deal", {}, last)
        if len(house.settled(table, number)["cards"]) == 6:
            return
    raise AssertionError("the hands never had six cards")


@pytest.fixture(scope="module")
def full_table(house):
    """Return `full_table(preset)`: a table with a player at each seat, whose last round has six cards, and the tokens.

    It is made once, because six cards take some rounds. `side` adds a side bet to its spots.
    """

    @functools.cache
    def make(preset, *, side=False):
        table, tokens = seat_all(house, preset, side=side)
        deal_six_cards(house, table, tokens, preset)
        return table, tokens

    return make


@pytest.mark.parametrize("side", [False, True], ids=["three spots", "a side bet more"])
@pytest.mark.parametrize("preset", SEATS)
def test_nothing_overlaps_or_is_cut_at_any_size(house, full_table, open_screen, preset, side):
    table, tokens = full_table(preset, side=side)
    assert wait_until(lambda: SEATS[preset] == 1 or bool(house.get(f"/tables/{table}")["round"]))
    place_all(house, table, tokens, preset, side=side)
    found = {}

    for seat in sorted({1, len(tokens) // 2 + 1, len(tokens)}):
        screen = open_screen(table, token=tokens[seat - 1])
        expect(screen.page.locator(".hands .card.shown")).to_have_count(6)
        expect(screen.bet).not_to_have_text("€0.00")
        for name, sizes in SIZES.items():
            for size in sizes:
                resize(screen.page, size)
                found[seat, name, size] = faults(screen.page)

    assert not any(found.values()), {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_each_card_comes_from_the_shoe(full_table, open_screen, size):
    table, tokens = full_table("mini")
    view = {"width": size[0], "height": size[1]}
    screen = open_screen(table, token=tokens[0], viewport=view, reduced_motion="no-preference")
    expect(screen.page.locator(".hands .card.shown")).to_have_count(6)
    screen.open("history").get_by_role("button", name="Replay").first.wait_for()
    screen.page.evaluate(WATCH_SLIDES)

    screen.page.get_by_role("button", name="Replay").first.click()
    screen.page.locator('.game[data-step="called"]').wait_for()

    ways = screen.page.evaluate("ways")
    assert len(ways) == 6
    assert max(ways) < 2, ways


def test_nothing_overlaps_or_is_cut_from_right_to_left(full_table, open_screen):
    table, tokens = full_table("atlantic_city")
    screen = open_screen(table, token=tokens[1])
    expect(screen.page.locator(".hands .card.shown")).to_have_count(6)
    screen.page.evaluate("document.documentElement.dir = 'rtl'")
    found = {}

    for name, sizes in SIZES.items():
        resize(screen.page, sizes[-1])
        found[name] = faults(screen.page)
    resize(screen.page, (1280, 800))
    lobby, bar = (screen.page.locator(part).bounding_box() for part in (".to-lobby", ".actions"))
    screen.page.evaluate("document.documentElement.dir = 'ltr'")

    assert not any(found.values()), {where: what for where, what in found.items() if what}
    assert lobby["x"] > 640 > bar["x"], "the page is mirrored"


def test_the_header_is_one_row_with_the_icons_in_the_top_right_corner(house, open_screen):
    screen = open_screen(house.table("atlantic_city", turn_seconds=600), 1)
    found = {}

    for width, height in itertools.chain(*SIZES.values()):
        resize(screen.page, (width, height))
        [header], names, buttons, icons = screen.page.evaluate(BOXES, HEADER)
        middles = [box["y"] + box["height"] / 2 for box in buttons]
        found[width, height] = [
            *(["higher than a row"] if header["height"] > ROW or max(middles) - min(middles) > ROW / 3 else []),
            *([] if names else ["the player is not named"]),
            *(["fewer icons than fit"] if len(icons) < (5 if width >= ALL_ICONS else 3) else []),
            *(["away from the corner"] if max(box["x"] + box["width"] for box in icons) < width - MARGIN else []),
            *(["left of something else"] if min(box["x"] for box in icons) < width / 2 - MARGIN else []),
        ]

    assert not any(found.values()), {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("seats", ["taken", "free"])
def test_no_words_are_cut_in_any_language(house, full_table, open_screen, seats):
    table, tokens = full_table("atlantic_city")
    full = seats == "taken"
    screen = open_screen(table, token=tokens[1]) if full else open_screen(house.table("atlantic_city"), 2)
    found = {}

    for language in LANGUAGES:
        screen.page.evaluate(SPEAK, language)
        expect(screen.page.locator("html")).to_have_attribute("lang", language)
        expect(screen.page.locator(".hands .card.shown")).to_have_count(6 if full else 0)
        for name, sizes in SIZES.items():
            resize(screen.page, sizes[-1])
            wait_until(lambda: not faults(screen.page), seconds=2)  # the language has loaded the table again
            found[language, name] = faults(screen.page)
    screen.page.evaluate(SPEAK, "en")

    assert not any(found.values()), {where: what for where, what in found.items() if what}


def test_the_call_and_the_winnings_have_their_own_place(house, open_screen):
    show = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), 60_000)
    table = house.table("atlantic_city", turn_seconds=600, show_milliseconds=show)
    tokens = house.company(table, 1, 2, 3, 4, 5, buy_in=BUY_IN)
    place_all(house, table, tokens, "atlantic_city", side=False)
    screens = []
    for token, (width, height) in zip(tokens, ((1280, 800), (1024, 768), (320, 480)), strict=False):
        view = {"width": width, "height": height}
        screens.append(open_screen(table, token=token, viewport=view, reduced_motion="no-preference"))
        screens[-1].page.evaluate(f"globalThis.listFaults = {MEASURE}")
        screens[-1].page.evaluate(MEASURE_STEPS)
    number = house.number(table)
    for token in tokens:
        house.post(f"/tables/{table}/deal", {}, token)
    house.settled(table, number)

    for screen in screens:
        assert wait_until(lambda page=screen.page: page.evaluate("'over' in globalThis.found"))
        found = screen.page.evaluate("globalThis.found")
        assert {"dealing", "called", "paying", "paid", "over"} <= found.keys()
        assert not any(found.values()), found


ON_THE_RESULT = """() => {
    const boxes = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility())
        .map((each) => [each, each.getBoundingClientRect()]);
    const result = boxes(".hand-name, .total, .call, .hands .card");
    const found = result.length < 9 ? ["no result is shown"] : [];
    for (const [notice, a] of boxes(".notice")) {
        for (const [element, b] of result) {
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (across > 1 && down > 1) found.push(`"${notice.textContent}" lies on ${element.className}`);
        }
    }
    const funds = document.querySelector('.notice[data-key="funds"]');
    const { left, top, right, bottom } = funds.getBoundingClientRect();
    for (const [x, y] of [[left + 9, top + 9], [(left + right) / 2, (top + bottom) / 2], [right - 9, bottom - 9]]) {
        if (!funds.contains(document.elementFromPoint(x, y))) found.push(`the low balance is hidden at ${x} ${y}`);
    }
    return found;
}"""


def test_notices_lie_on_no_call_total_or_card_and_none_hides_the_low_balance(house, open_screen):
    for _ in range(MAX_ROUNDS):  # a tie returns the last chips
        table = house.table("mini")
        screen = open_screen(table, token=house.seated(table, 1, "6.00"))
        screen.place("tie", "5")
        screen.act("deal")
        if house.settled(table, 1)["outcome"] != "tie":
            break
    screen.expect_notice("under the table's minimum")
    found = {}

    for count in range(3):
        for size in ((1440, 900), (1024, 768), (844, 390), (390, 844)):
            resize(screen.page, size)
            found[count, size] = screen.page.evaluate(ON_THE_RESULT)
        resize(screen.page, (1280, 800))
        if count == 0:
            screen.set_network(offline=True)
            screen.expect_notice("Reconnecting")
        if count == 1:
            screen.page.locator(".to-sound").click()
            screen.expect_notice("The service does not answer")

    assert not any(found.values()), {where: what for where, what in found.items() if what}


def test_at_a_table_for_one_the_roads_have_the_room_of_the_chat(house, open_screen):
    alone, company = (open_screen(house.table(preset), 1) for preset in ("mini", "atlantic_city"))
    for screen in (alone, company):
        resize(screen.page, (1440, 900))

    roads = alone.page.locator(".game > .scoreboard .road")
    expect(roads).to_have_count(5)
    cells = roads.evaluate_all("all => all.map((road) => road.getBoundingClientRect().height / 6)")
    assert min(cells) >= 10, cells
    expect(alone.page.get_by_role("region", name="Chat")).to_have_count(0)
    expect(company.page.get_by_role("region", name="Chat")).to_be_visible()
    alone.open("chat").get_by_label("Write to the table").wait_for()
    alone.press("Escape")


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768)])
def test_bubbles_stand_beside_plates_and_hide_no_spot(house, open_screen, size):
    table = house.table("atlantic_city", turn_seconds=600)
    tokens = house.company(table, 1, 2, 3, 4, 5)
    screen = open_screen(table, token=tokens[2])
    resize(screen.page, size)
    for token in tokens:
        house.post(f"/tables/{table}/chat", {"text": "Good luck to everybody at this table"}, token)
    expect(screen.page.locator(".bubble").filter(has_text="Good luck")).to_have_count(5)

    bubbles, taken = screen.page.evaluate(BOXES, [".bubble", ".circle, .plate, .hand-name, .call"])
    assert [(a, b) for a in bubbles for b in taken if _overlap(a, b)] == []
    expect(screen.page.locator(".bubble", has_text="You")).to_have_count(1)


def _overlap(a, b):
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"]) > 1
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 1
    )


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_bet_stands_below_the_players_name_and_the_chosen_chip_is_raised_with_its_mark_below_it(
    house, open_screen, size
):
    screen = open_screen(house.table("mini"), 1)
    resize(screen.page, size)
    screen.choose("25")
    [name], [bet], [chosen], others = screen.page.evaluate(
        BOXES, [".player-name", ".bet", '.chip-button[aria-pressed="true"]', '.chip-button[aria-pressed="false"]']
    )
    mark = "getComputedStyle(document.querySelector('.chip-button[aria-pressed=true]'), '::after')"

    assert name["bottom"] <= bet["top"] + 1
    assert name["left"] < bet["right"]
    assert name["right"] > bet["left"]
    assert all(chosen["top"] < other["top"] for other in others)
    assert screen.page.evaluate(f"parseFloat({mark}.top)") >= chosen["height"]


def test_the_measurement_finds_an_overlap_a_cut_text_and_a_small_target(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    resize(screen.page, (1280, 800))
    assert faults(screen.page) == []
    screen.place("tie", "5")
    expect(screen.page.locator(".circle[data-spot=tie] .stack")).to_be_visible()

    found = "\n".join(screen.page.evaluate(SPOIL_AND_MEASURE))

    assert "overlaps seat plate" in found
    assert "is cut by" in found
    assert "is only" in found
