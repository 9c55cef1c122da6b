"""The Caller's ceremony on a real database: secrecy, deadlines by its clock, voids, and many at once."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain import dealer
from baccarat.domain.rounds.refusals import CardsAreHandedBack, NoCeremony, NotYourCards
from baccarat.domain.rounds.state import Phase
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.queries import tables
from baccarat.services import ceremony, dealing, voiding
from baccarat.storage import repository, shoe_seeds
from casino.events.sql import fetch
from casino.operators.refusals import ChangeNeedsSecondPerson
from tests.baccarat.services.test_secrecy import everything
from tests.conftest import Database
from tests.support import voids
from tests.support.examples import B, P
from tests.support.house import BUY_IN, At, House, as_document, deal_all, until

InThreads = Callable[..., list[Any]]


def look(at: At) -> dict[str, Any]:
    return as_document(ceremony.look(actor=at.guest))


def hand_back(at: At) -> dict[str, Any]:
    return as_document(ceremony.hand_back(actor=at.guest))


def with_cards_out(house: House, preset: str = "big_table", **rules: Any) -> tuple[UUID, At, At]:
    """Return a table where Ann has the cards and Ben has bet, too."""
    limits = {"look_seconds": 60, "hand_back_seconds": 60}
    table = house.table(preset, caller=True, **{**limits, **rules})
    ann, ben = house.company(table, 2)
    ann.deal({P: 5000})
    ben.deal({B: 2500, P: 2500})
    assert dealing.deal_due() == 1
    return table, ann, ben


def test_the_ceremony_goes_its_way_and_the_round_is_settled(house: House) -> None:
    table, ann, _ = with_cards_out(house)
    assert house.in_hand(table).phase is Phase.CLOSED
    assert dealing.deal_due() == 0

    shown = look(ann)
    assert look(ann) == shown
    drawn = hand_back(ann)["round"]["ceremony"]
    assert (drawn["you"], drawn["looked"], drawn["handed_back"]) == (True, True, "player")
    assert deal_all() == 1

    settled = house.last(table)
    assert (settled.cards[0], settled.cards[2]) == tuple(shown["cards"])
    assert house.names(settled)[-6:] == [
        "CardsLookedAt", "CardsHandedBack", "HandTurned", "HandTurned", "CardsDealt", "RoundSettled",
    ]  # fmt: skip
    house.agree(table)


@pytest.mark.parametrize("preset", ["big_table", "atlantic_city"])
def test_no_card_is_anywhere_before_it_is_turned_but_in_the_answer_to_its_seat(database: Database, preset: str) -> None:
    house = House()  # alone in its database: two cards are soon found beside each other where many were dealt
    table, ann, ben = with_cards_out(house, preset)
    shown = look(ann)["cards"]
    seed = shoe_seeds.decrypt([house.in_hand(table).require_opened().shoe]).popitem()[1]

    with database.owner() as owner:
        heap = everything(owner)
    pictures = [
        as_document(tables.load_table(table=table, operator=house.operator, viewer=viewer))
        for viewer in (None, ann.player, ben.player)
    ]
    seen = heap + str(pictures).encode() + str(house.events(table)).encode()

    assert len(shown) == 2
    for separator in (" ", '", "', '","', "', '", ","):
        assert separator.join(shown).encode() not in seen
    assert seed.hex().encode() not in seen
    assert all(picture["round"]["cards"] == [] for picture in pictures)
    assert all(picture["round"]["player_hand"]["cards"] == [] for picture in pictures)


def test_nobody_else_sees_or_hands_back(house: House) -> None:
    table, ann, ben = with_cards_out(house)
    stranger, other = house.guest(table), replace(ann.guest, operator=UUID(int=1))
    for call in (ceremony.look, ceremony.hand_back):
        with pytest.raises(NotYourCards):
            call(actor=ben.guest)
        with pytest.raises(UnknownTable):
            call(actor=other)
    with pytest.raises(NotYourCards):
        look(stranger)
    versions = len(house.names(house.in_hand(table)))
    assert house.names(house.in_hand(table))[-1] == "CardsHandedOut"
    hand_back(ann)
    with pytest.raises(CardsAreHandedBack):
        look(ann)
    assert len(house.names(house.in_hand(table))) == versions + 1
    deal_all()
    with pytest.raises(NoCeremony):
        look(ann)


@pytest.mark.parametrize("looks", [False, True])
def test_an_absent_player_holds_nothing_up(house: House, looks: bool) -> None:
    table, ann, _ = with_cards_out(house, look_seconds=1, hand_back_seconds=1)
    if looks:
        look(ann)
    number = house.in_hand(table).require_opened().number
    until(lambda: house.state(table).rounds > number)
    settled = house.last(table)
    assert (settled.phase, settled.require_opened().number) == (Phase.SETTLED, number)
    assert settled.ceremony is not None
    assert (settled.ceremony.handed_back, settled.ceremony.looked_at is not None) == ("time", looks)
    house.agree(table)


def test_a_round_of_its_own_shoe_keeps_its_seed_secret_until_it_is_settled(house: House) -> None:
    table, ann, _ = with_cards_out(house, "atlantic_city")
    facts = house.in_hand(table).require_opened()
    assert house.in_hand(table).seed is None
    assert facts.shoe in shoe_seeds.decrypt([facts.shoe])
    hand_back(ann)
    deal_all()
    assert house.last(table).seed is not None
    assert shoe_seeds.decrypt([facts.shoe]) == {}


@pytest.mark.parametrize("fixed_order", [False, True])
@pytest.mark.parametrize("looks", [False, True])
def test_a_void_gives_the_stakes_back_and_no_seen_card_is_dealt(house: House, looks: bool, fixed_order: bool) -> None:
    table, ann, ben = with_cards_out(house, fixed_order=fixed_order)
    round_, before = house.in_hand(table).require_opened().round, house.state(table).shoe
    seen = look(ann)["cards"] if looks else None

    first = replace(house.metadata, actor="staff:1")
    voiding.void(round_=round_, operator=house.operator, reason="other", note="x", metadata=first)
    if looks:
        with pytest.raises(ChangeNeedsSecondPerson):
            voids.confirm(round_, by="staff:1")
        assert house.state(table).round == round_
        voids.confirm(round_)

    after = house.state(table).shoe
    assert before is not None
    assert after is not None
    assert after.cards_used - before.cards_used == (6 if looks and fixed_order else 0)
    assert (house.game(ann), house.game(ben)) == (BUY_IN, BUY_IN)
    ann.deal({B: 2500})
    ben.pass_turn()
    deal_all()
    with pytest.raises(NoCeremony):
        look(ann)
    position = house.last(table).shoe_position
    assert position == after.cards_used
    if seen is not None and fixed_order:
        journal, _ = repository.lock_table(table=table, operator=house.operator)
        seed = shoe_seeds.decrypt([after.shoe])[after.shoe]
        journal.table = replace(journal.table, shoe=before)
        assert list(dealer.players_cards(journal, seed)) == seen  # what was seen lies behind, burned
    house.agree(table)


def test_of_fifty_hands_on_the_cards_one_hands_them_back_and_nothing_is_dealt_twice(
    house: House, in_threads: InThreads
) -> None:
    table, ann, _ = with_cards_out(house)

    def race(number: int) -> Any:
        if number % 5 == 4:
            return dealing.deal_due()
        return look(ann)["cards"][0] if number % 2 else hand_back(ann)["id"]

    answers = in_threads(50, race)
    kinds = Counter(type(answer).__name__ for answer in answers)
    assert set(kinds) <= {"str", "int", "CardsAreHandedBack", "NoCeremony"}
    deal_all()
    settled = house.last(table)
    names = house.names(settled)
    for once in ("CardsHandedOut", "CardsHandedBack", "CardsDealt", "RoundSettled"):
        assert names.count(once) == 1
    assert names.count("CardsLookedAt") <= 1
    house.agree(table)


def test_a_round_without_a_player_wager_is_dealt_at_once(house: House) -> None:
    table = house.table("big_table", caller=True)
    ann = house.seated(table)
    ann.deal({B: 2500})
    assert deal_all() == 1
    assert house.last(table).ceremony is None
    assert house.names(house.last(table))[-4:] == ["HandTurned", "HandTurned", "CardsDealt", "RoundSettled"]


def test_the_table_is_due_when_the_time_with_the_cards_is_over(house: House) -> None:
    table, ann, _ = with_cards_out(house)

    def due() -> Any:
        return fetch("SELECT due_at FROM baccarat_duetable WHERE table_id = %s", [table])[0][0]

    state = house.in_hand(table).ceremony
    assert state is not None
    assert due() == state.until
    until = ceremony.look(actor=ann.guest).until
    assert due() == until > state.until
    hand_back(ann)
    assert due() < until
