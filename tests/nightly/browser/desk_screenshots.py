"""Take pictures of every page of the admin on a desktop and on a phone: part of `make screenshots`.

The pictures go to build/screenshots/desk, which git ignores. None is compared: they are made to be looked at.
"""

import re
from typing import Final

from playwright.sync_api import Page, sync_playwright

from casino.devstack.system import Stack
from tests.nightly.bench.worker import Worker
from tests.nightly.browser.screenshots import FOLDER
from tests.programs import CHROMIUM

DESK: Final = FOLDER / "desk"
SIZES: Final = ((1440, 900), (390, 844))
PLAYERS: Final = 6
DAYS: Final = 7


def furnish(stack: Stack) -> dict[str, str]:
    """Let players pay and play, some of them as the risk rules don't like it; return the addresses of all pages."""
    with Worker("house", environment=stack.environment, log=stack.home.folder / "furnish.log") as house:
        places = house.run("seat", tables=PLAYERS, slug="north", money_type="real")
        house.run("write", places=places, rounds=3 * PLAYERS, days=DAYS, set_clock=False)
        house.run("report", slug="north")
        addresses: dict[str, str] = house.run("addresses")
        return addresses


def sign_in(page: Page, stack: Stack, password: str) -> None:
    """Sign in as the superuser."""
    page.goto(f"{stack.base_url}/admin/")
    page.locator('[name="username"]').fill("admin")
    page.locator('[name="password"]').fill(password)
    page.locator('[type="submit"]').first.click()
    page.wait_for_url("**/admin/")


def main() -> None:
    """Take all pictures, whole pages."""
    DESK.mkdir(parents=True, exist_ok=True)
    with Stack(name="screenshots", fresh=True) as stack, sync_playwright() as playwright:
        demo = stack.create_demo_data()
        if demo is None:
            raise SystemExit("The pictures are taken on embedded servers.")
        addresses = furnish(stack)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        for width, height in SIZES:
            page = browser.new_context(viewport={"width": width, "height": height}).new_page()
            sign_in(page, stack, demo[0])
            for name, path in addresses.items():
                page.goto(f"{stack.base_url}{path}")
                file = f"{re.sub('[^a-z0-9]+', '-', name.lower())}-{width}.png"
                page.screenshot(path=DESK / file, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
