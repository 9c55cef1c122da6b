"""Limits on what is staked, lost and played hold to the last unit, at every table and for fifty at once."""

import dataclasses
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.audit import engine
from baccarat.domain.rounds.events import VoidReason
from baccarat.services import voiding
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database, as_owner
from tests.support import voids
from tests.support.house import At, House, deal_all
from tests.support.protection import age_play, age_wishes, all_limited, limited, on
from tests.wallet.ledger.world import causes, move
from tests.wallet.payments.counter import offer, use_provider
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments import deposits, methods
from wallet.payments.debts import outstanding
from wallet.responsible_gaming import eligibility, services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.projection import PROJECTOR
from wallet.responsible_gaming.refusals import LimitIncreaseTooEarly, PlayLimitReached

P, B = "player", "banker"
DAY = timedelta(days=1)


def at_table(
    house: House, player: UUID | None = None, *, money_type: MoneyType = MoneyType.REAL, buy_in: int = 100_000
) -> At:
    at = house.guest(house.table("mini"), player or house.player(real=1_000_000, play=1_000_000))
    at.sit(buy_in=buy_in, money_type=money_type)
    return at


def used(player: UUID) -> dict[tuple[LimitType, LimitPeriod], int]:
    (now,) = fetch("SELECT clock_timestamp()")[0]
    return dict(eligibility.usage(player=player, currency="EUR", now=now).used)


def lost(player: UUID) -> int:
    """Return by how much the player's real money has decreased, over all accounts."""
    ((total,),) = fetch(
        """SELECT 1000000 - sum(balance)::bigint FROM wallet_account JOIN wallet_balance ON account_id = id
            WHERE player_id = %s AND money_type = 'real'""",
        [player],
    )
    return int(total)


def test_stakes_fit_up_to_the_limit_and_not_a_chip_more(house: House) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.STAKE, 2_500)
    at.deal({B: 1_500})
    deal_all()
    with pytest.raises(PlayLimitReached) as refused:
        at.deal({B: 1_100})
    at.deal({P: 500, B: 500})

    facts = refused.value.facts
    assert (facts["limit"], facts["used"], facts["remaining"], facts["unit"]) == ("25.00", "15.00", "10.00", "EUR")
    assert (facts["limit_type"], facts["period"], facts["set_by"]) == ("stake", "day", "player")


def test_a_refusal_tells_when_it_fits_again_and_then_it_does(house: House) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.STAKE, 3_000)
    for hours in (10, 5, 0):
        at.deal({B: 1_000})
        deal_all()
        if hours:
            age_play(at.player, timedelta(hours=5))
    with pytest.raises(PlayLimitReached) as refused:
        at.deal({B: 1_500})
    ((second,),) = fetch(
        "SELECT at FROM wallet_turnover JOIN wallet_account ON id = account_id WHERE player_id = %s AND staked = 2000 "
        "ORDER BY sequence LIMIT 1",
        [at.player],
    )
    assert refused.value.facts["available_at"] == second + DAY

    age_play(at.player, timedelta(hours=19, minutes=30))
    at.deal({B: 1_500})


def test_more_than_the_whole_limit_never_fits(house: House) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.STAKE, 1_000)
    with pytest.raises(PlayLimitReached) as refused:
        at.deal({B: 1_500})
    assert refused.value.facts["available_at"] is None


def test_what_is_lost_counts_with_what_is_in_play_and_a_win_makes_room(house: House) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.LOSS, 20_000)
    for _ in range(12):
        left = 20_000 - lost(at.player)
        if not 500 <= left < 30_000:  # nothing left to lose, or more than the table's maximum
            break
        with pytest.raises(PlayLimitReached):
            at.deal({B: left - left % 100 + 100})
        at.deal({B: min(5_000, left - left % 500)})
        assert used(at.player)[LimitType.LOSS, LimitPeriod.DAY] == lost(at.player)
        deal_all()
        assert used(at.player)[LimitType.LOSS, LimitPeriod.DAY] == lost(at.player) <= 20_000


def test_a_week_and_a_month_look_further_back_than_a_day(house: House) -> None:
    at = at_table(house)
    at.deal({B: 1_000})
    deal_all()
    seen = []
    for days in (0, 1, 6, 24):
        age_play(at.player, timedelta(days=days))
        found = used(at.player)
        seen.append(tuple(found[LimitType.STAKE, period] for period in LimitPeriod))
    assert seen == [(1_000,) * 3, (0, 1_000, 1_000), (0, 0, 1_000), (0, 0, 0)]


def test_wagers_at_ten_tables_at_once_stake_exactly_the_limit(
    house: House, in_threads: Callable[..., list[Any]]
) -> None:
    player = house.player(real=1_000_000)
    tables = [at_table(house, player, buy_in=10_000) for _ in range(10)]
    limited(house, player, LimitType.STAKE, 2_000)

    results = in_threads(10, lambda i: tables[i].deal({B: 500}))
    assert sum(isinstance(result, PlayLimitReached) for result in results) == 6
    assert used(player)[LimitType.STAKE, LimitPeriod.DAY] == 2_000
    house.agree(*(at.guest.table for at in tables))


def test_fifty_deposits_at_once_come_to_exactly_the_limit(
    house: House, in_threads: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch)
    player = house.player(real=0)
    method = methods.create(operator=house.operator, offer=offer(fee_fixed=0, fee_ppm=0), actor="test").id
    limited(house, player, LimitType.DEPOSIT, 10_500)

    def pay_in(_: int) -> Any:
        return deposits.request(
            operator=house.operator, player=player, currency="EUR", method=method, amount=1_000, metadata=house.metadata
        )

    results = in_threads(50, pay_in)
    assert sum(isinstance(result, PlayLimitReached) for result in results) == 40
    assert sum(isinstance(result, UUID) for result in results) == 10
    assert used(player)[LimitType.DEPOSIT, LimitPeriod.DAY] == 10_000


def test_a_limit_of_the_operator_holds_for_everyone_and_the_strictest_for_each(house: House) -> None:
    alice, bob = at_table(house), at_table(house)
    all_limited(house, LimitType.STAKE, 1_000)
    limited(house, bob.player, LimitType.STAKE, 500)
    services.set_limit(
        context=on(house, bob.player),
        by=Initiator.OPERATOR,
        limit_type=LimitType.STAKE,
        period=LimitPeriod.DAY,
        limit=700,
    )
    for at, most in ((alice, 1_000), (bob, 500)):
        with pytest.raises(PlayLimitReached) as refused:
            at.deal({B: most + 100})
        assert refused.value.facts["set_by"] == ("operator" if at is alice else "player")
        at.deal({B: most})


def test_a_higher_limit_holds_a_day_later_and_once_confirmed(house: House) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.STAKE, 500)
    limited(house, at.player, LimitType.STAKE, None)
    with pytest.raises(PlayLimitReached):
        at.deal({B: 600})
    with pytest.raises(LimitIncreaseTooEarly):
        services.confirm_increase(context=on(house, at.player), limit_type=LimitType.STAKE, period=LimitPeriod.DAY)
    age_wishes(at.player, DAY)
    with pytest.raises(PlayLimitReached):
        at.deal({B: 600})
    services.confirm_increase(context=on(house, at.player), limit_type=LimitType.STAKE, period=LimitPeriod.DAY)
    at.deal({B: 600})


def test_play_money_is_under_no_limit_of_money(house: House) -> None:
    at = at_table(house, money_type=MoneyType.PLAY)
    for measure in (LimitType.STAKE, LimitType.LOSS):
        limited(house, at.player, measure, 100)
    at.deal({B: 5_000})
    deal_all()
    assert used(at.player)[LimitType.STAKE, LimitPeriod.DAY] == 0
    assert used(at.player)[LimitType.TIME, LimitPeriod.DAY] == 5


@pytest.mark.parametrize("money_type", MoneyType)
def test_time_is_counted_in_five_minutes_and_ends_at_the_limit(house: House, money_type: MoneyType) -> None:
    at = at_table(house, money_type=money_type)
    limited(house, at.player, LimitType.TIME, 10)
    for _ in range(2):
        at.deal({B: 500})
        deal_all()
        at.deal({B: 500})
        deal_all()
        age_play(at.player, timedelta(minutes=5))
    assert used(at.player)[LimitType.TIME, LimitPeriod.DAY] == 10
    with pytest.raises(PlayLimitReached) as refused:
        at.deal({B: 500})
    assert (refused.value.facts["remaining"], refused.value.facts["unit"]) == ("0", "minutes")
    with pytest.raises(PlayLimitReached):
        at.rebuy(100)
    age_play(at.player, DAY - timedelta(minutes=5))
    at.deal({B: 500})


def test_two_tables_at_once_are_played_in_the_same_time(house: House) -> None:
    one = at_table(house)
    other = at_table(house, one.player)
    while fetch("SELECT floor(extract(epoch FROM clock_timestamp()))::int %% 300 > 290")[0][0]:
        fetch("SELECT pg_sleep(1)")
    for at in (one, other):
        at.deal({B: 500})
    assert used(one.player)[LimitType.TIME, LimitPeriod.DAY] == 5


def test_a_limit_that_is_used_up_stops_sitting_down_and_rebuys_of_real_money(house: House) -> None:
    at = at_table(house)
    at.deal({B: 1_000})
    deal_all()
    limited(house, at.player, LimitType.STAKE, 1_000)
    other = house.guest(house.table("mini"), at.player)
    for bring in (lambda: at.rebuy(100), lambda: other.sit(buy_in=1_000)):
        with pytest.raises(PlayLimitReached):
            bring()
    other.sit(buy_in=1_000, money_type=MoneyType.PLAY)
    at.leave()


def test_what_a_void_undoes_is_lost_no_more_and_was_staked_all_the_same(house: House) -> None:
    at = at_table(house)
    at.deal({B: 1_000})
    in_play = house.in_hand(at.guest.table).require_opened().round
    void(house, in_play)
    at.deal({P: 2_000})
    deal_all()
    settled = house.last(at.guest.table).require_opened().round
    void(house, settled)
    voids.confirm(settled)
    found = used(at.player)
    assert (found[LimitType.STAKE, LimitPeriod.DAY], found[LimitType.LOSS, LimitPeriod.DAY], lost(at.player)) == (
        3_000,
        0,
        0,
    )


def void(house: House, round_: UUID) -> None:
    voiding.void(
        round_=round_,
        operator=house.operator,
        reason=VoidReason.MALFUNCTION.value,
        note="A test.",
        metadata=dataclasses.replace(house.metadata, actor="staff:1"),
    )


def test_commission_that_is_owed_is_lost_when_it_is_settled(house: House) -> None:
    at = house.guest(house.table("big_table"), house.player(real=1_000_000))
    at.sit(buy_in=500_000)
    for _ in range(6):
        at.deal({B: 10_000})
        deal_all()
        owed = house.rack(at)
        assert used(at.player)[LimitType.LOSS, LimitPeriod.DAY] == lost(at.player) + owed


def test_a_debt_stops_a_wager_from_a_balance_at_a_table_in_real_money_only(house: House) -> None:
    real = at_table(house)
    play = at_table(house, real.player, money_type=MoneyType.PLAY)
    real.place(B, 500)
    place = house.place_of(real.guest.table)
    (cause,) = causes(1, stream=f"debt-of-{real.player}")
    store.post(
        [move(cause, place.debt(real.player, MoneyType.REAL), place.house(AccountKind.BANK, MoneyType.REAL), 100)]
    )
    assert outstanding(operator=house.operator, player=real.player, currency="EUR") == 100
    with pytest.raises(DebtOutstanding):
        real.deal()
    play.deal({B: 500})


def test_limits_cost_a_wager_no_query(house: House) -> None:
    counts = []
    for bound in (False, True):
        at = at_table(house)
        at.deal({B: 500})
        deal_all()
        if bound:
            for measure in LimitType:
                for period in LimitPeriod:
                    limited(house, at.player, measure, 40_000, period)
        with CaptureQueriesContext(connection) as queries:
            at.deal({B: 500})
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_audit_finds_nothing_a_rebuild_changes_nothing_and_tampering_is_found(
    house: House, module_database: Database
) -> None:
    at = at_table(house)
    limited(house, at.player, LimitType.LOSS, 50_000)
    limited(house, at.player, LimitType.LOSS, 90_000)
    all_limited(house, LimitType.TIME, 600, LimitPeriod.WEEK)
    at.deal({B: 500})
    deal_all()
    with as_owner(module_database.owner_url):
        rebuild(PROJECTOR)
    sealer.seal_all()
    assert mine(house) == set()
    assert check(PROJECTOR).changed == ()

    execute("UPDATE wallet_turnover SET lost = lost + 1")
    execute("DELETE FROM wallet_played")
    execute("UPDATE wallet_playerrestrictions SET state = '{}' WHERE player_id = %s", [at.player])
    assert mine(house) == {"turnover differs from entries", "time played differs from entries", "row differs"}
    assert check(PROJECTOR).changed != ()
    with as_owner(module_database.owner_url):
        rebuild(PROJECTOR)
    assert mine(house) == set()


def mine(house: House) -> set[str]:
    """Return the audit's findings about play limits."""
    del house
    about = ("wallet_turnover", "wallet_played", "wallet_playerrestrictions", "wallet_operatorlimits")
    return {found.kind for found in engine.run_audit(max_wait=3600).findings if found.location.startswith(about)}
