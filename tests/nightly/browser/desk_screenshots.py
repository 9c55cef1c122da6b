"""Take pictures of every page of the admin on a desktop and on a phone: part of `make screenshots`.

The pictures go to build/screenshots/desk, which git ignores. None is compared: they are made to be looked at.
"""

import re
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from casino.devstack.system import Stack
from tests.nightly.bench.worker import Worker
from tests.nightly.browser.screenshots import FOLDER
from tests.programs import CHROMIUM

DESK: Final = FOLDER / "desk"
SIZES: Final = ((1440, 900), (390, 844))
PLAYERS: Final = 6
DAYS: Final = 7
Pages = dict[str, str]
"""Addresses by names."""


def furnish(house: Worker) -> Pages:
    """Let players of a sandbox pay and play, some of them as the risk rules don't like it."""
    places = house.run("seat", tables=PLAYERS, slug="north", money_type="real")
    house.run("write", places=places, rounds=3 * PLAYERS, days=DAYS, set_clock=False)
    house.run("report", slug="north")
    pages: Pages = house.run("addresses", days_ago=0)
    return pages


def hold(house: Worker, password: str) -> dict[str, Pages]:
    """Let a live operator begin beside it, for whose desk payments are held; return the pages of each role."""
    places = house.run("seat", tables=2, slug="west", money_type="real", sandbox=False)
    house.run("play", places=places, rounds=6)
    pages: dict[str, Pages] = house.run("hold", places=places, password=password)
    return pages


def sign_in(page: Page, stack: Stack, user: str, password: str) -> None:
    """Sign in as this member of staff."""
    page.goto(f"{stack.base_url}/admin/")
    page.locator('[name="username"]').fill(user)
    page.locator('[name="password"]').fill(password)
    page.locator('[type="submit"]').first.click()
    page.wait_for_url("**/admin/")


def photograph(browser: Browser, stack: Stack, user: str, password: str, pages: Pages) -> None:
    """Take pictures of these whole pages as a member of staff sees them, at each size."""
    for width, height in SIZES:
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        sign_in(page, stack, user, password)
        for name, path in pages.items():
            page.goto(f"{stack.base_url}{path}")
            file = f"{user}-{re.sub('[^a-z0-9]+', '-', name.lower())}-{width}.png"
            page.screenshot(path=DESK / file, full_page=True)


def main() -> None:
    """Take all pictures, whole pages."""
    DESK.mkdir(parents=True, exist_ok=True)
    with Stack(name="screenshots", fresh=True, demo=True) as stack, sync_playwright() as playwright:
        demo = stack.demo_login
        if demo is None:
            raise SystemExit("The pictures are taken on embedded servers.")
        log = stack.home.folder / "furnish.log"
        with Worker("house", environment=stack.environment, log=log) as house:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
            photograph(browser, stack, "admin", demo[0], furnish(house))
            for role, pages in hold(house, demo[0]).items():
                photograph(browser, stack, role, demo[0], pages)
            browser.close()


if __name__ == "__main__":
    main()
