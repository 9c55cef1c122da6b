"""Usage in every window is the sum of its entries, for any order of entries and any number of tables."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.events.rebuild import check
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.support.depth import examples
from tests.wallet.ledger.world import OPERATOR, causes
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, AccountName, game_account, table_account
from wallet.ledger.entries import NewPosting, build_entry
from wallet.responsible_gaming import eligibility, limits
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import ExceededLimit
from wallet.responsible_gaming.projection import PROJECTOR
from wallet.responsible_gaming.state import PlayLimit

TABLES = (UUID(int=501), UUID(int=502), UUID(int=503))
KINDS = ("wager", "settlement", "void", "buy_in", "cash_out")
MOVES = st.lists(
    st.tuples(
        st.sampled_from(TABLES), st.sampled_from(KINDS), st.integers(1, 1000), st.integers(0, 40 * 24), st.booleans()
    ),
    min_size=1,
    max_size=12,
)


def game(player: UUID, table: UUID, money_type: MoneyType) -> AccountName:
    return game_account(operator=OPERATOR, player=player, table=table, money_type=money_type, currency="EUR")


def post(player: UUID, moves: list[tuple[UUID, str, int, int, bool]], stream: str) -> None:
    """Post entries in one batch, as workers do when they settle a round."""
    entries = []
    for (table, kind, amount, _, play), cause in zip(moves, causes(len(moves), stream), strict=True):
        money_type = MoneyType.PLAY if play else MoneyType.REAL
        bank = table_account(
            kind=AccountKind.BANK, operator=OPERATOR, table=table, money_type=money_type, currency="EUR"
        )
        own = -amount if kind in {"wager", "cash_out"} else amount
        postings = (NewPosting(game(player, table, money_type), own), NewPosting(bank, -own))
        entries.append(build_entry(kind=kind, cause=cause, postings=postings))
    store.post(entries)


def rich(player: UUID) -> None:
    """Buy in at every table with more than the tests stake."""
    post(player, [(table, "buy_in", 100_000, 0, play) for table in TABLES for play in (True, False)], f"r-{player}")


def spread_over_time(player: UUID, moves: list[tuple[UUID, str, int, int, bool]]) -> list[tuple[datetime, str, int]]:
    """Date the real-money moves so many hours back, in order; return time, kind and amount of each."""
    hours = iter(sorted((each[3] for each in moves), reverse=True))
    (now,) = fetch("SELECT clock_timestamp()")[0]
    dated = []
    for table, kind, amount, _, play in moves:
        at = now - timedelta(hours=next(hours), minutes=30)
        if kind in {"wager", "settlement", "void"} and not play:
            dated.append((at, table, kind, amount))
    for table in TABLES:
        rows = fetch(
            "SELECT sequence FROM wallet_turnover WHERE account_id = %s ORDER BY sequence",
            [game(player, table, MoneyType.REAL).id],
        )
        times = [at for at, where, _, _ in dated if where == table]
        for (sequence,), at in zip(rows, times, strict=True):
            execute(
                "UPDATE wallet_turnover SET at = %s WHERE account_id = %s AND sequence = %s",
                [at, game(player, table, MoneyType.REAL).id, sequence],
            )
    return [(at, kind, amount) for at, _, kind, amount in dated]


def summed(moves: list[tuple[datetime, str, int]], limit_type: LimitType, since: datetime) -> int:
    total = 0
    for at, kind, amount in moves:
        if at > since and limit_type is LimitType.STAKE:
            total += amount if kind == "wager" else 0
        elif at > since:
            total += amount if kind == "wager" else -amount
    return total


@pytest.mark.django_db
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES)
def test_usage_is_the_sum_of_the_entries_in_the_window(moves: list[tuple[UUID, str, int, int, bool]]) -> None:
    player = uuid4()
    with transaction.atomic():
        rich(player)
        post(player, moves, f"m-{player}")
        accounts = {str(game(player, table, MoneyType.REAL).id) for table in TABLES}
        assert not [row for row in check(PROJECTOR).changed if accounts & set(row.split())]
        dated_moves = spread_over_time(player, moves)
        (now,) = fetch("SELECT clock_timestamp()")[0]
        used = eligibility.usage(player=player, currency="EUR", now=now).used
        for period in LimitPeriod:
            for limit_type in (LimitType.STAKE, LimitType.LOSS):
                assert used[limit_type, period] == summed(dated_moves, limit_type, limits.window_start(period, now))
        transaction.set_rollback(True)  # else each example would check those of all before


@pytest.mark.django_db
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES, limit_type=st.sampled_from([LimitType.STAKE, LimitType.LOSS]), needed=st.integers(1, 500))
def test_an_amount_fits_from_available_at_on_and_not_before(
    moves: list[tuple[UUID, str, int, int, bool]], limit_type: LimitType, needed: int
) -> None:
    with transaction.atomic():
        check_fit(moves, limit_type, needed)
        transaction.set_rollback(True)


def check_fit(moves: list[tuple[UUID, str, int, int, bool]], limit_type: LimitType, needed: int) -> None:
    player = uuid4()
    rich(player)
    post(player, moves, f"m-{player}")
    dated_moves = spread_over_time(player, moves)
    (now,) = fetch("SELECT clock_timestamp()")[0]
    used = summed(dated_moves, limit_type, limits.window_start(LimitPeriod.MONTH, now))
    limit = PlayLimit(Initiator.PLAYER, limit_type, LimitPeriod.MONTH, max(needed, used + needed - 1), now, "EUR")
    excess = ExceededLimit(limit, used, needed)
    if excess.shortfall <= 0:
        return
    when: Any = eligibility.available_at(excess, player=player, currency="EUR", now=now)
    assert summed(dated_moves, limit_type, limits.window_start(LimitPeriod.MONTH, when)) + needed <= limit.limit
    before = limits.window_start(LimitPeriod.MONTH, when - timedelta(microseconds=1))
    assert summed(dated_moves, limit_type, before) + needed > limit.limit


@pytest.mark.django_db
def test_the_same_entry_posted_again_counts_once() -> None:
    player = uuid4()
    rich(player)
    (cause,) = causes(1, f"again-{player}")
    bank = table_account(
        kind=AccountKind.STAKES, operator=OPERATOR, table=TABLES[0], money_type=MoneyType.REAL, currency="EUR"
    )
    postings = (NewPosting(game(player, TABLES[0], MoneyType.REAL), -500), NewPosting(bank, 500))
    for _ in range(2):
        with transaction.atomic():
            store.post([build_entry(kind="wager", cause=cause, postings=postings)])
    (now,) = fetch("SELECT clock_timestamp()")[0]
    assert eligibility.usage(player=player, currency="EUR", now=now).used[LimitType.STAKE, LimitPeriod.DAY] == 500


@pytest.mark.django_db
def test_turnover_stays_in_order_when_the_clock_goes_back() -> None:
    player = uuid4()
    rich(player)
    post(player, [(TABLES[0], "wager", 100, 0, False)], f"a-{player}")
    execute("UPDATE wallet_turnover SET at = at + interval '1 hour'")
    post(player, [(TABLES[0], "settlement", 50, 0, False)], f"b-{player}")
    rows = fetch("SELECT at, staked, lost FROM wallet_turnover ORDER BY sequence")
    assert rows[0][0] == rows[1][0]
    assert [row[1:] for row in rows] == [(100, 100), (100, 50)]
