"""The limit per spot that a player sets: it changes once in a betting week."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.wallet.ledger.world import ALICE, OPERATOR
from wallet.responsible_gaming.events import TableLimitSet
from wallet.responsible_gaming.table_limit import (
    DAYS,
    WEEK,
    BettingWeek,
    OverOwnTableLimit,
    PersonalTableLimit,
    TableLimitChangedThisWeek,
    TableLimitUnchanged,
    limit_from_event,
    parse_betting_week,
    require_within,
    set_limit,
)

DEFAULT_WEEK = parse_betting_week("friday 00:00 -05:00")
FRIDAY = datetime(2026, 11, 20, 5, tzinfo=UTC)
SUNDAY = FRIDAY + timedelta(days=2, hours=7)


def change_limit(current: PersonalTableLimit | None, amount: int | None, now: datetime = SUNDAY) -> TableLimitSet:
    who: dict[str, Any] = {"operator": OPERATOR, "player": ALICE, "currency": "EUR"}
    return set_limit(current, **who, amount=amount, now=now, week=DEFAULT_WEEK)


def limit(amount: int | None = 5000) -> PersonalTableLimit:
    return PersonalTableLimit(amount, "EUR", SUNDAY, FRIDAY + WEEK)


def test_the_first_limit_holds_until_the_next_betting_week() -> None:
    event = change_limit(None, 5000)

    assert event == TableLimitSet(OPERATOR, ALICE, "EUR", 5000, SUNDAY, FRIDAY + WEEK)
    assert limit_from_event(event) == limit()


@pytest.mark.parametrize("amount", [1, 5000, 10_000, None])
def test_in_the_same_week_the_limit_cannot_change(amount: int | None) -> None:
    with pytest.raises(TableLimitChangedThisWeek) as refused:
        change_limit(limit(), amount, FRIDAY + WEEK - timedelta(microseconds=1))

    assert refused.value.facts == {"next_change_at": FRIDAY + WEEK}


@pytest.mark.parametrize("amount", [1, 10_000, None])
def test_in_the_next_week_it_changes_once_more(amount: int | None) -> None:
    event = change_limit(limit(), amount, FRIDAY + WEEK)

    assert (event.amount, event.next_change_at) == (amount, FRIDAY + 2 * WEEK)


@pytest.mark.parametrize("current", [None, limit(), limit(None)])
def test_setting_the_same_limit_does_not_use_up_the_week(current: PersonalTableLimit | None) -> None:
    with pytest.raises(TableLimitUnchanged):
        change_limit(current, None if current is None else current.amount, FRIDAY + WEEK)


def test_a_stake_may_equal_the_limit_but_not_exceed_it() -> None:
    require_within(limit(), [5000, 1])

    with pytest.raises(OverOwnTableLimit) as refused:
        require_within(limit(), [1, 5001])
    assert refused.value.facts == {"limit": "50.00", "currency": "EUR", "next_change_at": FRIDAY + WEEK}


@pytest.mark.parametrize("none", [None, limit(None)])
def test_without_a_personal_limit_every_stake_is_allowed(none: PersonalTableLimit | None) -> None:
    assert require_within(none, [10**12]) is None


@given(st.lists(st.tuples(st.integers(0, 60 * 24 * 40), st.one_of(st.none(), st.integers(1, 3))), max_size=20))
def test_no_two_changes_are_in_one_betting_week(changes: list[tuple[int, int | None]]) -> None:
    current, weeks = None, []
    for minutes, amount in sorted(changes, key=lambda change: change[0]):
        now = SUNDAY + timedelta(minutes=minutes)
        try:
            current = limit_from_event(change_limit(current, amount, now))
        except (TableLimitChangedThisWeek, TableLimitUnchanged):
            continue
        weeks.append(DEFAULT_WEEK.start_of(now))
    assert len(weeks) == len(set(weeks))


DEFAULT_WEEK = parse_betting_week("friday 00:00 -05:00")
BEGIN = datetime(2026, 11, 20, 5, tzinfo=UTC)
"""A Friday, 00:00 in New York in winter."""

moments = st.integers(0, 100 * 366 * 86_400_000_000).map(lambda after: BEGIN + timedelta(microseconds=after))
weeks = st.builds(
    BettingWeek,
    weekday=st.integers(0, 6),
    minutes=st.integers(0, 1439),
    offset=st.integers(-14 * 60 - 59, 14 * 60 + 59).map(lambda minutes: timedelta(minutes=minutes)),
)


@pytest.mark.parametrize(
    ("moment", "begin"),
    [
        (BEGIN, BEGIN),
        (BEGIN - timedelta(microseconds=1), BEGIN - WEEK),
        (BEGIN + WEEK - timedelta(microseconds=1), BEGIN),
        (BEGIN + WEEK, BEGIN + WEEK),
        (datetime(2026, 11, 20, 0, 0, tzinfo=UTC), BEGIN - WEEK),
        (datetime(2026, 11, 25, 12, 0, tzinfo=UTC), BEGIN),
    ],
)
def test_a_week_begins_on_friday_at_midnight_est(moment: datetime, begin: datetime) -> None:
    assert DEFAULT_WEEK.start_of(moment) == begin
    assert DEFAULT_WEEK.next_start(moment) == begin + WEEK


def test_clocks_put_forward_or_back_make_no_week_longer() -> None:
    new_york = ZoneInfo("America/New_York")
    begins = {
        DEFAULT_WEEK.start_of(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour)) for hour in range(24 * 7 * 40)
    }
    ordered = sorted(begins)

    assert {later - earlier for earlier, later in pairwise(ordered)} == {WEEK}
    assert {begin.astimezone(new_york).hour for begin in ordered} == {0, 1}
    assert {begin.hour for begin in ordered} == {5}


@given(week=weeks, moment=moments)
@example(week=DEFAULT_WEEK, moment=BEGIN)
def test_every_moment_is_in_the_week_that_began_before_it(week: BettingWeek, moment: datetime) -> None:
    begin = week.start_of(moment)
    local = begin.astimezone(timezone(week.offset))

    assert begin <= moment < week.next_start(moment) == begin + WEEK
    assert (local.weekday(), local.hour * 60 + local.minute) == (week.weekday, week.minutes)
    assert (local.second, local.microsecond, begin.tzinfo) == (0, 0, UTC)


@given(week=weeks, moment=moments, shift=st.integers(-14, 14))
def test_a_week_does_not_depend_on_the_time_zone_of_the_moment(week: BettingWeek, moment: datetime, shift: int) -> None:
    assert week.start_of(moment.astimezone(timezone(timedelta(hours=shift)))) == week.start_of(moment)


@given(week=weeks, moment=moments)
def test_the_week_after_begins_where_the_next_one_starts(week: BettingWeek, moment: datetime) -> None:
    following = week.next_start(moment)

    assert week.start_of(following) == following
    assert week.start_of(following - timedelta(microseconds=1)) == week.start_of(moment)


def test_the_betting_week_of_a_time_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        DEFAULT_WEEK.start_of(BEGIN.replace(tzinfo=None))


@pytest.mark.parametrize("day", DAYS)
def test_a_week_may_begin_on_any_day(day: str) -> None:
    assert parse_betting_week(f"{day} 06:30 +05:30") == BettingWeek(
        DAYS.index(day), 390, timedelta(hours=5, minutes=30)
    )


@pytest.mark.parametrize(
    "text",
    ["", "friday", "Friday 00:00 -05:00", "friday 24:00 -05:00", "friday 00:60 -05:00", "friday 0:00 -05:00",
     "friday 00:00 -15:00", "friday 00:00 EST", "friday 00:00 05:00", "friday 00:00 -05:00 ", "freitag 00:00 -05:00"],
)  # fmt: skip
def test_a_malformed_betting_week_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is written"):
        parse_betting_week(text)
