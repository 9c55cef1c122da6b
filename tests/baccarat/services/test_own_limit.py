"""A player's own limit holds at every table, for whatever adds to a stake, and hinders nothing that takes away."""

from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.audit import engine
from baccarat.services import betting
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute
from casino.kernel.money import MoneyType
from casino.operators import pins, services
from tests.conftest import Database, as_owner
from tests.support.house import BUY_IN, FUNDS, At, House, deal_all
from wallet.ledger import player_accounts as wallet
from wallet.responsible_gaming.table_limit import OverOwnTableLimit
from wallet.responsible_gaming.table_limit_services import PROJECTOR, set_table_limit

PIN = "482913"
P, B = "player", "banker"


@pytest.fixture
def house(database: object) -> House:
    del database
    return House(operator=services.create_operator(slug="lucky", name="L", currencies=["EUR"], sandbox=True).id)


def newcomer(house: House, name: str = "alice") -> UUID:
    player = wallet.register_player(
        operator=house.operator, reference=name, nickname=name, currency="EUR", metadata=house.metadata
    ).id
    pins.set_pin(operator=house.operator, player=player, pin=pins.hash_pin(PIN))
    for money_type in MoneyType:
        house.credit(player, FUNDS, money_type)
    return player


def limit(house: House, player: UUID, amount: int | None) -> None:
    """Set the limit, a betting week after it was set before."""
    execute("UPDATE wallet_table_limit SET set_at = set_at - interval '8 days', next_change_at = set_at")
    set_table_limit(
        operator=house.operator,
        currency="EUR",
        amount=amount,
        pin=pins.compare_pin(player=player, pin=PIN),
        metadata=house.metadata,
    )


def seated(house: House, player: UUID, preset: str = "mini", money_type: MoneyType = MoneyType.REAL) -> At:
    at = house.guest(house.table(preset), player)
    at.sit(buy_in=BUY_IN, money_type=money_type)
    return at


@pytest.mark.parametrize("money_type", MoneyType)
def test_it_holds_at_every_table_and_in_both_books(house: House, money_type: MoneyType) -> None:
    player = newcomer(house)
    limit(house, player, 10_000)

    for preset in ("mini", "classic", "overview"):
        at = seated(house, player, preset, money_type)
        with pytest.raises(OverOwnTableLimit):
            at.deal({B: 10_500})
        assert at.deal({B: 10_000})["you"]["status"] == "confirmed"
        deal_all()


def test_chips_add_up_to_it_on_each_spot(house: House) -> None:
    player = newcomer(house)
    limit(house, player, 10_000)
    at = seated(house, player)

    at.place(B, 7_500)
    with pytest.raises(OverOwnTableLimit) as refused:
        at.place(B, 5_000)
    at.place(P, 10_000)

    assert refused.value.facts["limit"] == "100.00"
    assert refused.value.facts["next_change_at"] is not None
    assert at.deal()["you"]["status"] == "confirmed"


def test_it_holds_for_chips_that_lay_there_before_and_they_can_be_taken_back(house: House) -> None:
    player = newcomer(house)
    at = seated(house, player)
    at.place(B, 10_000)
    at.place(B, 10_000)
    limit(house, player, 7_500)

    with pytest.raises(OverOwnTableLimit):
        at.deal()
    at.undo()
    with pytest.raises(OverOwnTableLimit):
        at.deal()
    at.clear()
    at.place(B, 7_500)
    assert at.deal()["you"]["status"] == "confirmed"


def test_an_earlier_wager_above_it_is_not_repeated(house: House) -> None:
    player = newcomer(house)
    at = seated(house, player)
    at.deal({B: 20_000})
    deal_all()
    limit(house, player, 10_000)

    for again in (at.rebet, at.rebet_and_deal):
        with pytest.raises(OverOwnTableLimit):
            again()
    assert house.in_hand(at.guest.table).seat_of(player) is None


def test_raising_to_the_minimum_does_not_pass_it(house: House) -> None:
    player = newcomer(house)
    at = house.guest(house.table("atlantic_city"), player)
    at.sit()
    minimum = house.state(at.guest.table).rules.minimum
    chip = house.state(at.guest.table).rules.chips[0]
    assert chip < minimum
    limit(house, player, chip)

    at.place(B, chip)
    with pytest.raises(OverOwnTableLimit):
        at.deal()
    assert house.game(at) == BUY_IN


def test_a_confirmed_wager_is_dealt_whatever_is_set_after_it(house: House) -> None:
    player = newcomer(house)
    at = seated(house, player)
    at.deal({B: 20_000})
    limit(house, player, 100)
    deal_all()

    assert house.last(at.guest.table).outcome is not None
    house.agree(at.guest.table)


def test_lifted_it_leaves_the_tables_maximum_alone(house: House) -> None:
    player = newcomer(house)
    limit(house, player, 10_000)
    limit(house, player, None)

    assert seated(house, player).deal({B: 20_000})["you"]["status"] == "confirmed"


def test_it_costs_a_wager_no_query(house: House) -> None:
    free, bound = (seated(house, newcomer(house, name)) for name in ("bob", "cat"))
    limit(house, bound.player, 10_000)
    counts = []
    for at in (free, bound):
        at.deal({B: 5_000})
        deal_all()
        with CaptureQueriesContext(connection) as queries:
            betting.deal(actor=at.guest, stakes={B: 5_000}, currency="EUR")
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert sum("wallet_eligibility" in query["sql"] for query in queries) == 1


def test_an_audit_finds_nothing_and_a_rebuild_changes_nothing(house: House) -> None:
    player = newcomer(house)
    set_table_limit(
        operator=house.operator,
        currency="EUR",
        amount=7_500,
        pin=pins.compare_pin(player=player, pin=PIN),
        metadata=house.metadata,
    )
    sealer.seal_all()

    assert engine.run_audit(max_wait=3600).findings == ()
    assert check(PROJECTOR).changed == ()


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ("UPDATE wallet_table_limit SET amount = amount + 1", "row differs"),
        ("DELETE FROM wallet_table_limit", "row is missing"),
        ("UPDATE wallet_table_limit SET account_id = gen_random_uuid()", "row is extra"),
    ],
)
def test_a_damaged_row_is_found_and_comes_back(house: House, database: Database, damage: str, what: str) -> None:
    player = newcomer(house)
    limit(house, player, 7_500)
    sealer.seal_all()
    execute(damage)

    assert what in {finding.kind for finding in engine.run_audit(max_wait=3600).findings}
    assert any(str(player) in row or what == "row is extra" for row in check(PROJECTOR).changed)
    with as_owner(database.owner_url):
        rebuild(PROJECTOR)
    assert engine.run_audit(max_wait=3600).findings == ()
