"""Cutting a shoe over HTTP: who may, what counts, and that anybody can work the cards out afterwards."""

from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.fairness.commitment import CardOpening, Drawing
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.fairness.terms import digest_cards
from baccarat.domain.rounds.cut import MAX_CUT_CHANGES
from tests.baccarat.api.people import LONG_TURN, NOWHERE, Gambler, Tenant, bet, company, deal_all, sit
from tests.baccarat.domain.fairness.test_commitment import climb
from tests.support.drawings import cards_of, cut_from


def unsigned(seat: int, contribution: str) -> dict[str, object]:
    """Return a contribution without a signature as it is shown."""
    return {"seat": seat, "contribution": contribution, "public_key": ""}


def code(player: Gambler, table: str, contribution: Any) -> tuple[int, str]:
    answer = player.post(f"tables/{table}/cut", {"contribution": contribution})
    return answer.status_code, answer.json().get("code", "")


def fixed(shoe: dict[str, Any]) -> bytes:
    """Compute the cut from what the API shows to anybody."""
    given = [(each["seat"], each["contribution"]) for each in shoe["contributions"]]
    return cut_from(shoe["commitment"], *given)


def is_revealed(table: str, shoe: dict[str, Any], *, number: int, seed: str) -> bool:
    """Return whether the seed opens a commitment that was shown before."""
    drawing = Drawing(UUID(table), UUID(shoe["id"]), number)
    return drawing.opens(shoe["commitment"], bytes.fromhex(seed))


def test_two_players_cut_the_next_rounds_shoe_and_a_third_who_says_nothing_holds_nothing_up(lucky: Tenant) -> None:
    table, (alice, bob, cora) = company(lucky, "atlantic_city", "Alice", "Bob", "Cora")
    before = cora.read(f"tables/{table}/fairness")
    assert (before["shoe"]["accepts_contributions"], before["next_shoe"]["accepts_contributions"]) == (False, True)
    assert (before["next_shoe"]["contributions"], before["next_shoe"]["cut"]) == ([], None)

    alice.do(f"tables/{table}/cut", {"contribution": "AA"})
    alice.do(f"tables/{table}/cut", {"contribution": "a1b2"})
    bob.do(f"tables/{table}/deal", {"stakes": [{"spot": "tie", "amount": "5.00"}], "currency": "EUR",
                                    "contribution": "0b"})  # fmt: skip
    shown = cora.read(f"tables/{table}/fairness")["next_shoe"]
    assert shown["contributions"] == [
        unsigned(1, "a1b2"),
        unsigned(2, "0b"),
    ]
    alice.do(f"tables/{table}/pass")
    cora.do(f"tables/{table}/pass")
    deal_all()

    closed = cora.read(f"tables/{table}")["terms"]
    assert (closed["shoe"], closed["contributions"], closed["cut"]) == (
        shown["id"],
        shown["contributions"],
        fixed(shown).hex(),
    )
    alice.do(f"tables/{table}/cut", {"contribution": "ff"})  # too late for that round
    for player in (alice, cora):
        player.do(f"tables/{table}/pass")
    bet(bob, table, tie="5.00")
    deal_all()

    told = cora.read(f"tables/{table}/fairness")
    revealed, played = told["revealed_shoes"][0], lucky.read(f"tables/{table}")["last_round"]
    assert (revealed["round"], revealed["cut"]) == (played["id"], fixed(revealed).hex())
    assert revealed["contributions"] == shown["contributions"] == played["contributions"]
    assert played["terms"] == closed["digest"]
    assert is_revealed(table, shown, number=revealed["number"], seed=revealed["seed"])
    cards = cards_of(bytes.fromhex(revealed["seed"]), fixed(revealed), first=len(played["cards"]))
    assert list(cards) == played["cards"]
    assert told["shoe"]["commitment"] != revealed["commitment"]
    shoe = bob.read(f"rounds/{played['id']}/shoe")
    assert (shoe["seed"], shoe["cut"], shoe["openings"]) == (revealed["seed"], revealed["cut"], [])


@pytest.mark.parametrize("fixed_order", [True, False])
def test_a_long_shoe_is_cut_before_it_starts_and_its_cards_are_proven_while_it_runs(
    lucky: Tenant, fixed_order: bool
) -> None:
    table = lucky.table("big_table", rules={**LONG_TURN, "fixed_order": fixed_order})
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    promised = alice.read(f"tables/{table}/fairness")
    assert (promised["shoe"], promised["next_shoe"]["number"], promised["next_shoe"]["accepts_contributions"]) == (
        None,
        1,
        True,
    )
    assert alice.post(f"tables/{table}/cut", {"contribution": "aa"}).json()["code"] == "not_seated"
    alice.do(f"tables/{table}/seat", {"seat": 4, "buy_in": "1000.00", "currency": "EUR", "money_type": "real",
                                      "contribution": "a4"})  # fmt: skip

    told = bob.read(f"tables/{table}/fairness")
    shoe = told["shoe"]
    assert (shoe["id"], shoe["commitment"]) == (promised["next_shoe"]["id"], promised["next_shoe"]["commitment"])
    assert (shoe["contributions"], shoe["cut"]) == (
        [unsigned(4, "a4")],
        fixed(shoe).hex(),
    )
    assert (told["next_shoe"]["number"], told["next_shoe"]["contributions"], told["revealed_shoes"]) == (2, [], [])
    alice.do(f"tables/{table}/cut", {"contribution": "a2"})
    assert alice.read(f"tables/{table}")["next_shoe"]["contributions"] == [unsigned(4, "a2")]

    shown = alice.read(f"tables/{table}")
    running, terms = shown["round"]["id"], shown["terms"]
    assert alice.get(f"rounds/{running}/shoe").json()["code"] == "round_is_running"
    bet(alice, table, banker="25.00")
    deal_all()
    played = bob.read(f"tables/{table}")["last_round"]
    proof = bob.read(f"rounds/{played['id']}/shoe")
    assert (proof["seed"], proof["root"]) == (None, shoe["root"])
    assert (proof["root"] is not None) is told["fixed_order"] is fixed_order
    if not fixed_order:
        seed = bytes.fromhex(proof["round_seed"])
        assert Drawing(UUID(table), UUID(shoe["id"]), terms["number"]).opens(terms["commitment"], seed)
        assert terms["cards"] == digest_cards(proof["dealt"])
        drawn = shuffle(seed, cut=fixed(shoe), decks=8, first=len(played["cards"]), out=proof["dealt"])
        assert (list(drawn), proof["openings"]) == (played["cards"], [])
        return
    assert (proof["round_seed"], proof["dealt"], terms["commitment"]) == (None, [], shoe["commitment"])
    assert [each["card"] for each in proof["openings"]] == played["cards"]
    assert [each["shoe_position"] for each in proof["openings"]] == [
        proof["shoe_position"] + n for n in range(len(played["cards"]))
    ]
    for each in (proof["turned_card"], *proof["openings"]):
        assert climb(CardOpening(**{**each, "path": tuple(each["path"])}), 416) == shoe["root"]


def test_what_does_not_count_is_refused_with_its_reason(lucky: Tenant, golden: Tenant) -> None:
    table, (alice, bob) = company(lucky, "atlantic_city", "Alice", "Bob")
    late, stranger = lucky.player("Late"), golden.player("Stranger")
    for wrong in ("", "a", "xyz", "00" * 33, "00 11"):
        assert code(alice, table, wrong) == (422, "contribution_malformed")
    assert code(alice, table, 7) == (422, "not_a_string")
    assert code(late, table, "aa") == (409, "not_seated")
    assert code(stranger, table, "aa") == (404, "unknown_table")
    for number in range(MAX_CUT_CHANGES):
        assert code(alice, table, f"{number:02x}")[0] == 200
    assert code(alice, table, "ff") == (409, "too_many_contributions")
    assert code(alice, table, f"{MAX_CUT_CHANGES - 1:02x}") == (200, "")
    assert bob.read(f"tables/{table}")["next_shoe"]["contributions"] == [unsigned(1, "07")]


def test_terms_are_shown_before_the_first_chip_and_stakes_can_not_bring_a_cut_for_their_own_round(
    lucky: Tenant,
) -> None:
    table, bob = lucky.table("mini"), lucky.player("Bob")
    first = bob.read(f"tables/{table}")["next_shoe"]
    bob.do(f"tables/{table}/seat", {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real",
                                    "contribution": "5e"})  # fmt: skip
    shown = bob.read(f"tables/{table}")
    assert (shown["round"], shown["terms"]["number"], shown["terms"]["shoe"]) == (None, 1, first["id"])
    assert (shown["terms"]["commitment"], shown["terms"]["next_commitment"]) == (
        first["commitment"],
        shown["next_shoe"]["commitment"],
    )
    assert shown["terms"]["contributions"] == [unsigned(1, "5e")]
    assert bob.read(f"tables/{table}/fairness")["shoe"]["cut"] == shown["terms"]["cut"]

    stakes = [{"spot": "tie", "amount": "5.00"}]
    opened = bob.do(f"tables/{table}/deal", {"stakes": stakes, "currency": "EUR", "contribution": "aa"})
    assert (opened["round"]["shoe"], opened["round"]["terms"]) == (first["id"], shown["terms"]["digest"])
    assert opened["round"]["contributions"] == [unsigned(1, "5e")]
    assert opened["terms"] == shown["terms"]
    assert opened["next_shoe"]["contributions"] == [unsigned(1, "aa")]
    deal_all()
    bob.do(f"tables/{table}/rebet-and-deal")
    assert bob.read(f"tables/{table}")["round"]["contributions"] == [unsigned(1, "aa")]


@pytest.mark.parametrize("path", ["tables/{}/fairness", "rounds/{}/shoe"])
def test_nobody_sees_the_shoes_of_another_operator(lucky: Tenant, golden: Tenant, path: str) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    bet(alice, table, tie="5.00")
    deal_all()
    identity = table if path.startswith("tables") else alice.read(f"tables/{table}")["last_round"]["id"]

    assert alice.get(path.format(identity)).status_code == lucky.get(path.format(identity)).status_code == 200
    assert golden.get(path.format(identity)).status_code == golden.get(path.format(NOWHERE)).status_code == 404


@pytest.mark.parametrize("preset", ["overview", "mini", "classic", "atlantic_city"])
def test_each_rounds_commitment_is_shown_before_its_first_bet(lucky: Tenant, preset: str) -> None:
    alice, table = lucky.player("Alice"), lucky.table(preset)
    shown = [alice.read(f"tables/{table}")["next_shoe"]]
    sit(alice, table)
    played = []
    for _ in range(2):
        shown.append(alice.read(f"tables/{table}/fairness")["next_shoe"])
        bet(alice, table, tie="5.00")
        deal_all()
        played.append(alice.read(f"tables/{table}")["last_round"])
    assert [each["number"] for each in shown] == [1, 2, 3]
    assert [(each["id"], each["commitment"]) for each in shown[:2]] == [
        (each["shoe"], each["commitment"]) for each in played
    ]
    assert all(
        is_revealed(table, shoe, number=number, seed=each["seed"])
        for number, (shoe, each) in enumerate(zip(shown, played, strict=False), 1)
    )
    assert all(not each["contributions"] for each in shown)
