"""The game in a frame of the operator's own site: who may frame it, and the messages between the two."""

import base64
import json
import re
from collections.abc import Generator
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from casino.devstack.home import PROJECT
from casino.devstack.site import Site, running_site
from tests.nightly.browser.layout import MEASURE
from tests.processes import wait_until
from tests.system.browser.house import House

TIMEOUT = 30_000
SMALL_FRAMES = ((320, 480), (375, 667), (640, 400), (844, 390))
CATALOGUE = json.loads((PROJECT / "baccarat/web/static/play/js/core/embedding.json").read_text(encoding="utf-8"))


@pytest.fixture
def site(house: House) -> Generator[Site]:
    """Serve a site of the operator, whose visitor is a new player."""
    credential = house.http.headers["Authorization"].removeprefix("Bearer ")
    player = {"reference": uuid4().hex, "nickname": "Visitor"}
    with running_site(service=house.base_url, credential=credential, player=player) as site:
        site.register_origin()
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Generator[Page]:
    """Open the site in a window of its own."""
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(site.origin)
    yield page
    context.close()


def launch(page: Page, preset: str = "") -> FrameLocator:
    page.get_by_label("Game").select_option(preset)
    page.get_by_role("button", name="Launch").click()
    return page.frame_locator("iframe")


def launch_at(page: Page, site: Site, table: str, **wishes: Any) -> FrameLocator:
    """Launch at a table of the test's own, where `launch` takes any of a preset."""
    body = json.dumps({"table": table, **wishes})
    page.route(f"{site.origin}/launch", lambda route: route.continue_(post_data=body), times=1)
    return launch(page)


def expect_message(page: Page, text: str) -> None:
    expect(page.locator("#messages .out", has_text=text).first).to_be_visible(timeout=TIMEOUT)


def send(page: Page, message: Any, *, target: str = "*") -> None:
    """Post a message to the frame as the site's page."""
    page.evaluate("([message, target]) => frames[0].postMessage(message, target)", [message, target])


def record(page: Page) -> None:
    """Record every message that the site's page receives from now on, with its origin."""
    page.evaluate("""() => {
        window.received = [];
        addEventListener("message", ({ origin, data }) => received.push({ origin, ...data }));
    }""")


def told(page: Page, type_: str, **data: Any) -> dict[str, Any]:
    """Wait for a recorded message of this type with these data, and return its data."""
    found: list[dict[str, Any]] = []

    def is_told() -> bool:
        sent = [each["data"] for each in page.evaluate("received") if each["type"] == type_]
        found[:] = [each for each in sent if all(each[name] == value for name, value in data.items())]
        return bool(found)

    assert wait_until(is_told), f"{type_} {data} is not in {page.evaluate('received')}"
    return found[-1]


def require_documented(page: Page, house: House, *types: str) -> None:
    """Assert that these were told, and that every message is as the catalogue says and of the service's origin."""
    kinds: dict[str, type | tuple[type, ...]] = {"string": str, "number": (int, float), "array": list}
    messages = page.evaluate("received")
    assert set(types) <= {message["type"] for message in messages}
    assert len({message["id"] for message in messages}) == len(messages)
    for message in messages:
        assert set(message) == {"origin", "source", "v", "id", "type", "at", "data"}
        assert (message["origin"], message["source"], message["v"]) == (house.base_url, "baccarat", 1)
        assert datetime.fromisoformat(message["at"]).tzinfo is not None
        fields = CATALOGUE["out"][message["type"]]["data"]
        assert set(message["data"]) <= set(fields), message
        for name, kind in fields.items():
            value = message["data"].get(name)
            assert isinstance(value, kinds[kind.removesuffix("?")]) or (value is None and kind.endswith("?")), message


def request(page: Page, function: str, path: str, **body: Any) -> Any:
    """Call the service as the page in the frame does, and return the answer or the refusal's code."""
    return page.frames[1].evaluate(
        """async ([name, path, body]) => {
            const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
            const api = await import(loaded.find((name) => /core\\/api[^/]*js$/.test(name)));
            return api[name](path, body).catch((problem) => problem.code);
        }""",
        [function, path, body],
    )


def test_a_registered_site_frames_the_game_whose_code_leaves_the_address(house: House, page: Page) -> None:
    house.table("mini")
    frame = launch(page, "mini")

    expect(frame.locator(".game")).to_be_visible(timeout=TIMEOUT)
    expect_message(page, "ready")
    expect_message(page, "table.entered")
    address = page.frames[1].url
    assert "lc_" not in address
    assert "#table=" in address
    assert page.frames[1].evaluate("sessionStorage.length + document.cookie.length") in {0, 1}
    assert page.frames[1].evaluate("sessionStorage.getItem('casino.token')") is None


def test_another_site_can_not_frame_the_game(house: House, site: Site, page: Page) -> None:
    stranger = site.origin.replace("127.0.0.1", "localhost")
    page.goto(stranger)

    with page.expect_event("framenavigated", lambda frame: frame.url.startswith("chrome-error:")):
        launch(page)

    assert page.locator("#messages .out").count() == 0


def test_a_visitor_without_money_plays_a_round_in_each_small_frame(house: House, page: Page) -> None:
    page.set_viewport_size({"width": 1300, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    house.table("mini")
    frame = launch(page, "mini")
    frame.get_by_role("button", name=re.compile("free, sit down here")).first.click(timeout=TIMEOUT)
    frame.get_by_role("button", name="Top up play money").click()
    expect(frame.locator(".field-note")).to_contain_text("From", timeout=TIMEOUT)
    frame.get_by_role("button", name="Sit down", exact=True).click()
    expect(frame.locator("button.spot.mine").first).to_be_visible(timeout=TIMEOUT)
    found = {}

    for width, height in SMALL_FRAMES:
        page.add_style_tag(content=f"iframe {{ width: {width}px !important; height: {height}px !important; }}")
        frame.locator('[data-chip="5.00"]').click()
        frame.locator('[data-spot="banker"]').click()
        frame.locator('[data-act="deal"]').click()
        expect(frame.locator('[data-act="deal"]')).to_be_disabled()
        expect(frame.locator(".hands .card.shown").nth(3)).to_be_in_viewport(timeout=TIMEOUT)
        expect(frame.locator(".game")).to_have_attribute("data-step", "over", timeout=TIMEOUT)
        found[width, height] = page.frames[1].evaluate(MEASURE)

    assert not any(found.values()), {size: what for size, what in found.items() if what}


def test_each_message_to_the_page_is_answered(house: House, page: Page) -> None:
    house.table("mini")
    frame = launch(page, "mini")
    expect(frame.locator(".game")).to_be_visible(timeout=TIMEOUT)
    expect_message(page, "ready")
    data: dict[str, dict[str, Any]] = {
        "session.renew": {"code": "lc_wrong"}, "mute": {"muted": True}, "language": {"tag": "de"}, "table.open": {},
    }  # fmt: skip
    refused = {"session.renew": "unknown_launch"}
    for type_ in CATALOGUE["in"]:  # `exit` is the last one
        message = {"source": "baccarat", "v": 1, "id": f"my-{type_}", "type": type_, "data": data.get(type_, {})}
        send(page, message)
        expect_message(page, f'"id":"my-{type_}"')
        line = page.locator("#messages .out", has_text=f'"id":"my-{type_}"').text_content() or ""
        assert (refused.get(type_, "ack") in line) or line.startswith("ack"), line
    expect_message(page, "table.left")
    expect_message(page, "session_closed")
    expect(frame.locator(".way-back")).to_be_visible(timeout=TIMEOUT)


def test_messages_that_are_not_understood_are_refused(page: Page) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"v": 2}, "unknown_version"),
        ({"type": "dance"}, "unknown_type"),
        ({"type": "constructor"}, "unknown_type"),
        ({"type": "mute", "data": {"muted": "yes"}}, "field_invalid"),
        ({"type": "mute"}, "field_invalid"),
        ({"data": {"extra": 1}}, "unknown_field"),
        ({"type": "language", "data": {"tag": "tlh"}}, "unknown_language"),
    ]
    launch(page)
    expect_message(page, "ready")
    for number, (change, code) in enumerate(refused):
        send(page, {"source": "baccarat", "v": 1, "id": f"wrong-{number}", "type": "pause", "data": {}, **change})
        expect_message(page, f'{{"id":"wrong-{number}","code":"{code}"}}')


def test_messages_of_other_origins_and_other_windows_are_ignored(house: House, site: Site, page: Page) -> None:
    launch(page)
    expect_message(page, "ready")
    message = {"source": "baccarat", "v": 1, "id": "forged", "type": "pause", "data": {}}
    other = site.origin.replace("127.0.0.1", "localhost")
    page.evaluate(
        """([address, message]) => new Promise((done) => {
            const stranger = document.createElement("iframe");
            stranger.src = address; stranger.onload = done; document.body.append(stranger);
        })""",
        [other, message],
    )
    page.frames[2].evaluate("message => parent.frames[0].postMessage(message, '*')", message)
    page.frames[1].evaluate("message => window.postMessage(message, '*')", message)
    send(page, {**message, "source": "another"})
    send(page, {**message, "id": "own"})
    expect_message(page, '"id":"own"')
    assert page.locator("#messages .out", has_text="forged").count() == 0


def test_a_pause_takes_no_input_until_it_ends(page: Page) -> None:
    frame = launch(page)
    expect_message(page, "ready")
    page.get_by_role("button", name="Pause").click()
    expect(frame.locator("#app[inert]")).to_have_count(1, timeout=TIMEOUT)
    page.get_by_role("button", name="Resume").click()
    expect(frame.locator("#app[inert]")).to_have_count(0, timeout=TIMEOUT)


def test_renewal_by_the_site_keeps_the_session_and_its_stream(house: House, site: Site, page: Page) -> None:
    table = house.table("mini")
    frame = launch_at(page, site, table)
    expect(frame.locator(".game")).to_be_visible(timeout=TIMEOUT)
    expect_message(page, "ready")
    expect(frame.locator('[data-connection="streaming"]')).to_be_visible(timeout=TIMEOUT)
    tickets: list[str] = []
    page.on("request", lambda request: tickets.append(request.url) if "stream/tickets" in request.url else None)

    page.get_by_role("button", name="Renew").click()

    expect_message(page, "ack")
    house.seated(table, 1)
    expect(frame.get_by_role("button", name=re.compile("Seat 1: Taken"))).to_be_visible(timeout=TIMEOUT)
    assert tickets == []  # the stream was not opened again
    assert page.locator("#messages .out", has_text="session.ended").count() == 0


def test_a_launch_with_a_skin_has_its_colours_and_logo(house: House, site: Site, page: Page) -> None:
    house.table("mini")
    logo = base64.b64encode((PROJECT / "tests" / "system" / "browser" / "logo.png").read_bytes()).decode()
    colours = {"felt-1": "#7b2d5b", "felt-2": "#571f41", "felt-3": "#2c0f21", "print": "#fbe9f2"}
    colours |= {"go": "#f2c14e", "go-ink": "#2c0f21", "rail-1": "#8a6a2f", "rail-2": "#4d3a17", "back": "#3b1230"}
    house.http.put("skins/plum", json={"colours": colours, "round": 2, "logo": logo}).raise_for_status()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)

    page.goto(site.launch({"skin": "plum"}).json()["url"])
    page.get_by_role("button", name="Play as").click()  # who comes here first in this browser is asked
    expect(page.locator(".lobby .logo")).to_have_js_property("naturalWidth", 240, timeout=TIMEOUT)
    page.goto(site.launch({"preset": "mini", "skin": "plum"}).json()["url"])
    expect(page.locator(".game .felt")).to_be_visible(timeout=TIMEOUT)

    def value(name: str) -> str:
        return str(page.evaluate("name => getComputedStyle(document.body).getPropertyValue(name)", f"--{name}"))

    assert {name: value(name) for name in colours} == colours
    assert value("round") == "2px"
    assert value("player-line") == "#6fa5f0"
    assert page.locator(".logo").get_attribute("alt") == "Bots' house"
    assert refused == []


def test_the_site_is_told_of_money_a_round_and_the_way_out_as_documented(house: House, site: Site, page: Page) -> None:
    table = house.table("mini")
    page.emulate_media(reduced_motion="reduce")
    record(page)
    frame = launch_at(page, site, table)
    expect(frame.locator(".game")).to_be_visible(timeout=TIMEOUT)
    told(page, "table.entered", table=table)
    page.add_style_tag(content="iframe { width: 640px !important; height: 480px !important; }")
    told(page, "resized", width=640)

    player = request(page, "get", "preferences")["player"]
    house.post(f"/players/{player}/sandbox-credits", {"amount": "90.00", "currency": "EUR", "money_type": "play"})
    request(page, "command", f"tables/{table}/seat", seat=1, buy_in="5.00", currency="EUR", money_type="play")
    frame.locator('[data-chip="5.00"]').click(timeout=TIMEOUT)
    frame.locator('[data-spot="tie"]').first.click()
    frame.locator('[data-act="deal"]').click()
    round_ = house.settled(table, 1)
    told(page, "wager.confirmed", table=table, round=round_["id"])
    told(page, "round.settled", table=table, round=round_["id"])

    while (left := float(round_["seats"][0]["result"]["returned"])) > 0:  # the tie came
        wager = {"stakes": [{"spot": "tie", "amount": f"{min(left, 300):.2f}"}], "currency": "EUR"}
        request(page, "command", f"tables/{table}/deal", **wager)
        round_ = house.settled(table, round_["number"] + 1)
    told(page, "funds.short", table=table)
    frame.locator(".notice").get_by_role("button", name="Rebuy").click(timeout=TIMEOUT)
    told(page, "cashier.wanted", cashier_url=f"{site.origin}/#cashier")
    frame.locator("#rebuy-amount").fill("50")
    frame.locator("#rebuy-amount").press("Enter")
    expect(frame.locator("#rebuy-amount")).to_have_count(0, timeout=TIMEOUT)
    told(page, "balance.changed", balances=request(page, "get", "me/balances")["items"])

    page.get_by_role("button", name="Exit").click()
    told(page, "table.left", table=table)
    told(page, "session.ended", code="session_closed")
    frame.locator(".way-back").click(timeout=TIMEOUT)
    told(page, "exit.wanted", return_url=f"{site.origin}/")
    expect(page.locator("#game")).to_have_text("Welcome back.")
    require_documented(page, house, "ready", "resized", "ack")


def test_the_site_is_told_of_a_session_that_expires_and_of_a_reality_check(
    house: House, site: Site, page: Page
) -> None:
    page.clock.install()
    page.reload()
    record(page)
    frame = launch_at(page, site, house.table("mini"), ttl_seconds=60)

    assert 0 < told(page, "session.expiring")["seconds"] <= 60
    told(page, "ack")  # the site renews the session by another launch
    expect(frame.locator(".game[data-reminder]")).to_have_count(1, timeout=TIMEOUT)
    page.clock.fast_forward("01:00:05")
    told(page, "reality_check.due")
    expect(frame.locator(".notice", has_text="You have been here")).to_be_visible(timeout=TIMEOUT)
    require_documented(page, house, "ready", "table.entered")
    assert [message["data"] for message in page.evaluate("received") if message["type"] == "error"] == []


def test_a_limit_that_is_reached_is_told_to_the_site(house: House, page: Page) -> None:
    table = house.table("mini")
    frame = launch(page, "mini")
    expect(frame.locator(".game")).to_be_visible(timeout=TIMEOUT)
    expect_message(page, "ready")

    player = request(page, "get", "preferences")["player"]
    house.post(f"/players/{player}/sandbox-credits", {"amount": "90.00", "currency": "EUR", "money_type": "real"})
    request(page, "command", "me/limits", limit_type="stake", period="day", amount="5.00", currency="EUR")
    request(page, "command", f"tables/{table}/seat", seat=1, buy_in="90.00", currency="EUR", money_type="real")
    wager = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}
    assert request(page, "command", f"tables/{table}/deal", **wager) == "play_limit_reached"
    expect_message(page, '{"code":"play_limit_reached","limit_type":"stake","period":"day"}')
    assert request(page, "command", f"tables/{table}/leave", nonsense=True) == "unknown_field"
    expect_message(page, 'error {"code":"unknown_field"}')


def test_a_launch_that_was_used_is_refused_and_the_page_offers_the_way_back(
    house: House, site: Site, page: Page
) -> None:
    address = site.launch({}).json()["url"]
    page.goto(address)
    page.get_by_role("button", name="Play as").click()
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    second = page.context.new_page()
    second.goto(address)
    expect(second.locator(".door")).to_contain_text("opened before", timeout=TIMEOUT)
    second.locator(".way-back").click()
    expect(second.locator("#launch")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".lobby")).to_be_visible()
