"""When a player's own limit changes, and what it lets through."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wallet.ledger.world import ALICE, OPERATOR
from wallet.responsible_gaming.betting_week import WEEK, parse
from wallet.responsible_gaming.events import TableLimitSet
from wallet.responsible_gaming.table_limit import (
    OverOwnTableLimit,
    PersonalTableLimit,
    TableLimitChangedThisWeek,
    TableLimitUnchanged,
    limit_from_event,
    require_within,
    set_limit,
)

PRINTED = parse("friday 00:00 -05:00")
FRIDAY = datetime(2026, 11, 20, 5, tzinfo=UTC)
SUNDAY = FRIDAY + timedelta(days=2, hours=7)


def asked(current: PersonalTableLimit | None, amount: int | None, now: datetime = SUNDAY) -> TableLimitSet:
    who: dict[str, Any] = {"operator": OPERATOR, "player": ALICE, "currency": "EUR"}
    return set_limit(current, **who, amount=amount, now=now, week=PRINTED)


def limit(amount: int | None = 5000) -> PersonalTableLimit:
    return PersonalTableLimit(amount, "EUR", SUNDAY, FRIDAY + WEEK)


def test_the_first_limit_holds_until_the_next_betting_week() -> None:
    event = asked(None, 5000)

    assert event == TableLimitSet(OPERATOR, ALICE, "EUR", 5000, SUNDAY, FRIDAY + WEEK)
    assert limit_from_event(event) == limit()


@pytest.mark.parametrize("amount", [1, 5000, 10_000, None])
def test_in_the_same_week_nothing_changes_lower_higher_or_lifted(amount: int | None) -> None:
    with pytest.raises(TableLimitChangedThisWeek) as refused:
        asked(limit(), amount, FRIDAY + WEEK - timedelta(microseconds=1))

    assert refused.value.facts == {"next_change_at": FRIDAY + WEEK}


@pytest.mark.parametrize("amount", [1, 10_000, None])
def test_in_the_next_week_it_changes_once_more(amount: int | None) -> None:
    event = asked(limit(), amount, FRIDAY + WEEK)

    assert (event.amount, event.next_change_at) == (amount, FRIDAY + 2 * WEEK)


@pytest.mark.parametrize("current", [None, limit(), limit(None)])
def test_a_change_that_is_none_uses_up_no_week(current: PersonalTableLimit | None) -> None:
    with pytest.raises(TableLimitUnchanged):
        asked(current, None if current is None else current.amount, FRIDAY + WEEK)


def test_a_stake_may_reach_the_limit_and_not_pass_it() -> None:
    require_within(limit(), [5000, 1])

    with pytest.raises(OverOwnTableLimit) as refused:
        require_within(limit(), [1, 5001])
    assert refused.value.facts == {"limit": "50.00", "currency": "EUR", "next_change_at": FRIDAY + WEEK}


@pytest.mark.parametrize("none", [None, limit(None)])
def test_without_a_limit_of_ones_own_every_stake_is_within(none: PersonalTableLimit | None) -> None:
    assert require_within(none, [10**12]) is None


@given(st.lists(st.tuples(st.integers(0, 60 * 24 * 40), st.one_of(st.none(), st.integers(1, 3))), max_size=20))
def test_no_two_changes_are_in_one_betting_week(wishes: list[tuple[int, int | None]]) -> None:
    current, weeks = None, []
    for minutes, amount in sorted(wishes, key=lambda wish: wish[0]):
        now = SUNDAY + timedelta(minutes=minutes)
        try:
            current = limit_from_event(asked(current, amount, now))
        except (TableLimitChangedThisWeek, TableLimitUnchanged):
            continue
        weeks.append(PRINTED.start_of(now))
    assert len(weeks) == len(set(weeks))
