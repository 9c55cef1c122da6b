"""Voided rounds by cause, with what they would have won for the house."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.tables.events import ShoeEnded
from baccarat.queries.voids import VoidCause, voids_by_cause
from baccarat.services import voiding
from casino.kernel.money import format_amount
from tests.conftest import Database
from tests.support import voids as void_changes
from tests.support.examples import B, P
from tests.support.house import House, deal_all, leave_the_past


@pytest.fixture
def house(database: Database) -> House:
    del database
    leave_the_past()
    return House()


def void(house: House, round_: UUID | None, *, reason: str) -> None:
    """Void a round: by two persons if it is settled."""
    assert round_ is not None
    where = {"round_": round_, "operator": house.operator}
    if voiding.void(**where, reason=reason, note="x", metadata=replace(house.metadata, actor="staff:1")):
        void_changes.confirm(round_)


def test_rounds_voided_in_play_count_with_what_their_cards_would_have_won(house: House) -> None:
    table = house.table("atlantic_city")
    ann, _ = house.company(table, 2)
    gain = 0
    for _ in range(3):
        ann.deal({B: 2500, P: 500})
        in_play = house.state(table).round
        void(house, in_play, reason="misdeal")
        voided, rules = house.round(in_play), house.state(table).rules
        assert voided.seed is not None
        seed, cut = bytes.fromhex(voided.seed), bytes.fromhex(voided.cut or "")
        cards = shuffle(seed, cut=cut, decks=rules.decks, first=6)
        settlement = settle(rules, {B: 2500, P: 500}, Coup.of(deal(cards)))
        gain += 3000 - settlement.returned
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.cause, voids.rounds) == (VoidCause.MISDEAL, 3)
    assert (voids.unconfirmed, voids.after_release, voids.unknown) == (0, 0, 0)
    assert (voids.house_gain, voids.house_gain_play) == (format_amount(gain, "EUR"), "0.00")


def test_settled_rounds_count_with_what_they_had_won(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({B: 2500})
    deal_all()
    settlement = house.last(table).seats[0].settlement
    assert settlement is not None
    void(house, house.state(table).last_round, reason="fraud")
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.cause, voids.rounds, voids.unknown) == (VoidCause.FRAUD, 1, 0)
    assert voids.house_gain == format_amount(2500 - settlement.returned, "EUR")


@pytest.mark.parametrize("fixed_order", [True, False])
def test_voids_of_ended_shoes_are_read_with_as_many_queries_however_many_they_are(
    house: House, fixed_order: bool
) -> None:
    table = house.table("big_table", decks=1, cut_cards_from_end=30, fixed_order=fixed_order)
    ann = house.seated(table)
    counted, gain = [], 0
    for rounds in (1, 3):
        voided = []
        for _ in range(rounds):
            ann.deal({B: 2500})
            voided.append((house.state(table).shoe, house.state(table).rounds))
            void(house, house.state(table).round, reason="misdeal")
        shoes = house.state(table).shoes
        while house.state(table).shoes == shoes:
            ann.deal({B: 2500})
            deal_all()
        ended = {each.shoe: each for _, _, each in house.events(table) if isinstance(each, ShoeEnded)}
        for shoe, number in voided:
            assert shoe is not None
            seed, cut = bytes.fromhex(ended[shoe.shoe].seed), bytes.fromhex(shoe.cut)
            out = [Card(card) for card in shoe.cards.split()]
            drawn = shuffle(round_seed(seed, number), cut=cut, decks=1, out=out)
            cards = shuffle(seed, cut=cut, decks=1)[shoe.cards_used :] if fixed_order else drawn
            settled = settle(house.state(table).rules, {B: 2500}, Coup.of(deal(cards)))
            gain += 2500 - settled.returned
        with CaptureQueriesContext(connection) as queries:
            (voids,) = voids_by_cause(house.state(table))
        counted.append(len(queries))
        assert (voids.unknown, voids.house_gain) == (0, format_amount(gain, "EUR"))
    assert counted[0] == counted[1]


def test_a_round_of_a_shoe_of_fixed_order_is_not_known_before_its_end(house: House) -> None:
    table = house.table("big_table", fixed_order=True)
    house.seated(table).deal({B: 2500})
    assert voids_by_cause(house.state(table)) == ()
    void(house, house.state(table).round, reason="other")
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.rounds, voids.unknown, voids.house_gain) == (1, 1, "0.00")
