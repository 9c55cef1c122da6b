"""The betting week: seven days from Friday 00:00 EST, or from wherever it is set to begin."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wallet.responsible_gaming.betting_week import DAYS, WEEK, BettingWeek, parse

PRINTED = parse("friday 00:00 -05:00")
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
    assert PRINTED.start_of(moment) == begin
    assert PRINTED.next_start(moment) == begin + WEEK


def test_clocks_put_forward_or_back_make_no_week_longer() -> None:
    new_york = ZoneInfo("America/New_York")
    begins = {PRINTED.start_of(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour)) for hour in range(24 * 7 * 40)}
    ordered = sorted(begins)

    assert {later - earlier for earlier, later in pairwise(ordered)} == {WEEK}
    assert {begin.astimezone(new_york).hour for begin in ordered} == {0, 1}
    assert {begin.hour for begin in ordered} == {5}


@given(week=weeks, moment=moments)
@example(week=PRINTED, moment=BEGIN)
def test_every_moment_is_in_the_week_that_began_before_it(week: BettingWeek, moment: datetime) -> None:
    begin = week.start_of(moment)
    local = begin.astimezone(timezone(week.offset))

    assert begin <= moment < week.next_start(moment) == begin + WEEK
    assert (local.weekday(), local.hour * 60 + local.minute) == (week.weekday, week.minutes)
    assert (local.second, local.microsecond, begin.tzinfo) == (0, 0, UTC)


@given(week=weeks, moment=moments, shift=st.integers(-14, 14))
def test_a_week_does_not_depend_on_the_zone_that_a_moment_is_told_in(
    week: BettingWeek, moment: datetime, shift: int
) -> None:
    assert week.start_of(moment.astimezone(timezone(timedelta(hours=shift)))) == week.start_of(moment)


@given(week=weeks, moment=moments)
def test_the_week_after_begins_where_the_next_one_starts(week: BettingWeek, moment: datetime) -> None:
    following = week.next_start(moment)

    assert week.start_of(following) == following
    assert week.start_of(following - timedelta(microseconds=1)) == week.start_of(moment)


def test_a_moment_without_a_zone_is_no_moment() -> None:
    with pytest.raises(ValueError, match="zone"):
        PRINTED.start_of(BEGIN.replace(tzinfo=None))


@pytest.mark.parametrize("day", DAYS)
def test_a_week_may_begin_on_any_day(day: str) -> None:
    assert parse(f"{day} 06:30 +05:30") == BettingWeek(DAYS.index(day), 390, timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    "text",
    ["", "friday", "Friday 00:00 -05:00", "friday 24:00 -05:00", "friday 00:60 -05:00", "friday 0:00 -05:00",
     "friday 00:00 -15:00", "friday 00:00 EST", "friday 00:00 05:00", "friday 00:00 -05:00 ", "freitag 00:00 -05:00"],
)  # fmt: skip
def test_what_is_no_week_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is written"):
        parse(text)
