"""The page that verifies a round in the browser. It needs no service, so none is started."""

import json
import mimetypes
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect

from baccarat.proofs import verifier
from baccarat.web import views
from casino.devstack.home import PROJECT
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, encode, event, golden, witness_keys
from tests.baccarat.proofs.test_verdicts import LOG, with_caveats

HOST = "http://localhost:9"
"""An address without a server: the tests answer every request, with the service's security policy."""
STATIC = PROJECT / "baccarat" / "web" / "static"
CHECK_ALL = """async (files) => {
  const { verify } = await import("/static/play/verify/checks.js");
  const verdicts = {};
  for (const [name, [text, trusted]] of Object.entries(files)) {
    const { verdict, checks, asOf, caveats } = await verify(new TextEncoder().encode(text), { trusted });
    const results = Object.fromEntries(checks.map((check) => [check.name, check.verdict]));
    verdicts[name] = [verdict, results, asOf?.cosignedBy ?? [], caveats.map((caveat) => caveat.code)];
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


@pytest.fixture(scope="module", name="page")
def verify_page(browser: Browser) -> Generator[Page]:
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


def trusted(file: Path) -> list[str]:
    """Return the keys that a reader of a golden file trusts: the log's, and those of its witnesses."""
    return [golden("mini")["keys"][0]["public_key"], *witness_keys(json.loads(file.read_bytes()))]


def verify_with_python(raw: bytes, keys: list[str]) -> list[Any]:
    result: dict[str, Any] = verifier.verify(raw, keys)
    cosigned = result["as_of"]["cosigned_by"] if result["as_of"] else []
    checks = {check["name"]: check["verdict"] for check in result["checks"]}
    return [result["verdict"], checks, cosigned, [caveat["code"] for caveat in result["caveats"]]]


def test_the_page_and_the_verifier_agree_on_every_exported_and_forged_file(page: Page):
    files = {str(file.relative_to(GOLDEN)): (file.read_bytes(), trusted(file)) for file in GOLDEN.rglob("*.json")}
    keyless = {f"{name} without keys": (raw, []) for name, (raw, _) in files.items()}
    forged = {each.name: (each.raw(), trusted(GOLDEN / f"{each.base}.json")) for each in FORGERIES}
    doubtful = {name: (encode(document), [LOG, *witness_keys(document)]) for name, document in with_caveats().items()}
    all_files = {**files, **keyless, **forged, **doubtful}

    verdicts = page.evaluate(CHECK_ALL, {name: [raw.decode(), keys] for name, (raw, keys) in all_files.items()})

    assert verdicts == {name: verify_with_python(*each) for name, each in all_files.items()}
    assert {verdicts[name][0] for name in forged} == {"failed"}
    assert {verdicts[name][0] for name in keyless} == {"unverified"}
    assert {code for name in doubtful for code in verdicts[name][3]} == set(doubtful)


def test_the_page_recomputes_every_vector_of_the_specification(page: Page):
    vectors = json.loads((views.FAIRNESS_DOCS / "vectors.json").read_bytes())
    script = Path(__file__).with_name("vectors.js").read_text(encoding="utf-8").partition("\n\n")[2]
    pairs: dict[str, Any] = page.evaluate(script, vectors)
    assert {name: computed for name, (computed, _) in pairs.items()} == {
        name: published for name, (_, published) in pairs.items()
    }
    assert pairs.keys() == vectors.keys()


def test_nothing_of_a_file_is_shown_that_no_trusted_checkpoint_covers(page: Page):
    for name in ("younger-than-the-checkpoint", "witnesses/settled"):
        document = golden(name)
        assert document["round"]["cards"]
        verdict, _ = verify_on_page(page, encode(document), f"{name.replace('/', '-')}.json")
        assert verdict == "unverified"
        expect(page.locator(".verify-about h2, .verify-hands")).to_have_count(0)
        expect(page.locator(".verify-verdict")).not_to_contain_text("As of checkpoint")


def test_a_verified_round_shows_its_cards_and_a_forged_one_what_was_expected(page: Page):
    document = golden("mini")
    verify_on_page(page, encode(document), "mine.json")

    expect(page.locator(".verify-verdict.uncosigned [data-could-choose=house]")).to_be_visible()
    expect(page.locator(".verify-hands .card")).to_have_count(len(document["round"]["cards"]))
    expect(page.locator("[data-check=commission]")).to_contain_text("€0.00 in all")

    document["shoe"]["seed"] = "ab" * 32
    verify_on_page(page, encode(document), "forged.json")

    step = page.locator("[data-check=commitment]")
    expect(step).to_contain_text("The seed differs from the revealed one.")
    expect(step.locator("dd").nth(1)).to_have_text("ab" * 32)
    expect(page.locator(".verify-verdict.failed")).to_contain_text("The commitment to the shoe")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


PUBLIC = """async ([text, said, lists]) => {
  const { publicReads } = await import("/static/play/verify/public_reads.js");
  const { Proof } = await import("/static/play/verify/proof.js");
  const { encodeStatement, openedChains } = await import("/static/play/verify/witnesses.js");
  const { hex } = await import("/static/play/verify/hashes.js");
  const proof = new Proof(JSON.parse(text), []);
  const keys = [...(await openedChains(proof)).values()].map((chain) => hex(chain.key));
  const witnesses = lists ? keys.map((key) => ({ name: "w", url: "https://w.test", release_key: key })) : [];
  const [place] = proof.witnesses;
  const statement = said && hex(encodeStatement(place, said.release, said.kind, said.digest));
  const fetching = window.fetch;
  window.fetch = async () => new Response(JSON.stringify({ statement }), { status: statement ? 200 : 404 });
  try {
    return (await publicReads(proof, witnesses))[0];
  } catch (error) {
    return error.code ?? String(error);
  } finally {
    window.fetch = fetching;
  }
}"""
"""Compares a file with what its witness says of its round, which is answered for it."""


def test_the_page_decides_what_a_witness_says_though_a_void_or_its_link_is_withheld(page: Page):
    document = golden("witnesses/voided")
    given, voided = event(document, "LinksReleased")["data"]["releases"][0], event(document, "RoundVoided")
    own = {"release": given, "kind": 2, "digest": voided["data"]["closing"]["digest"]}
    other = {**own, "digest": "99" * 32}
    unshown = {**document, "events": [each for each in document["events"] if each["type"] != "LinksReleased"]}
    hidden, neither = withheld(document), withheld(unshown)

    def says(document: dict[str, Any], said: dict[str, Any] | None, *, lists: bool = True) -> str:
        return str(page.evaluate(PUBLIC, [json.dumps(document), said, lists]))

    assert says(document, own) == "public.ok"
    assert says(document, other) == says(document, None) == "public.differs"
    assert says(document, own, lists=False) == "public.unknown"
    assert says(hidden, own) == "public.ok"
    assert says(hidden, {**own, "release": {**given, "number": given["number"] + 1}}) == "public.differs"
    assert says(hidden, None) == "public.differs"
    assert says(hidden, other) == "witnesses.unsigned"
    assert says(unshown, None) == "public.ok"
    assert says(unshown, own) == "public.later"
    assert says(unshown, other) == "public.differs"
    assert says(neither, own) == "public.later"


def withheld(document: dict[str, Any]) -> dict[str, Any]:
    """Return the file as players get it, to whom a void is not shown."""
    events = [{**each, "data": None} if each["type"] == "RoundVoided" else each for each in document["events"]]
    return {**document, "events": events}


def test_a_round_by_rules_of_the_tables_own_says_them_in_words(page: Page):
    verify_on_page(page, encode(golden("lucky-nine")), "own.json")

    expect(page.locator("[data-rules=own]")).to_contain_text("Rules mini@1: the table")
    expect(page.locator(".verify-verdict")).to_contain_text("Lucky Nine: pays 20:1 (Player wins, Player's cards: 3")
    expect(page.locator(".verify-verdict")).to_contain_text("Decks: 8, shuffled before each round.")

    verify_on_page(page, encode(golden("mini")), "published.json")

    expect(page.locator("[data-rules=published]")).to_have_text("Rules mini@1: as published.")
    expect(page.locator(".verify-verdict")).not_to_contain_text("pays")
