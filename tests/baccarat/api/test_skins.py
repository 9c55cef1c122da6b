"""Skins of the table page: what may be set, what is served for it, and which launch has which."""

import base64
import io
import re
import struct
import subprocess
import sys
import zlib
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from PIL import Image, PngImagePlugin

from baccarat.services import logos, skins
from casino.devstack.home import PROJECT
from casino.operators import brands
from casino.operators.principals import Scope
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import JSON, Caller, Tenant, whole_database
from tests.support.keys import issue_key

PLUM = {"felt-1": "#7b2d5b", "felt-2": "#571f41", "felt-3": "#2c0f21", "print": "#fbe9f2"}
PLAYER = {"reference": "customer-1", "nickname": "Ace"}


def png(size: tuple[int, int] = (40, 20), *, text: str = "") -> bytes:
    extra, written = PngImagePlugin.PngInfo(), io.BytesIO()
    if text:
        extra.add_text("Comment", text)
    Image.new("RGBA", size, (200, 10, 90, 128)).save(written, "PNG", pnginfo=extra)
    return written.getvalue()


def coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def set_skin(operator: Caller, name: str = "standard", **body: Any) -> Any:
    return operator.send("put", f"skins/{name}", data={"colours": {}, **body}, content_type=JSON)


def remove_skin(operator: Caller, name: str) -> Any:
    return operator.send("delete", f"skins/{name}")


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def page_of(operator: Caller, **launch: Any) -> str:
    url = operator.do("launches", {"player": PLAYER, **launch})["url"]
    return Client().get(url.removeprefix("http://testserver")).content.decode()


def sheet_of(page: str) -> str | None:
    found = re.search(r'<link rel="stylesheet" href="(skins/[^"]+)">', page)
    return None if found is None else found[1]


def test_a_skin_is_served_under_names_that_change_with_what_they_contain(lucky: Tenant) -> None:
    skin = set_skin(lucky, colours=PLUM, round=4, logo=coded(png())).json()

    sheet, logo = (Client().get(skin[name]) for name in ("stylesheet_url", "logo_url"))
    assert sheet.content.decode() == (
        ":root:root:root {\n  --felt-1: #7b2d5b;\n  --felt-2: #571f41;\n  --felt-3: #2c0f21;\n  --print: #fbe9f2;\n"
        "  --round: 4px;\n}\n"
    )
    assert Image.open(io.BytesIO(logo.content)).size == (40, 20)
    assert (sheet["Content-Type"], logo["Content-Type"]) == ("text/css; charset=utf-8", "image/png")
    for answer in (sheet, logo):
        assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    later = set_skin(lucky, colours={**PLUM, "print": "#ffffff"}, round=4, logo=coded(png())).json()
    assert later["stylesheet_url"] != skin["stylesheet_url"]
    assert later["logo_url"] == skin["logo_url"]
    old = Client().get(skin["stylesheet_url"])  # of a page that was being loaded
    assert ("#ffffff" in old.content.decode(), old["Cache-Control"]) == (True, "no-store")


def test_a_launch_has_the_skin_that_it_names_else_its_brands_else_the_standard_one(lucky: Tenant) -> None:
    brands.create_brand(operator=UUID(lucky.id), slug="gold", name="Gold", shares_players=True, by="test")
    assert sheet_of(page_of(lucky)) is None
    urls = {
        name: set_skin(lucky, name, round=radius).json()["stylesheet_url"]
        for radius, name in enumerate(("standard", "gold", "night"))
    }
    golden = {"player": {**PLAYER, "brand": "gold"}}
    for launch, name in (({}, "standard"), (golden, "gold"), ({**golden, "skin": "night"}, "night")):
        page = page_of(lucky, **launch)
        assert urls[name].endswith(f"/play/{sheet_of(page)}")
    assert "Gold" in page_of(lucky, **golden)


def test_a_removed_skin_leaves_the_ordinary_looks(lucky: Tenant) -> None:
    skin = set_skin(lucky, round=0).json()
    url = lucky.do("launches", {"player": PLAYER})["url"].removeprefix("http://testserver")
    assert remove_skin(lucky, "standard").status_code == 204

    assert Client().get(skin["stylesheet_url"]).status_code == 404
    assert sheet_of(Client().get(url).content.decode()) is None
    assert refusal(remove_skin(lucky, "standard")) == (404, "unknown_skin")


def test_setting_the_same_skin_again_changes_nothing(lucky: Tenant) -> None:
    first = set_skin(lucky, colours=PLUM, logo=coded(png())).json()
    before = whole_database()
    assert set_skin(lucky, colours=PLUM, logo=coded(png())).json() == first
    assert whole_database() == before


def test_each_change_is_a_significant_event(lucky: Tenant) -> None:
    set_skin(lucky, colours=PLUM)
    set_skin(lucky, round=3)
    events = SignificantEvent.objects.filter(subject="skin:standard", operator_id=lucky.id).order_by("number")
    assert [((event.before or {}).get("print"), event.after.get("print")) for event in events] == [
        (None, "#fbe9f2"),
        ("#fbe9f2", None),
    ]


BAD_COLOURS = [
    ({"felt-2": "#571F41"}, "field_invalid"),
    ({"felt-2": "url(https://evil.example)"}, "field_invalid"),
    ({"felt-2": "#571f41; } body { display: none"}, "field_invalid"),
    ({"felt-2": "#571f41\n"}, "field_invalid"),
    ({"felt-2": 5}, "not_a_string"),
    ({"player": "#000000"}, "unknown_field"),
    ({"go": "#000000"}, "skin_colour_missing"),
    ({"print": "#ffffff"}, "skin_colour_missing"),
    ({"go": "#777777", "go-ink": "#888888"}, "skin_contrast_too_low"),
    ({**PLUM, "print": "#a06080"}, "skin_contrast_too_low"),
    ({"felt-1": "#fefefe", "felt-2": "#ffffff", "felt-3": "#fdfdfd", "print": "#000000"}, "skin_contrast_too_low"),
    ({"accent-fill": "#111111", "accent-ink": "#ffffff", "gold": "#333333"}, "skin_contrast_too_low"),
]


@pytest.mark.parametrize(("colours", "code"), BAD_COLOURS)
def test_colours_that_are_none_or_can_not_be_read_are_refused(lucky: Tenant, colours: Any, code: str) -> None:
    before = whole_database()
    assert refusal(set_skin(lucky, colours=colours)) == (422, code)
    assert whole_database() == before


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def black(*sizes: int) -> bytes:
    """Return a square in black and white, of a few hundred bytes, with one header for each of these sizes."""
    lines = zlib.compress(bytes(1 + sizes[-1] // 8) * sizes[-1], 9)
    headers = b"".join(chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 1, 0, 0, 0, 0)) for size in sizes)
    return b"\x89PNG\r\n\x1a\n" + headers + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


BAD_LOGOS = [
    b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", b"GIF89a", png()[:30], png()[:60],
    black(8000), png((1025, 1)), png((1, 513)), png(text="x" * 45_000), png()[:12],
    black(400, 2000), black(400, 400), black(400, 15_000),  # the decoder believes the last header
]  # fmt: skip


@pytest.mark.parametrize("logo", BAD_LOGOS)
def test_logos_other_than_small_whole_pngs_are_refused(lucky: Tenant, logo: bytes) -> None:
    before = whole_database()
    code = refusal(set_skin(lucky, logo=coded(logo)))
    assert code in {(422, "logo_not_accepted"), (422, "field_too_long")}
    assert whole_database() == before


def test_a_picture_that_needs_more_memory_than_its_process_has_ends_that_process_alone() -> None:
    command = [sys.executable, "-I", str(logos.PROGRAM)]
    done = [subprocess.run(command, input=black(size), capture_output=True, check=False) for size in (8000, 400)]  # noqa: S603
    assert [each.returncode == 0 for each in done] == [False, True]
    assert done[0].stdout == b""


def test_a_logo_keeps_its_pixels_and_nothing_else(lucky: Tenant) -> None:
    hidden = b"<script>alert(1)</script>"
    data = png(text="GPS 35.9 N <script>") + hidden
    stored = Client().get(set_skin(lucky, logo=coded(data)).json()["logo_url"]).content
    assert (b"GPS" in stored, hidden in stored) == (False, False)
    assert Image.open(io.BytesIO(stored)).tobytes() == Image.open(io.BytesIO(data)).tobytes()


def test_a_name_is_a_slug(lucky: Tenant) -> None:
    assert refusal(set_skin(lucky, "Not_a_slug")) == (422, "invalid_slug")


def test_other_operators_neither_see_nor_use_nor_change_a_skin(lucky: Tenant, golden: Tenant) -> None:
    set_skin(lucky, "night", round=1)
    assert golden.read("skins")["items"] == []
    assert refusal(golden.get("skins/night")) == (404, "unknown_skin")
    assert refusal(remove_skin(golden, "night")) == (404, "unknown_skin")
    assert refusal(golden.post("launches", {"player": PLAYER, "skin": "night"})) == (404, "unknown_skin")
    set_skin(golden, "night", round=9)
    assert lucky.read("skins/night")["round"] == 1


def test_a_key_of_a_brand_or_without_the_scope_sets_no_skin(lucky: Tenant) -> None:
    brand = brands.create_brand(operator=UUID(lucky.id), slug="gold", name="Gold", shares_players=True, by="test")
    branded = Caller(".".join(issue_key(operator=UUID(lucky.id), brand=brand.id)))
    player_facing = Caller(".".join(issue_key(operator=UUID(lucky.id), scopes=[Scope.READ, Scope.PLAY])))
    assert refusal(set_skin(branded)) == (403, "key_is_of_a_brand")
    assert refusal(set_skin(player_facing)) == (403, "scope_missing")


def test_an_operator_has_fifty_skins_at_most(lucky: Tenant) -> None:
    for number in range(skins.MAX_SKINS):
        skins.change(operator=UUID(lucky.id), name=f"s{number}", colours={}, radius=1, logo=b"", by="test")
    answer = set_skin(lucky, "one-more", round=1)
    assert (*refusal(answer), answer.json()["limit"]) == (409, "too_many_skins", 50)
    assert set_skin(lucky, "s7", round=2).status_code == 200


def test_a_skin_sets_only_properties_that_the_page_has_and_the_fixed_colours_are_the_pages() -> None:
    base = (PROJECT / "baccarat/web/static/play/base.css").read_text(encoding="utf-8")
    assert set(skins.COLOURS) | {skins.RADIUS} <= set(re.findall(r"^  --([\w-]+):", base, re.MULTILINE))
    fixed = {name for pair in skins._PAIRS for name in pair[:2] if name.startswith("#")} - {"#000000"}
    lines = dict(re.findall(r"^  --(player|banker|tie)-line: (#\w{6});", base, re.MULTILINE))
    assert fixed == set(lines.values())
    assert len(lines) == 3


# Contrasts computed by others: black on white, and the greys of the WCAG's own examples.
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#767676", "#ffffff", 4.54), ("#ff0000", "#ff0000", 1)],
)
def test_contrast_is_that_of_wcag(one: str, other: str, expected: float) -> None:
    assert skins.contrast(one, other) == skins.contrast(other, one) == pytest.approx(expected, abs=0.005)
