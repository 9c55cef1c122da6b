"""Who stays away stays away at once: no deposit, seat, rebuy or wager; money and seats can be left all the same."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from baccarat.domain.rounds.state import SeatStatus
from baccarat.services import exclusion
from casino.events import sealer
from casino.events.rebuild import check
from casino.kernel.money import MoneyType
from casino.operators import pins
from casino.operators import services as operators
from casino.operators.refusals import PinLocked, PinWrong
from tests.conftest import Database
from tests.support.house import At, House, deal_all
from tests.support.protection import age_wishes, on
from tests.wallet.payments.counter import offer as offered
from tests.wallet.payments.counter import report, use_provider
from wallet.ledger import player_accounts as wallet
from wallet.payments import deposits, methods, withdrawals
from wallet.responsible_gaming import projection as responsible_gaming
from wallet.responsible_gaming import services
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.refusals import NotSelfExcluded, PlayerExcluded
from wallet.responsible_gaming.state import ExclusionKind

B = "banker"
COOLING, SELF = ExclusionKind.COOLING_OFF, ExclusionKind.SELF_EXCLUSION
PIN = "482913"


def at_table(
    house: House, player: UUID | None = None, *, preset: str = "mini", money_type: MoneyType = MoneyType.REAL
) -> At:
    at = house.guest(house.table(preset), player or house.player(real=1_000_000, play=1_000_000))
    at.sit(buy_in=100_000, money_type=money_type)
    return at


def leave_for(house: House, player: UUID, *, kind: ExclusionKind = COOLING, length: int = 24) -> None:
    exclusion.exclude(subject=on(house, player), by=Initiator.OPERATOR, kind=kind, length=length)


def standing(house: House, at: At) -> SeatStatus | None:
    part = house.in_hand(at.guest.table).seat_of(at.player)
    return None if part is None else part.status


@pytest.mark.parametrize("money_type", MoneyType)
@pytest.mark.parametrize(("kind", "length"), [(COOLING, 24), (SELF, 6)])
def test_nothing_is_played_and_everything_can_be_left(
    house: House, money_type: MoneyType, kind: ExclusionKind, length: int
) -> None:
    at = at_table(house, money_type=money_type)
    leave_for(house, at.player, kind=kind, length=length)
    other = house.guest(house.table("mini"), at.player)
    moves: tuple[Callable[[], Any], ...] = (
        lambda: at.place(B, 500),
        lambda: at.deal({B: 500}),
        lambda: at.rebuy(500),
        lambda: other.sit(buy_in=500, money_type=money_type),
        lambda: other.sit(buy_in=0, money_type=money_type),
    )
    for move in moves:
        with pytest.raises(PlayerExcluded) as refused:
            move()
        assert refused.value.facts["exclusion"] == kind.value
    at.leave()
    assert house.account(at, money_type) == 1_000_000


def test_chips_that_lay_on_tables_go_back_and_a_confirmed_wager_is_settled(house: House) -> None:
    player = house.player(real=1_000_000)
    placed, confirmed = at_table(house, player), at_table(house, player, preset="atlantic_city")
    placed.place(B, 500)
    confirmed.deal({B: 500})
    leave_for(house, player)

    assert standing(house, placed) is None
    assert house.game(placed) == 100_000
    deal_all()
    assert house.last(confirmed.guest.table).phase.value == "settled"
    for at in (placed, confirmed):
        at.leave()
    house.agree(placed.guest.table, confirmed.guest.table)


def test_others_at_the_table_play_on(house: House) -> None:
    table = house.table("atlantic_city")
    alice, bob = house.company(table, 2)
    alice.place(B, 500)
    bob.deal({B: 500})
    leave_for(house, alice.player)
    assert deal_all() == 1
    assert house.last(table).seat_of(bob.player).settlement is not None
    assert house.last(table).seat_of(alice.player).status is SeatStatus.LEFT
    house.agree(table)


def test_a_cooling_off_ends_by_itself_and_a_self_exclusion_by_the_operators_word(house: House) -> None:
    alice, bob = at_table(house), at_table(house)
    leave_for(house, alice.player)
    leave_for(house, bob.player, kind=SELF, length=6)
    age_wishes(alice.player, timedelta(hours=24))
    age_wishes(bob.player, timedelta(days=365))
    alice.deal({B: 500})
    with pytest.raises(PlayerExcluded):
        bob.deal({B: 500})
    with pytest.raises(NotSelfExcluded):
        services.end_exclusion(context=on(house, alice.player))
    services.end_exclusion(context=on(house, bob.player))
    bob.deal({B: 500})


def test_wagers_and_the_exclusion_at_once_leave_no_wager_after_it(
    house: House, in_threads: Callable[..., list[Any]]
) -> None:
    player = house.player(real=1_000_000)
    tables = [at_table(house, player) for _ in range(4)]

    def move(i: int) -> Any:
        if i == 2:
            return leave_for(house, player)
        return tables[i - (i > 2)].deal({B: 500})

    results = in_threads(5, move)
    assert all(result is None or isinstance(result, (dict, PlayerExcluded)) for result in results), results
    sealer.seal_all()
    rounds = [f"round-{house.in_hand(at.guest.table).require_opened().round} " for at in tables if standing(house, at)]
    assert not [
        found for found in engine.run_audit(max_wait=3600).findings if any(name in found.location for name in rounds)
    ]
    for at in tables:
        assert standing(house, at) in {SeatStatus.CONFIRMED, None}
    house.agree(*(at.guest.table for at in tables))


def test_a_player_with_a_pin_confirms_with_it_and_wrong_ones_count(house: House) -> None:
    operator = operators.create_operator(slug="pins", name="P", currencies=["EUR"], sandbox=True).id
    mine = House(operator=operator)
    player = wallet.register_player(
        operator=operator, reference="a", nickname="A", currency="EUR", metadata=house.metadata
    ).id
    pins.set_pin(operator=operator, player=player, pin=pins.hash_pin(PIN))

    def asks(pin: str) -> None:
        entered = pins.compare_pin(player=player, pin=pin)
        exclusion.exclude(subject=on(mine, player), by=Initiator.PLAYER, kind=COOLING, length=24, pin=entered)

    for wrong in ("", "111111"):
        with pytest.raises(PinWrong):
            asks(wrong)
    asks(PIN)
    for _ in range(3):
        with pytest.raises(PinWrong):
            asks("111111")
    with pytest.raises(PinLocked):
        asks(PIN)


def test_deposits_stop_and_what_is_on_its_way_arrives_and_may_be_withdrawn(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    del database
    use_provider(monkeypatch)
    house = House()
    player = house.player(real=0)
    method = methods.create(operator=house.operator, offer=offered(fee_fixed=0, fee_ppm=0), actor="test").id
    asked: dict[str, Any] = {
        "operator": house.operator,
        "player": player,
        "currency": "EUR",
        "method": method,
        "amount": 5_000,
        "metadata": house.metadata,
    }
    made = deposits.request(**asked)
    leave_for(house, player, kind=SELF, length=6)
    with pytest.raises(PlayerExcluded):
        deposits.request(**asked)
    with pytest.raises(PlayerExcluded):
        deposits.repeat(**{key: asked[key] for key in ("operator", "player", "currency", "metadata")})

    assert deposits.apply(report(made, "completed"), provider="sandbox") == deposits.APPLIED
    withdrawals.request(**asked)
    sealer.seal_all()
    assert engine.run_audit(max_wait=3600).findings == ()
    assert check(responsible_gaming.PROJECTOR).changed == ()
