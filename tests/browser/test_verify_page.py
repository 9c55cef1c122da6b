"""The page that verifies a round in the browser. It needs no service, so none is started."""

import mimetypes
from collections.abc import Generator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.http import HttpResponse
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect

from baccarat.proofs import verifier
from baccarat.web import views
from casino.devstack.home import PROJECT
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, encode, golden

HOST = "http://localhost:9"
"""An address without a server: the tests answer every request, with the service's security policy."""
STATIC = PROJECT / "baccarat" / "web" / "static"
CHECK_ALL = """async ([files, key]) => {
  const { verify } = await import("/static/play/verify/checks.js");
  const verdicts = {};
  for (const [name, text] of Object.entries(files)) {
    const { verdict, checks } = await verify(new TextEncoder().encode(text), { trusted: [key] });
    verdicts[name] = [verdict, Object.fromEntries(checks.map((check) => [check.name, check.verdict]))];
  }
  return verdicts;
}"""
"""Calls the page's module on each file, without drawing."""


def answer(route: Route) -> None:
    """Answer a request for the page or one of its files, as the service does."""
    path = route.request.url.removeprefix(HOST).split("?")[0]
    headers = dict(views.add_security_policy(HttpResponse()).items())
    if path == "/play/verify/":
        body = render_to_string("play/verify.html", {"languages": views.LANGUAGES})
        route.fulfill(status=200, headers={**headers, "Content-Type": "text/html"}, body=body)
        return
    file = STATIC / path.removeprefix("/static/")
    assert file.is_file(), path
    kind = mimetypes.guess_type(file.name)[0] or "text/plain"
    route.fulfill(status=200, headers={**headers, "Content-Type": kind}, body=file.read_bytes())


@pytest.fixture(scope="module")
def page(browser: Browser) -> Generator[Page]:
    """Open the page, and assert at the end that it logged no error."""
    context = browser.new_context(locale="en-GB", viewport={"width": 390, "height": 844})
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/*", answer)
    page.goto(f"{HOST}/play/verify/")
    page.get_by_label("public key").fill(golden("mini")["keys"][0]["public_key"])
    yield page
    assert errors == []
    context.close()


def verify_on_page(page: Page, raw: bytes, name: str) -> tuple[str, dict[str, str]]:
    """Return the page's verdict on a file, and that of each check."""
    page.locator("#file").set_input_files({"name": name, "mimeType": "application/json", "buffer": raw})
    verdict = page.locator(".verify-about", has_text=name).locator("xpath=preceding-sibling::*[@data-verdict]")
    verdict.wait_for()
    steps: dict[str, str] = page.evaluate(
        "Object.fromEntries(Array.from(document.querySelectorAll('[data-check]'),"
        " (step) => [step.dataset.check, step.dataset.verdict]))"
    )
    return str(verdict.get_attribute("data-verdict")), steps


def verify_with_python(raw: bytes) -> tuple[str, dict[str, str]]:
    result: dict[str, Any] = verifier.verify(raw, [golden("mini")["keys"][0]["public_key"]])
    return result["verdict"], {check["name"]: check["verdict"] for check in result["checks"]}


def test_the_page_and_the_verifier_agree_on_every_exported_and_forged_file(page: Page):
    files = {file.name: file.read_bytes() for file in sorted(GOLDEN.rglob("*.json"))}
    forged = {each.name: each.raw() for each in FORGERIES}
    texts = {name: raw.decode() for name, raw in {**files, **forged}.items()}

    verdicts: dict[str, Any] = page.evaluate(CHECK_ALL, [texts, golden("mini")["keys"][0]["public_key"]])

    assert {name: (verdict, steps) for name, (verdict, steps) in verdicts.items()} == {
        name: verify_with_python(raw) for name, raw in {**files, **forged}.items()
    }
    assert {verdicts[name][0] for name in forged} == {"failed"}


def test_a_verified_round_shows_its_cards_and_a_forged_one_what_was_expected(page: Page):
    document = golden("mini")
    verify_on_page(page, encode(document), "mine.json")

    expect(page.locator(".verify-verdict.verified")).to_be_visible()
    expect(page.locator(".verify-hands .card")).to_have_count(len(document["round"]["cards"]))
    expect(page.locator("[data-check=commission]")).to_contain_text("€0.00 in all")

    document["shoe"]["seed"] = "ab" * 32
    verify_on_page(page, encode(document), "forged.json")

    step = page.locator("[data-check=commitment]")
    expect(step).to_contain_text("The seed differs from the revealed one.")
    expect(step.locator("dd").nth(1)).to_have_text("ab" * 32)
    expect(page.locator(".verify-verdict.failed")).to_contain_text("The commitment to the shoe")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_verdict_of_either_kind_is_accessible_in_both_themes(page: Page, theme: str):
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    document = golden("mini")
    for name in ("mine.json", "forged.json"):
        verify_on_page(page, encode(document), f"{theme}-{name}")
        result = Axe().run(page, options={"resultTypes": ["violations"]})
        assert result.violations_count == 0, result.generate_report()
        document["shoe"]["seed"] = "ab" * 32


def test_the_page_is_translated_and_usable_by_keyboard(page: Page):
    verify_on_page(page, encode(golden("overview")), "meine.json")
    page.get_by_label("Language").select_option("de")

    expect(page.get_by_role("heading", level=1)).to_have_text("Eine Runde prüfen")
    expect(page.locator(".verify-verdict")).to_contain_text("Bestätigt")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "file"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "key"
    page.get_by_label("Sprache").select_option("en")
