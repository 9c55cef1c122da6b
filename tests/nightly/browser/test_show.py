"""No preset tells any result early, whatever is dealt, and each place that holds something back is needed."""

import contextlib
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from tests.system.browser.house import House
from tests.system.browser.show import SHOW_MILLISECONDS, Told, Visit, framing_page, serving, told_apart, visit

PANELS = {"overview": "history", "classic": "limit", "atlantic_city": "cash", "mini": "stats", "big_table": "chat"}
"""The presets, and the panel that is opened during their shows."""
COMPANY = {"atlantic_city", "big_table"}
AMPLE = dict.fromkeys(SHOW_MILLISECONDS, 20_000)
"""So long that the page keeps its pace whenever it hears of the round."""
DEALS = {
    "player by a natural": ("4s", "4h", "5c", "2d"),
    "banker by a natural": ("4s", "4h", "2d", "5c"),
    "tie by naturals": ("4s", "4h", "5c", "5d"),
    "player by a third card": ("4s", "4h", "Kd", "Ac", "5h", "Kc"),
    "banker by a third card": ("4s", "4h", "Kd", "Kc", "2h", "5s"),
    "tie by a third card": ("4s", "4h", "Kd", "Ac", "Ah"),
    "player without either": ("4s", "4h", "3d", "2c"),
}
"""Cards that begin with the same two: until the third is turned, all must be the same."""
BANKER_BY_THIRD_CARD = DEALS["banker by a third card"]
BEFORE = ("€1,000.00", "€900.00", "1000.00", "900.00")
Arrive = Callable[..., Visit]


@dataclass(frozen=True)
class Reverted:
    """One place of the page that holds something back, put back to what it was before."""

    module: str
    changes: tuple[tuple[str, str], ...]
    tells: str
    panel: str | None = None
    buy_in: str = "1000.00"
    spot: str = "banker"
    preset: str = "big_table"
    cards: tuple[str, ...] | None = BANKER_BY_THIRD_CARD


REVERTED = {
    "balance": Reverted("view/show", (("...balanceBefore(state, before, round), ", ""),), "balance"),
    "markers in the rack": Reverted(
        "view/show",
        (
            (
                ASIDE := "commission_set_aside: aside.get(seat.seat) ?? seat.commission_set_aside",
                "commission_set_aside: seat.commission_set_aside",
            ),
        ),
        "aside",
    ),
    "plates of other seats": Reverted(
        "view/show",
        ((ASIDE, "commission_set_aside: seat.you ? '0.00' : seat.commission_set_aside"),),
        "plates",
    ),
    "cards out": Reverted("view/show", (("CALLED.has(step) ? state.shoe : before.shoe", "state.shoe"),), "facts"),
    "low balance": Reverted("view/show", ((", low_balance: null }", " }"),), "notices", buy_in="100.00", spot="player"),
    "history": Reverted(
        "panels/history",
        (("round.ended_at && !game?.show.hides(round)", "round.ended_at"),),
        "history",
        panel="history",
    ),
    "ticker": Reverted(
        "view/scoreboard", ((HELD := "updates.lastRound || show.round)", "updates.lastRound)"),), "scoreboard"
    ),
    "roads and statistics": Reverted(
        "view/scoreboard",
        (
            (HELD, "updates.lastRound)"),
            ("import { NoResponse,", "import { get, NoResponse,"),
            ("this.game.show.get(", "get("),
        ),
        "scoreboard",
        preset="mini",
        cards=None,
    ),
    "words": Reverted(
        "view/rounds", ((RUN := "await game.animation.run(round, { instant,", f"this.call(round); {RUN}"),), "words"
    ),
    "spoken words": Reverted("view/rounds", ((RUN, f"game.sound.say('Banker wins'); {RUN}"),), "spoken"),
    "the round's end": Reverted(
        "view/game", (("this.show.settled().then(() => tell(", "Promise.resolve().then(() => tell("),), "round.settled"
    ),
    "balances": Reverted("view/game", (("    await this.show.settled();\n", ""),), "balance.changed"),
    "places of third cards": Reverted(
        "view/hands", (("[0, 1, 2].map((i)", "cards.map((_, i)"),), "places", cards=DEALS["banker by a natural"]
    ),
    "time and result": Reverted(
        "panels/responsible_gaming",
        (("whenLoaded(host.read(", "whenLoaded(get("),),
        "panel",
        panel="limit",
    ),
    "faces of cards": Reverted("view/squeeze", (("if (share > 0 && !flap", "if (!flap"),), "faces"),
}


@pytest.fixture(scope="module")
def arrive(house: House, browser: Browser) -> Generator[Arrive]:
    """Return `arrive(preset)`, which seats a visitor who squeezes, beside a player who is named where there is a seat.

    `reverted` serves the page with one place put back.
    """
    with serving(house) as site, contextlib.ExitStack() as ends:

        def seat(preset: str, reverted: Reverted | None = None, *, buy_in: str = "1000.00") -> Visit:
            ends.close()
            page = ends.enter_context(framing_page(site, browser))
            rules: dict[str, Any] = {"turn_seconds": 60} if preset in COMPANY else {}
            table = house.table(preset, show_milliseconds=AMPLE, **rules)
            if reverted:
                page.route(re.compile(rf"/{reverted.module}\b[^/]*\.js$"), lambda route: put_back(route, reverted))
            shown = visit(house, site, page, table, buy_in=buy_in, company=preset in COMPANY)
            squeeze = shown.frame.locator('[data-switch="squeeze"]')
            if squeeze.get_attribute("aria-pressed") == "false":
                squeeze.click()
            return shown

        yield seat


def put_back(route: Route, reverted: Reverted) -> None:
    """Serve a module with its changes. Where a line is not there any more, nothing is told early: the test fails."""
    answer = route.fetch()
    text = answer.text()
    for old, new in reverted.changes:
        text = text.replace(old, new)
    route.fulfill(response=answer, body=text)


def play(shown: Visit, cards: tuple[str, ...] | None, *, spot: str = "banker", panel: str | None = None) -> Told:
    """Play a round, with these cards if any, and return what was told."""
    if cards:
        shown.choose(*cards)
    shown.bet(spot)
    shown.deal(panel=panel)
    return shown.told()


@pytest.mark.parametrize("preset", PANELS)
def test_whatever_is_dealt_all_that_is_told_is_the_same_until_the_cards_differ(arrive: Arrive, preset: str) -> None:
    shows = {name: play(arrive(preset), cards, panel=PANELS[preset]) for name, cards in DEALS.items()}

    early = {name: told.early(*BEFORE) for name, told in shows.items()}
    assert {name: found for name, found in early.items() if found} == {}
    assert told_apart(shows, by=3) == {}
    assert told_apart(shows, by=4), "what the last cards change is told"


@pytest.mark.parametrize("name", REVERTED)
def test_each_place_that_holds_something_back_is_needed(arrive: Arrive, name: str) -> None:
    reverted = REVERTED[name]
    shown = arrive(reverted.preset, reverted, buy_in=reverted.buy_in)

    told = play(shown, reverted.cards, spot=reverted.spot, panel=reverted.panel)

    assert reverted.tells in [found.partition(":")[0] for found in told.early(*BEFORE, "€100.00", "€0.00")]
