"""The felt's geometry: hands, plates and spots lie apart for every number of seats, with side bets, too."""

import json
import tomllib

import pytest

from casino.devstack.home import PROJECT
from tests.programs import find, needs
from tests.support.depth import deep
from tests.support.typescript import run

pytestmark = needs("node")

MODULE = PROJECT / "baccarat/web/static/play/js/view/scene.js"
*SPOTS, SIDE_BET = tomllib.loads((PROJECT / "tests/support/lucky_nine.toml").read_text(encoding="utf-8"))["spots"]
SPOTS = [{"kind": "main", **spot} for spot in SPOTS]
SIZES = deep([(1120, 690), (700, 570)], [(2560, 1200), (1120, 690), (960, 600), (1024, 440), (820, 672), (700, 570)])
LAID_OUT = 0.87
"""The share of the scenes of a size that fits around the table; the rest become rows of seats."""
SCENES = f"""
import {{ layoutScene }} from {json.dumps(MODULE.as_uri())};
const [sizes, spots] = JSON.parse(process.argv[1]);
const round = (box) => box.width === box.height;
const apart = (a, b) => {{
    if (round(a) && !round(b)) return apart(b, a);
    const reach = round(a) ? 0 : 1;
    const dx = Math.max(0, Math.abs(a.x - b.x) - reach * a.width / 2 - (round(b) ? 0 : b.width / 2));
    const dy = Math.max(0, Math.abs(a.y - b.y) - reach * a.height / 2 - (round(b) ? 0 : b.height / 2));
    const between = (round(a) ? a.width / 2 : 0) + (round(b) ? b.width / 2 : 0);
    return between ? Math.hypot(dx, dy) >= between : dx > 0 || dy > 0;
}};
const found = [];
let laidOut = 0;
const check = (width, height, seats, yours) => {{
    const where = `${{seats}} seats, yours ${{yours}}, ${{width}} by ${{height}}`;
    const scene = layoutScene({{ seats, yours, spots, width, height }});
    if (!scene) return;
    laidOut += 1;
    const laid = scene.seats.flatMap((seat) => seat.all ? [seat.all] : Object.values(seat.spots));
    const boxes = [scene.hands, ...scene.seats.map((seat) => seat.plate), ...laid];
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => apart(a, b) || found.push([where, a, b])));
    if (Math.min(...laid.map((spot) => spot.width)) * height < 2990) found.push([where, "a spot is too small"]);
    if (scene.hands.card * height < 4000) found.push([where, "the cards are too small"]);
}};
for (const [width, height] of sizes) {{
    for (let seats = 1; seats <= 14; seats++) {{
        for (let yours = 0; yours <= seats; yours++) check(width, height, seats, yours);
    }}
}}
console.log(JSON.stringify({{ found, laidOut }}));
"""


@pytest.mark.parametrize("spots", [SPOTS, [*SPOTS, SIDE_BET]], ids=["three spots", "a side bet more"])
@pytest.mark.parametrize("size", SIZES)
def test_hands_plates_and_spots_are_apart_for_every_number_of_seats_and_every_seat(size, spots):
    node = find("node") or ""
    told = run(node, "--input-type=module", "--eval", SCENES, "--", json.dumps([[size], spots]), cwd=PROJECT)

    result = json.loads(told)
    assert result["found"] == []
    assert result["laidOut"] >= LAID_OUT * sum(seats + 1 for seats in range(1, 15))
