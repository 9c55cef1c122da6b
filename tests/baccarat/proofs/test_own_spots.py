"""Four programs settle a spot that no preset has alike, and a table written by hand judges them."""

import json
from functools import cache
from random import Random
from typing import Any, Final

import msgspec

from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import Deal, deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.recorded import record
from baccarat.proofs import verifier
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import LOG, Document, encode, event_data, golden
from tests.baccarat.proofs.fuzzing import KEY, Case, disagreements
from tests.baccarat.proofs.page import settle_on_page
from tests.baccarat.proofs.php import run_php
from tests.programs import needs
from tests.support.depth import deep
from tests.support.spots import LUCKY_NINE

ROUNDS: Final = 2000
FORGED: Final = deep(20, 200)
MINI: Final = rules_for("mini", currency="EUR").spots
RULES: Final = rules_for("mini", currency="EUR", spots=(*MINI, LUCKY_NINE))
VALUES: Final = record(RULES).values
LUCKY_NINE_IN_WORDS: Final = (
    "Lucky nine: pays 20:1 if the player cards are 3 and the player points are 9 and the winner is player; "
    "with a stake on player only"
)
RETURNED: Final = {
    ("player", "player"): 200, ("player", "banker"): 0, ("player", "tie"): 100,
    ("banker", "player"): 0, ("banker", "banker"): 195, ("banker", "tie"): 100,
    ("tie", "player"): 0, ("tie", "banker"): 0, ("tie", "tie"): 900,
    ("lucky_nine", "nine in three cards"): 2100, ("lucky_nine", "anything else"): 0,
}  # fmt: skip
"""What comes back of a stake of 100."""


def played(dealt: Deal, spot: str) -> str:
    """Say what happened in a deal, as far as it matters to a spot."""
    points = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
    player, banker = (
        sum(points[card[0]] if card[0] in points else int(card[0]) for card in hand) % 10
        for hand in (dealt.player, dealt.banker)
    )
    if spot == "lucky_nine":
        won = player == 9 and len(dealt.player) == 3 and banker < 9
        return "nine in three cards" if won else "anything else"
    return "tie" if player == banker else "player" if player > banker else "banker"


@cache
def rounds() -> list[dict[str, Any]]:
    """Return rounds of random cards, with stakes on all spots."""
    random = Random(9)
    shoe = verifier.DECK * 8
    return [
        {
            "cards": list(deal(tuple(random.sample(shoe, 6))).cards),
            "stakes": {spot.name: 100 * random.randint(1, 300) for spot in RULES.spots},
        }
        for _ in range(ROUNDS)
    ]


def by_domain(each: dict[str, Any]) -> dict[str, Any]:
    settled = settle(RULES, each["stakes"], Coup.of(deal(tuple(each["cards"]))))
    names = ("result", "won", "commission", "returned")
    return {line["spot"]: {name: line[name] for name in names} for line in msgspec.to_builtins(settled.results)}


def by_verifier(each: dict[str, Any]) -> dict[str, Any]:
    facts = verifier.facts_of(each["cards"])
    return {spot: verifier.result_of(VALUES, spot, stake, facts) for spot, stake in each["stakes"].items()}


def test_what_comes_back_is_what_the_table_says() -> None:
    happened = set()
    for each in rounds():
        dealt = deal(tuple(each["cards"]))
        for spot, told in by_verifier(each).items():
            what = played(dealt, spot)
            happened.add((spot, what))
            assert told["returned"] * 100 == each["stakes"][spot] * RETURNED[spot, what]
    assert happened == set(RETURNED)


def test_the_service_and_the_verifier_in_python_agree() -> None:
    assert [by_domain(each) for each in rounds()] == [by_verifier(each) for each in rounds()]


@needs("node")
def test_the_service_and_the_page_agree() -> None:
    assert settle_on_page(VALUES, rounds()) == [by_domain(each) for each in rounds()]


@needs("php")
def test_the_service_and_the_verifier_in_php_agree() -> None:
    given = json.dumps({"rules": VALUES, "rounds": rounds()})
    assert json.loads(run_php("--settle", given=given).stdout) == [by_domain(each) for each in rounds()]


def forge(document: Document, random: Random) -> None:
    """Settle one stake in another way, with the sums that follow."""
    wager = event_data(document, "RoundSettled")["wagers"][0]
    line = random.choice(wager["results"])
    other = random.choice(rounds())
    told = {**random.choice(list(by_verifier(other).values())), "stake": line["stake"]}
    while told.items() <= line.items():
        told[random.choice(("won", "commission", "returned"))] += random.choice((1, 100, line["stake"]))
    line.update(told)
    for name in ("won", "commission", "returned"):
        wager[name] = sum(each[name] for each in wager["results"])
    sign_again(document)


def test_every_verifier_refuses_forged_settlements() -> None:
    cases = []
    for number in range(FORGED):
        document = golden("lucky-nine")
        forge(document, Random(number))
        cases.append(Case(f"forged settlement {number}", encode(document), [LOG]))
    assert disagreements(cases, wanted="failed") == {}


def test_a_verdict_says_the_lines_of_own_rules() -> None:
    result = verifier.verify(encode(golden("lucky-nine")), [KEY])
    assert result["rules"] == {
        "label": "mini@1",
        "published": False,
        "words": [
            "Cards: 8 decks, shuffled before each round",
            "Player: returns the stake if the winner is tie; pays 1:1 if the winner is player",
            "Banker: returns the stake if the winner is tie; pays 1:1 if the winner is banker; less 5/100 commission",
            "Tie: pays 8:1 if the winner is tie",
            LUCKY_NINE_IN_WORDS,
        ],
    }
    lines = list(verifier.format_report(result))
    assert "Rules mini@1: own rules." in lines
    published = verifier.verify(encode(golden("mini")), [KEY])
    assert published["rules"] == {"label": "mini@1", "published": True, "words": []}
    assert "Rules mini@1: as published." in verifier.format_report(published)
    assert verifier.verify(encode(golden("mini")))["rules"] is None
