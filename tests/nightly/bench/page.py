"""How long scripts of the page keep a frame while a round is dealt, on a phone: Chromium with its CPU slowed down.

The page of a real system deals rounds with its animation, and Chromium's trace says when its main thread ran scripts.
What counts is the sum within one frame: of more than 16 ms a player sees a frame left out.
"""

import contextlib
import json
import os
from collections.abc import Generator, Iterable
from typing import Any, Final
from unittest.mock import patch

from playwright.sync_api import Browser, Page, sync_playwright

from casino.devstack.bots.house import new_operator
from casino.devstack.errors import DevstackError
from casino.devstack.system import Stack
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured, percentile
from tests.nightly.bench.plan import Plan
from tests.programs import CHROMIUM
from tests.system.browser.house import House

TARGET = 16.0
"""Milliseconds of script in the worst frame of a deal."""

SLOWER = 4
"""So many times slower than this machine: about a phone of the middle price."""

PHONE: Final[Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "locale": "en-GB"}
CATEGORIES: Final = ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"]
SCRIPT: Final = {"FunctionCall", "EvaluateScript", "RunMicrotasks", "FireAnimationFrame", "TimerFire", "EventDispatch"}
FRAME: Final = "BeginMainThreadFrame"
PERIOD: Final = 1_000_000 / 60
"""Microseconds of a frame; where nothing moves Chromium begins none, and scripts far apart keep none together."""
SHOW: Final = 30_000
END_OF_SHOW: Final = """(milliseconds) => {
    globalThis.shown = new Promise((resolve, reject) => {
        let begun = false;
        const game = document.querySelector(".game");
        new MutationObserver((_, observer) => {
            begun ||= game.dataset.step === "dealing";
            if (!begun || game.dataset.step !== "over") return;
            observer.disconnect();
            resolve();
        }).observe(game, { attributeFilter: ["data-step"] });
        setTimeout(() => reject(new Error("the show did not end")), milliseconds);
    });
}"""
"""Waits for the end of the next show by one observer: looking again and again would itself be script in many frames."""


def measure(plan: Plan) -> list[Measured]:
    """Measure the worst frame of each deal; nothing without Chromium. Raises DevstackError."""
    if CHROMIUM is None:
        return []
    with plan.migrated("page") as database, _running(plan, database) as house, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        deals = _deals(browser, house, plan.size.repeats)
        browser.close()
    frames = [frame for deal in deals for frame in deal]
    return [
        Measured(
            name="page",
            unit="ms of script in the worst frame",
            ours=tuple(max(deal) for deal in deals),
            target=TARGET,
            target_is_most=True,
            details={
                "p50 ms": round(percentile(frames, 0.5), 2),
                "p99 ms": round(percentile(frames, 0.99), 2),
                "frames": len(frames),
                "frames over the target": sum(frame > TARGET for frame in frames),
            },
            notes=(f"a deal at 390x844 with the CPU {SLOWER} times slower, from Chromium's trace",),
        )
    ]


@contextlib.contextmanager
def _running(plan: Plan, database: Database) -> Generator[House]:
    """Run a whole system on a database, with a home and a folder for checkpoints of its own."""
    own = {
        "CASINO_HOME": str(plan.folder),
        "DATABASE_WEB_URL": database.url,
        "CHECKPOINT_STORAGE": (plan.folder / "checkpoints").as_uri(),
    }
    with (
        patch.dict(os.environ, {**database.environment, **own}),
        Stack(name="bench", print_line=lambda _: None) as stack,
        contextlib.closing(House(stack.base_url, new_operator(stack, "page"))) as house,
    ):
        yield house


def _deals(browser: Browser, house: House, count: int) -> list[list[float]]:
    """Deal a round that is not measured, in which the engine compiles the page, and then so many others."""
    table = house.table("mini")
    page = browser.new_page(**PHONE)
    page.set_default_timeout(SHOW)
    page.goto(f"{house.base_url}/play/#token={house.seated(table, 1)}&table={table}")
    page.locator(".board").wait_for()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.keyboard.press("b")
    _deal(page, "Enter")
    deals = []
    for _ in range(count):
        browser.start_tracing(page=page, categories=CATEGORIES)
        _deal(page, "r")
        deals.append(frames_of(json.loads(browser.stop_tracing())["traceEvents"]))
    return deals


def _deal(page: Page, key: str) -> None:
    """Press the key that deals, and wait until the round's show is over."""
    page.evaluate(END_OF_SHOW, SHOW)
    page.keyboard.press(key)
    page.evaluate("shown")


def frames_of(events: Iterable[dict[str, Any]]) -> list[float]:
    """Return the milliseconds of script in each frame of the page's main thread. Raises DevstackError without frames.

    A script that another one called is counted once. The thread's own time is what counts where the trace has it, so
    that other work on the machine does not.
    """
    timed = [event for event in events if event["name"] in SCRIPT | {FRAME}]
    threads = [(event["pid"], event["tid"]) for event in timed if event["name"] == FRAME]
    if not threads:
        raise DevstackError("Chromium's trace holds no frame.")
    main = max(set(threads), key=threads.count)
    frames, begun, until = [0.0], 0.0, 0.0
    for event in sorted((each for each in timed if (each["pid"], each["tid"]) == main), key=lambda each: each["ts"]):
        if event["name"] == FRAME or event["ts"] >= max(begun + PERIOD, until):
            frames.append(0.0)
            begun = event["ts"]
        if event["name"] != FRAME and event["ts"] >= until:
            frames[-1] += event.get("tdur", event.get("dur", 0)) / 1000
            until = event["ts"] + event.get("dur", 0)
    return frames
