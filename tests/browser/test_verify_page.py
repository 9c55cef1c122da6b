"""The page that checks a round in the browser: it needs no service, so none is started for it."""

import mimetypes
from collections.abc import Generator
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect

from baccarat.proofs import verifier
from baccarat.web import views
from casino.devstack.home import PROJECT
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, golden, written

HOST = "http://localhost:9"
"""Where nobody listens: every answer is given here, with the policy that the service gives."""
STATIC = PROJECT / "baccarat" / "web" / "static"
CHECK_ALL = """async ([files, key]) => {
  const { verify } = await import("/static/play/verify/checks.js");
  const said = {};
  for (const [name, text] of Object.entries(files)) {
    const { verdict, checks } = await verify(new TextEncoder().encode(text), { trusted: [key] });
    said[name] = [verdict, Object.fromEntries(checks.map((check) => [check.name, check.verdict]))];
  }
  return said;
}"""
"""The page's own module on one file after another, without drawing each."""


def answer(route: Route) -> None:
    """The page and its files, as the service answers them."""
    path = route.request.url.removeprefix(HOST).split("?")[0]
    headers = {"Content-Security-Policy": views.CONTENT_SECURITY_POLICY}
    if path == "/play/verify/":
        body = render_to_string("play/verify.html")
        route.fulfill(status=200, headers={**headers, "Content-Type": "text/html"}, body=body)
        return
    file = STATIC / path.removeprefix("/static/")
    assert file.is_file(), path
    kind = mimetypes.guess_type(file.name)[0] or "text/plain"
    route.fulfill(status=200, headers={**headers, "Content-Type": kind}, body=file.read_bytes())


@pytest.fixture(scope="module")
def page(browser: Browser) -> Generator[Page]:
    """The page, in which nothing may go wrong unseen."""
    context = browser.new_context(locale="en-GB", viewport={"width": 390, "height": 844})
    shown = context.new_page()
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.route("**/*", answer)
    shown.goto(f"{HOST}/play/verify/")
    shown.get_by_label("public key").fill(golden("mini")["keys"][0]["public"])
    yield shown
    assert said == []
    context.close()


def shown_for(page: Page, raw: bytes, name: str) -> tuple[str, dict[str, str]]:
    """What the page says of a file: its verdict, and that of each step."""
    page.locator("#file").set_input_files({"name": name, "mimeType": "application/json", "buffer": raw})
    verdict = page.locator(".verify-about", has_text=name).locator("xpath=preceding-sibling::*[@data-verdict]")
    verdict.wait_for()
    steps: dict[str, str] = page.evaluate(
        "Object.fromEntries(Array.from(document.querySelectorAll('[data-check]'),"
        " (step) => [step.dataset.check, step.dataset.verdict]))"
    )
    return str(verdict.get_attribute("data-verdict")), steps


def as_the_verifier_says(raw: bytes) -> tuple[str, dict[str, str]]:
    result: dict[str, Any] = verifier.verify(raw, [golden("mini")["keys"][0]["public"]])
    return result["verdict"], {check["name"]: check["verdict"] for check in result["checks"]}


def test_the_page_and_the_verifier_say_the_same_of_every_file_exported_or_forged(page: Page):
    files = {file.name: file.read_bytes() for file in sorted(GOLDEN.rglob("*.json"))}
    forged = {each.name: each.raw() for each in FORGERIES}
    given = {name: raw.decode() for name, raw in {**files, **forged}.items()}

    said: dict[str, Any] = page.evaluate(CHECK_ALL, [given, golden("mini")["keys"][0]["public"]])

    assert {name: (verdict, steps) for name, (verdict, steps) in said.items()} == {
        name: as_the_verifier_says(raw) for name, raw in {**files, **forged}.items()
    }
    assert {said[name][0] for name in forged} == {"failed"}


def test_a_verified_round_shows_its_cards_and_a_forged_one_what_was_expected(page: Page):
    document = golden("mini")
    shown_for(page, written(document), "mine.json")

    expect(page.locator(".verify-verdict.verified")).to_be_visible()
    expect(page.locator(".verify-hands .card")).to_have_count(len(document["round"]["cards"]))
    expect(page.locator("[data-check=commission]")).to_contain_text("€0.00 in all")

    document["shoe"]["seed"] = "ab" * 32
    shown_for(page, written(document), "forged.json")

    step = page.locator("[data-check=commitment]")
    expect(step).to_contain_text("The seed is not the one that was revealed.")
    expect(step.locator("dd").nth(1)).to_have_text("ab" * 32)
    expect(page.locator(".verify-verdict.failed")).to_contain_text("The commitment to the shoe")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_speaks_german_and_is_worked_by_keyboard(page: Page):
    shown_for(page, written(golden("overview")), "meine.json")
    page.get_by_label("Language").select_option("de")

    expect(page.get_by_role("heading", level=1)).to_have_text("Eine Runde prüfen")
    expect(page.locator(".verify-verdict")).to_contain_text("Bestätigt")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "file"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "key"
    page.get_by_label("Sprache").select_option("en")


def test_every_word_of_the_page_is_there_in_both_languages(page: Page):
    words = page.evaluate(
        "Promise.all(['en', 'de'].map(async (code) => (await import(`/static/play/verify/words-${code}.js`)).default))"
    )

    english, german = words
    assert english.keys() == german.keys()
    for key in english:
        assert blanks(english[key]) == blanks(german[key]), key


def blanks(sentence: str) -> list[str]:
    return sorted(part.split("}")[0] for part in sentence.split("{")[1:])
