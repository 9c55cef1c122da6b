"""The page signs its wagers on the terms that it was shown; proofs say so."""

import pytest

from baccarat.proofs import verifier
from casino.kernel.canonical_json import canonical
from tests.processes import wait_until

SIGN = """async (offered) => {
    const PLAYER = "01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44";
    const { WagerSigner } = await import(new URL("../static/play/js/view/signing.js", location.href));
    const you = { seat: 1, player: PLAYER, money_type: "play", wager_signatures: offered };
    const state = { terms: { digest: "5e".repeat(32) }, you, round: { id: PLAYER, seats: [] }, currency: "EUR" };
    return (await new WagerSigner({ state }).shownWager()).signature !== null;
}"""
"""Signs a wager at a table whose service offers these algorithms, and returns whether it is signed."""


@pytest.mark.parametrize(("preset", "amount"), [("mini", "5"), ("atlantic_city", "1")])
def test_a_deal_and_a_rebet_are_signed_by_the_page(house, open_screen, preset, amount):
    table = house.table(preset)
    screen = open_screen(table, 1)
    for number, act in ((1, "deal"), (2, "rebetDeal")):
        if number == 1:
            screen.place("banker", amount)
        screen.act(act)
        assert "over 1 wagers, 1 signed" in closing_of(house, house.settled(table, number)["id"])
    screen.require_no_errors()


def closing_of(house, round_: str) -> str:
    """Return the text of the check of a round's closing, once the round can be exported."""
    found: list[str] = []

    def is_exported() -> bool:
        answer = house.http.get(f"/rounds/{round_}/proof")
        if answer.is_success:
            checks = verifier.verify(canonical(answer.json()))["checks"]
            found.extend(each["text"] for each in checks if each["name"] == "closing")
        return bool(found)

    assert wait_until(is_exported)
    return found[0]


@pytest.mark.parametrize(("offered", "is_signed"), [(["ed25519"], True), (["another"], False), (None, False)])
def test_a_service_that_does_not_take_the_pages_signatures_gets_none(house, open_screen, offered, is_signed):
    screen = open_screen(house.table("mini"))

    assert screen.page.evaluate(SIGN, offered) is is_signed
