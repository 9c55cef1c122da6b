"""Each round's shoe is committed to one round ahead: whoever comes first, whatever fails."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from baccarat.audit import engine
from baccarat.domain.tables.refusals import NextShoeUnreadable
from baccarat.domain.tables.state import NextShoe
from baccarat.queries import fairness
from baccarat.services import betting, rules_lifecycle, table_lifecycle
from baccarat.storage import shoe_seeds
from casino.events.sql import execute, fetch
from casino.kernel.findings import Finding
from tests.support import rules as waiting_rules
from tests.support.drawings import is_shoe_opened
from tests.support.examples import B
from tests.support.house import At, House, deal_all

OTHER_KEYS = "other:" + "dd" * 32


def coming(house: House, table: UUID) -> NextShoe:
    """Return the shoe that the table has committed to for its next round."""
    return house.state(table).committed_shoes()[0]


def found_at(house: House, table: UUID) -> list[Finding]:
    """Return a full audit's findings about a table, its rounds and its shoes."""
    rounds = [round_ for (round_,) in fetch("SELECT id FROM baccarat_round WHERE table_id = %s", [table])]
    names = {str(each) for each in (table, *rounds)}
    return [each for each in engine.run_audit(max_wait=3600).findings if any(name in each.location for name in names)]


def stake(at: At) -> dict[str, Any]:
    return betting.deal(actor=at.guest, stakes={"banker": 500}, currency="EUR")


def test_two_first_bets_at_once_open_one_round_on_the_named_shoe_and_name_one_more(
    house: House, in_threads: Callable[..., list[Any]]
) -> None:
    table = house.table("atlantic_city", turn_seconds=1)
    company = house.company(table, 2)
    fetch("SELECT pg_sleep(1.1)")
    deal_all()  # nobody said a word: the table rests
    assert house.state(table).round is None
    named, number = coming(house, table), house.state(table).rounds + 1
    before = len(house.events(table))

    in_threads(2, lambda place: company[place].place(B, 500))

    (opened,) = [event for _, _, event in house.events(table)[before:] if type(event).__name__ == "RoundOpened"]
    assert (opened.shoe, opened.commitment, opened.number) == (named.shoe, named.commitment, named.number)
    following = coming(house, table)
    assert (following.number, following.shape) == (number + 1, named.shape)
    assert shoe_seeds.find_stored([named.shoe, following.shoe]) == {named.shoe, following.shoe}
    house.agree(table)


def test_a_bet_that_fails_on_its_way_leaves_the_named_shoe_for_the_next_one(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    named = coming(house, table)

    def fail(*_: object, **__: object) -> None:
        raise OSError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(shoe_seeds, "store", fail)
        with pytest.raises(OSError, match="gone"):
            stake(ann)
    assert (house.state(table).rounds, coming(house, table)) == (0, named)
    stake(ann)
    assert house.in_hand(table).require_opened().shoe == named.shoe
    house.agree(table)


def test_no_round_opens_on_a_shoe_whose_seed_can_not_be_read_and_nobody_is_kept_there(
    house: House, settings: Settings
) -> None:
    table, company = house.table("mini"), house.table("atlantic_city")
    ann, ben = house.seated(table), house.guest(company, house.player())
    keys, settings.SHOE_KEYS = settings.SHOE_KEYS, OTHER_KEYS
    with pytest.raises(NextShoeUnreadable):
        stake(ann)
    ben.sit()
    assert (house.state(table).rounds, house.state(company).rounds) == (0, 0)
    ben.leave()
    settings.SHOE_KEYS = keys

    named = coming(house, table)
    stake(ann)
    assert deal_all() == 1
    assert is_shoe_opened(table, named, house.last(table).seed)
    house.agree(table, company)


def test_a_round_is_settled_though_the_shoe_of_the_next_one_is_lost(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table)
    execute("DELETE FROM baccarat_shoesecret WHERE shoe_id = %s", [coming(house, table).shoe])
    stake(ann)
    assert deal_all() == 1
    assert (house.last(table).phase, house.state(table).round) == ("settled", None)
    with pytest.raises(NextShoeUnreadable):
        stake(ann)


def test_a_table_that_closes_reveals_the_shoe_that_it_had_named(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    stake(ann)
    deal_all()
    named, later = house.state(table).committed_shoes()
    ann.leave()

    table_lifecycle.close_table(table=table, operator=house.operator, reason="Worn out", metadata=house.metadata)

    *given_up, played = fairness.table_fairness(table=table, operator=house.operator).revealed_shoes
    for shown, shoe, number in zip(given_up, (later, named), (3, 2), strict=True):
        assert (shown.id, shown.number, shown.decks) == (shoe.shoe, number, 8)
        assert is_shoe_opened(table, shoe, shown.seed)
    assert played.number == 1
    assert shoe_seeds.find_stored([named.shoe, later.shoe]) == set()
    assert found_at(house, table) == []
    house.agree(table)


def test_other_decks_wait_for_a_shoe_that_is_named_after_their_publishing(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    place: dict[str, Any] = {"table": table, "operator": house.operator, "metadata": house.metadata}
    version = rules_lifecycle.draft(differences={"decks": 6}, by="staff:1", **place)
    waiting_rules.publish(table, version)
    decks = []
    for _ in range(3):
        stake(ann)
        decks.append(house.state(table).rules.decks)
        deal_all()
    assert (decks, coming(house, table).shape.decks) == ([8, 8, 6], 6)
    assert found_at(house, table) == []
    house.agree(table)
