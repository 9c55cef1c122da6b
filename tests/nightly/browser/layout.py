"""What overlaps, is cut off or is too small to hit on the table page, measured in the browser."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

MEASURE: Final = Path(__file__).with_name("faults.js").read_text()
"""An expression for a function, which the browser evaluates."""
LAID_OUT: Final = """async ([width, height]) => {
    const frame = () => new Promise(requestAnimationFrame);
    while (innerWidth !== width || innerHeight !== height) await frame();
    for (const _ of ["measured", "drawn", "measured again"]) await frame();
}"""

SIZES = {
    "desktop": [(2560, 1440), (1920, 1080), (1440, 900), (1280, 800), (1280, 720)],
    "tablet lying": [(1180, 820), (1024, 768)],
    "tablet upright": [(820, 1180), (768, 1024), (600, 960)],
    "phone upright": [(412, 915), (390, 844), (360, 640), (320, 568)],
    "phone lying": [(932, 430), (844, 390), (740, 360), (667, 375)],
    "small frame": [(320, 480), (480, 480)],
    "200 % zoom": [(720, 450), (640, 400)],
}


def faults(page: Page) -> list[str]:
    """List what overlaps something else, leaves its frame, is cut off or is smaller than a finger."""
    return list(page.evaluate(MEASURE))


def resize(page: Page, size: tuple[int, int]) -> None:
    """Resize the window and wait until the table is laid out for it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(LAID_OUT, list(size))
