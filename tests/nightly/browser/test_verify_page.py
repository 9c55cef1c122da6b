"""The page that verifies a round: whom it names, its themes, languages and keyboard."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.baccarat.proofs.forging import COSIGNER, encode, golden, witness_keys
from tests.baccarat.proofs.test_verdicts import LOG, with_caveats
from tests.system.browser.test_verify_page import verify_on_page, verify_page  # noqa: F401  (the fixture `page`)


def test_the_page_names_who_has_cosigned_and_what_a_reader_has_to_know(page: Page):
    field = page.get_by_label("public key")
    before, document = field.input_value(), with_caveats()["after_release"]
    field.fill(" ".join([LOG, *witness_keys(document)]))
    verify_on_page(page, encode(document), "voided.json")
    verdict = page.locator(".verify-verdict")
    expect(verdict).to_contain_text(f"Cosigned by {COSIGNER.name} (2027-01-15T08:00:00Z).")
    expect(verdict.locator("[data-caveat=after_release]")).to_be_visible()
    field.fill(LOG)
    verify_on_page(page, encode({**document, "events": document["events"]}), "untrusted.json")
    expect(verdict).not_to_contain_text("Cosigned by")
    field.fill(before)


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
    expect(page.locator(".verify-verdict")).to_contain_text("Nicht gegengezeichnet")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "file"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "key"
    page.get_by_label("Sprache").select_option("en")
