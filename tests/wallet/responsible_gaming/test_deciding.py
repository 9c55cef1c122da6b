"""A limit is lowered at once and raised after a day and a second word; an exclusion is made longer, never shorter."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import LARGEST
from wallet.responsible_gaming import decider
from wallet.responsible_gaming.decider import RIPENS, Whose
from wallet.responsible_gaming.events import (
    Measure,
    Period,
    PlayLimitRaiseAsked,
    PlayLimitSet,
    Setter,
)
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionNotOver,
    ExclusionRunsLonger,
    NoRaisePending,
    NotSelfExcluded,
    PlayLimitImpossible,
    PlayLimitUnchanged,
    RaiseNotRipe,
    RealityCheckInvalid,
)
from wallet.responsible_gaming.state import ExclusionKind, House, Protection, evolve, evolve_house, strictest

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
WHOSE = Whose(UUID(int=1), UUID(int=10), "EUR")
NAIVE = {"min_value": datetime.fromisoformat("2020-01-01"), "max_value": datetime.fromisoformat("2040-01-01")}
MOMENTS = st.datetimes(**NAIVE, timezones=st.just(UTC))
STAKES: dict[str, Any] = {"measure": Measure.STAKE, "period": Period.DAY}


def changed(
    state: Protection, most: int | None, *, by: Setter = Setter.PLAYER, now: datetime = NOW, **key: Any
) -> Protection:
    return evolve(state, decider.change(state, whose=WHOSE, by=by, most=most, now=now, **{**STAKES, **key}))


def confirmed(state: Protection, now: datetime) -> Protection:
    return evolve(state, decider.confirm(state, whose=WHOSE, now=now, **STAKES))


def limit(state: Protection, by: Setter = Setter.PLAYER) -> int | None:
    return state.limit(by, Measure.STAKE, Period.DAY)


def test_a_first_limit_and_a_lower_one_hold_at_once() -> None:
    state = changed(changed(Protection(), 100), 50)
    assert limit(state) == 50
    assert state.raises == ()


@pytest.mark.parametrize("wanted", [200, None])
def test_a_higher_limit_or_none_holds_a_day_later_and_once_confirmed(wanted: int | None) -> None:
    state = changed(changed(Protection(), 100), wanted)
    assert limit(state) == 100
    with pytest.raises(RaiseNotRipe) as refused:
        confirmed(state, NOW + RIPENS - timedelta(microseconds=1))
    assert refused.value.facts["confirm_from"] == NOW + RIPENS
    state = confirmed(state, NOW + RIPENS)
    assert limit(state) == wanted
    with pytest.raises(NoRaisePending):
        confirmed(state, NOW + RIPENS)


def test_asking_for_another_one_begins_the_day_anew_and_for_the_same_one_is_refused() -> None:
    later = NOW + timedelta(hours=20)
    state = changed(changed(Protection(), 100), 200)
    with pytest.raises(PlayLimitUnchanged):
        changed(state, 200, now=later)
    state = changed(state, 300, now=later)
    with pytest.raises(RaiseNotRipe):
        confirmed(state, NOW + RIPENS)
    assert limit(confirmed(state, later + RIPENS)) == 300


def test_a_lower_limit_forgets_the_higher_one_that_was_asked_for() -> None:
    state = changed(changed(changed(Protection(), 100), 200), 80)
    assert limit(state) == 80
    with pytest.raises(NoRaisePending):
        confirmed(state, NOW + RIPENS)


def test_a_wish_is_taken_back() -> None:
    state = changed(changed(Protection(), 100), 200)
    state = evolve(state, decider.cancel(state, whose=WHOSE, now=NOW, **STAKES))
    assert (limit(state), state.raises) == (100, ())
    with pytest.raises(NoRaisePending):
        decider.cancel(state, whose=WHOSE, now=NOW, **STAKES)


def test_an_operators_limit_changes_at_once_and_leaves_the_players_wish_alone() -> None:
    state = changed(changed(Protection(), 100), 200)
    state = changed(changed(state, 50, by=Setter.OPERATOR), 70, by=Setter.OPERATOR)
    assert (limit(state), limit(state, Setter.OPERATOR), len(state.raises)) == (100, 70, 1)
    assert limit(changed(state, None, by=Setter.OPERATOR), Setter.OPERATOR) is None


@pytest.mark.parametrize(
    ("measure", "most"),
    [(Measure.STAKE, 0), (Measure.LOSS, -1), (Measure.DEPOSIT, LARGEST), (Measure.TIME, 31 * 24 * 60 + 1)],
)
def test_a_limit_that_can_not_be_is_refused(measure: Measure, most: int) -> None:
    with pytest.raises(PlayLimitImpossible):
        changed(Protection(), most, measure=measure)
    with pytest.raises(PlayLimitImpossible):
        decider.change_house(
            House(), operator=WHOSE.operator, currency="EUR", measure=measure, period=Period.DAY, most=most, now=NOW
        )


@pytest.mark.parametrize("by", Setter)
def test_lifting_what_was_never_set_is_refused(by: Setter) -> None:
    with pytest.raises(PlayLimitUnchanged):
        changed(Protection(), None, by=by)


def test_the_strictest_of_all_holds() -> None:
    state = changed(changed(Protection(), 100), 60, by=Setter.OPERATOR)
    house = evolve_house(
        House(), decider.change_house(House(), operator=WHOSE.operator, currency="EUR", most=80, now=NOW, **STAKES)
    )
    key = Measure.STAKE, Period.DAY
    assert strictest(state, house)[key].most == 60
    assert strictest(changed(state, None, by=Setter.OPERATOR), house)[key].most == 80
    assert strictest(Protection(), House()) == {}


@given(st.lists(st.tuples(st.integers(1, 500) | st.none(), st.integers(0, 40)), max_size=20))
def test_what_holds_never_rises_without_a_day_and_a_second_word(asked: list[tuple[int | None, int]]) -> None:
    state, now = Protection(), NOW
    for most, hours in asked:
        now += timedelta(hours=hours)
        before = limit(state)
        try:
            event = decider.change(state, whose=WHOSE, by=Setter.PLAYER, most=most, now=now, **STAKES)
        except PlayLimitUnchanged:
            continue
        state = evolve(state, event)
        if isinstance(event, PlayLimitSet):
            assert before is None or (most is not None and most < before)
        else:
            assert isinstance(event, PlayLimitRaiseAsked)
            assert limit(state) == before
            assert event.confirm_from == now + RIPENS


@pytest.mark.parametrize("hours", [23, 6 * 7 * 24 + 1])
def test_cooling_off_lasts_from_a_day_to_six_weeks(hours: int) -> None:
    with pytest.raises(ExclusionLengthInvalid):
        decider.cool_off(Protection(), whose=WHOSE, by=Setter.PLAYER, hours=hours, now=NOW)


@pytest.mark.parametrize("months", [5, 121])
def test_self_exclusion_lasts_six_months_at_least(months: int) -> None:
    with pytest.raises(ExclusionLengthInvalid):
        decider.self_exclude(Protection(), whose=WHOSE, by=Setter.PLAYER, months=months, now=NOW)


def cooling(state: Protection, hours: int, now: datetime = NOW) -> Protection:
    return evolve(state, decider.cool_off(state, whose=WHOSE, by=Setter.PLAYER, hours=hours, now=now))


def gone(state: Protection, months: int, now: datetime = NOW, by: Setter = Setter.PLAYER) -> Protection:
    return evolve(state, decider.self_exclude(state, whose=WHOSE, by=by, months=months, now=now))


def ended(state: Protection, now: datetime) -> Protection:
    return evolve(state, decider.end_exclusion(state, whose=WHOSE, now=now))


def test_a_cooling_off_ends_by_itself() -> None:
    state = cooling(Protection(), 24)
    assert state.excluded(NOW + timedelta(hours=24) - timedelta(microseconds=1)) is not None
    assert state.excluded(NOW + timedelta(hours=24)) is None
    with pytest.raises(NotSelfExcluded):
        ended(state, NOW)


def test_a_self_exclusion_lasts_until_its_end_and_the_operators_word() -> None:
    state = gone(Protection(), 6)
    over = datetime(2027, 5, 21, 9, tzinfo=UTC)
    with pytest.raises(ExclusionNotOver):
        ended(state, over - timedelta(microseconds=1))
    assert state.excluded(over + timedelta(days=1000)) is not None
    assert ended(state, over).excluded(over) is None
    with pytest.raises(NotSelfExcluded):
        ended(ended(state, over), over)


def test_an_exclusion_is_made_longer_and_never_shorter() -> None:
    state = cooling(cooling(Protection(), 24), 48)
    with pytest.raises(ExclusionRunsLonger):
        cooling(state, 48)
    state = gone(state, 6)
    for shorter in (lambda: cooling(state, 1008), lambda: gone(state, 6)):
        with pytest.raises(ExclusionRunsLonger):
            shorter()
    longer = gone(state, 12, by=Setter.OPERATOR).exclusion
    assert longer is not None
    assert (longer.kind, longer.by, longer.until.year) == (ExclusionKind.SELF_EXCLUSION, Setter.OPERATOR, 2027)


@given(MOMENTS, st.integers(6, 120))
def test_an_audit_reads_the_months_back(now: datetime, months: int) -> None:
    event = decider.self_exclude(Protection(), whose=WHOSE, by=Setter.PLAYER, months=months, now=now)
    assert decider.months_between(now, event.until) == months


@pytest.mark.parametrize(("minutes", "fits"), [(14, False), (15, True), (60, True), (61, False)])
def test_a_reality_check_comes_every_15_to_60_minutes(minutes: int, fits: bool) -> None:
    if not fits:
        with pytest.raises(RealityCheckInvalid):
            decider.remind(whose=WHOSE, minutes=minutes, now=NOW)
        return
    assert evolve(Protection(), decider.remind(whose=WHOSE, minutes=minutes, now=NOW)).reality_minutes == minutes
