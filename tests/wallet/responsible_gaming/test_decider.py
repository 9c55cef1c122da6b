"""Limits are lowered at once and raised after a day and a confirmation; exclusions are extended, never shortened."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import MAX_AMOUNT
from wallet.responsible_gaming import decider
from wallet.responsible_gaming.decider import INCREASE_DELAY, WalletOwner
from wallet.responsible_gaming.events import (
    Initiator,
    LimitPeriod,
    LimitType,
    PlayLimitIncreaseRequested,
    PlayLimitSet,
)
from wallet.responsible_gaming.exclusions import MAX_NOTE_LENGTH, require_note
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionNoteInvalid,
    ExclusionPermanent,
    ExclusionStillRunning,
    InvalidPlayLimit,
    LimitIncreaseTooEarly,
    LongerExclusionActive,
    NoLimitIncreasePending,
    NotSelfExcluded,
    PlayerAlreadyBlocked,
    PlayerNotBlocked,
    PlayLimitUnchanged,
    RealityCheckInvalid,
)
from wallet.responsible_gaming.state import (
    ExclusionKind,
    OperatorLimitsState,
    PlayerRestrictionsState,
    evolve,
    evolve_operator_limits,
    strictest_limits,
)

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
OWNER = WalletOwner(UUID(int=1), UUID(int=10), "EUR")
NAIVE = {"min_value": datetime.fromisoformat("2020-01-01"), "max_value": datetime.fromisoformat("2040-01-01")}
MOMENTS = st.datetimes(**NAIVE, timezones=st.just(UTC))
STAKES: dict[str, Any] = {"limit_type": LimitType.STAKE, "period": LimitPeriod.DAY}


def changed(
    state: PlayerRestrictionsState,
    amount: int | None,
    *,
    by: Initiator = Initiator.PLAYER,
    now: datetime = NOW,
    **key: Any,
) -> PlayerRestrictionsState:
    return evolve(state, decider.set_limit(state, owner=OWNER, by=by, limit=amount, now=now, **{**STAKES, **key}))


def confirmed(state: PlayerRestrictionsState, now: datetime) -> PlayerRestrictionsState:
    return evolve(state, decider.confirm_increase(state, owner=OWNER, now=now, **STAKES))


def limit(state: PlayerRestrictionsState, by: Initiator = Initiator.PLAYER) -> int | None:
    return state.limit(by, LimitType.STAKE, LimitPeriod.DAY, "EUR")


def test_a_first_limit_and_a_lower_one_apply_at_once() -> None:
    state = changed(changed(PlayerRestrictionsState(), 100), 50)
    assert limit(state) == 50
    assert state.pending_increases == ()


@pytest.mark.parametrize("wanted", [200, None])
def test_a_higher_limit_or_none_applies_a_day_later_once_confirmed(wanted: int | None) -> None:
    state = changed(changed(PlayerRestrictionsState(), 100), wanted)
    assert limit(state) == 100
    with pytest.raises(LimitIncreaseTooEarly) as refused:
        confirmed(state, NOW + INCREASE_DELAY - timedelta(microseconds=1))
    assert refused.value.facts["confirm_from"] == NOW + INCREASE_DELAY
    state = confirmed(state, NOW + INCREASE_DELAY)
    assert limit(state) == wanted
    with pytest.raises(NoLimitIncreasePending):
        confirmed(state, NOW + INCREASE_DELAY)


def test_a_different_request_restarts_the_delay_and_an_equal_one_is_refused() -> None:
    later = NOW + timedelta(hours=20)
    state = changed(changed(PlayerRestrictionsState(), 100), 200)
    with pytest.raises(PlayLimitUnchanged):
        changed(state, 200, now=later)
    state = changed(state, 300, now=later)
    with pytest.raises(LimitIncreaseTooEarly):
        confirmed(state, NOW + INCREASE_DELAY)
    assert limit(confirmed(state, later + INCREASE_DELAY)) == 300


def test_a_lower_limit_cancels_a_requested_increase() -> None:
    state = changed(changed(changed(PlayerRestrictionsState(), 100), 200), 80)
    assert limit(state) == 80
    with pytest.raises(NoLimitIncreasePending):
        confirmed(state, NOW + INCREASE_DELAY)


def test_a_requested_increase_can_be_cancelled() -> None:
    state = changed(changed(PlayerRestrictionsState(), 100), 200)
    state = evolve(state, decider.cancel_increase(state, owner=OWNER, now=NOW, **STAKES))
    assert (limit(state), state.pending_increases) == (100, ())
    with pytest.raises(NoLimitIncreasePending):
        decider.cancel_increase(state, owner=OWNER, now=NOW, **STAKES)


def test_an_operators_limit_changes_at_once_and_keeps_the_players_request() -> None:
    state = changed(changed(PlayerRestrictionsState(), 100), 200)
    state = changed(changed(state, 50, by=Initiator.OPERATOR), 70, by=Initiator.OPERATOR)
    assert (limit(state), limit(state, Initiator.OPERATOR), len(state.pending_increases)) == (100, 70, 1)
    assert limit(changed(state, None, by=Initiator.OPERATOR), Initiator.OPERATOR) is None


@pytest.mark.parametrize(
    ("limit_type", "amount"),
    [(LimitType.STAKE, 0), (LimitType.LOSS, -1), (LimitType.DEPOSIT, MAX_AMOUNT), (LimitType.TIME, 31 * 24 * 60 + 1)],
)
def test_a_limit_out_of_range_is_refused(limit_type: LimitType, amount: int) -> None:
    with pytest.raises(InvalidPlayLimit):
        changed(PlayerRestrictionsState(), amount, limit_type=limit_type)
    with pytest.raises(InvalidPlayLimit):
        decider.set_operator_wide_limit(
            OperatorLimitsState(),
            operator=OWNER.operator,
            currency="EUR",
            limit_type=limit_type,
            period=LimitPeriod.DAY,
            limit=amount,
            now=NOW,
        )


@pytest.mark.parametrize("by", Initiator)
def test_removing_a_limit_that_was_never_set_is_refused(by: Initiator) -> None:
    with pytest.raises(PlayLimitUnchanged):
        changed(PlayerRestrictionsState(), None, by=by)


def test_the_strictest_limit_applies() -> None:
    state = changed(changed(PlayerRestrictionsState(), 100), 60, by=Initiator.OPERATOR)
    operator_limits = evolve_operator_limits(
        OperatorLimitsState(),
        decider.set_operator_wide_limit(
            OperatorLimitsState(), operator=OWNER.operator, currency="EUR", limit=80, now=NOW, **STAKES
        ),
    )
    key = LimitType.STAKE, LimitPeriod.DAY
    assert strictest_limits(state, operator_limits, "EUR")[key].limit == 60
    assert strictest_limits(changed(state, None, by=Initiator.OPERATOR), operator_limits, "EUR")[key].limit == 80
    assert strictest_limits(PlayerRestrictionsState(), OperatorLimitsState(), "EUR") == {}


@given(st.lists(st.tuples(st.integers(1, 500) | st.none(), st.integers(0, 40)), max_size=20))
def test_a_limit_never_rises_without_a_day_and_a_confirmation(changes: list[tuple[int | None, int]]) -> None:
    state, now = PlayerRestrictionsState(), NOW
    for amount, hours in changes:
        now += timedelta(hours=hours)
        before = limit(state)
        try:
            event = decider.set_limit(state, owner=OWNER, by=Initiator.PLAYER, limit=amount, now=now, **STAKES)
        except PlayLimitUnchanged:
            continue
        state = evolve(state, event)
        if isinstance(event, PlayLimitSet):
            assert before is None or (amount is not None and amount < before)
        else:
            assert isinstance(event, PlayLimitIncreaseRequested)
            assert limit(state) == before
            assert event.confirm_from == now + INCREASE_DELAY


@pytest.mark.parametrize("hours", [23, 6 * 7 * 24 + 1])
def test_cooling_off_lasts_from_a_day_to_six_weeks(hours: int) -> None:
    with pytest.raises(ExclusionLengthInvalid):
        decider.cool_off(PlayerRestrictionsState(), owner=OWNER, by=Initiator.PLAYER, hours=hours, now=NOW)


@pytest.mark.parametrize("months", [5, 121])
def test_self_exclusion_lasts_six_months_at_least(months: int) -> None:
    with pytest.raises(ExclusionLengthInvalid):
        decider.self_exclude(PlayerRestrictionsState(), owner=OWNER, by=Initiator.PLAYER, months=months, now=NOW)


def cooling(state: PlayerRestrictionsState, hours: int, now: datetime = NOW) -> PlayerRestrictionsState:
    return evolve(state, decider.cool_off(state, owner=OWNER, by=Initiator.PLAYER, hours=hours, now=now))


def excluded(
    state: PlayerRestrictionsState, months: int | None, now: datetime = NOW, by: Initiator = Initiator.PLAYER
) -> PlayerRestrictionsState:
    return evolve(state, decider.self_exclude(state, owner=OWNER, by=by, months=months, now=now))


def ended(state: PlayerRestrictionsState, now: datetime) -> PlayerRestrictionsState:
    return evolve(state, decider.end_exclusion(state, owner=OWNER, now=now))


def test_a_cooling_off_ends_by_itself() -> None:
    state = cooling(PlayerRestrictionsState(), 24)
    assert state.active_exclusion(NOW + timedelta(hours=24) - timedelta(microseconds=1)) is not None
    assert state.active_exclusion(NOW + timedelta(hours=24)) is None
    with pytest.raises(NotSelfExcluded):
        ended(state, NOW)


def test_a_self_exclusion_can_only_be_ended_after_its_time_by_the_operator() -> None:
    state = excluded(PlayerRestrictionsState(), 6)
    over = datetime(2027, 5, 21, 9, tzinfo=UTC)
    with pytest.raises(ExclusionStillRunning):
        ended(state, over - timedelta(microseconds=1))
    assert state.active_exclusion(over + timedelta(days=1000)) is not None
    assert ended(state, over).active_exclusion(over) is None
    with pytest.raises(NotSelfExcluded):
        ended(ended(state, over), over)


def test_an_exclusion_can_be_extended_but_never_shortened() -> None:
    state = cooling(cooling(PlayerRestrictionsState(), 24), 48)
    with pytest.raises(LongerExclusionActive):
        cooling(state, 48)
    state = excluded(state, 6)
    for shorter in (lambda: cooling(state, 1008), lambda: excluded(state, 6)):
        with pytest.raises(LongerExclusionActive):
            shorter()
    longer = excluded(state, 12).exclusion
    assert longer is not None
    assert (longer.kind, longer.until.year) == (ExclusionKind.SELF_EXCLUSION, 2027)


def test_the_house_excludes_beside_the_player_and_neither_ends_the_other() -> None:
    house = Initiator.OPERATOR
    both = excluded(excluded(PlayerRestrictionsState(), None), 6, by=house)
    assert [(each.by, each.until is None) for each in both.active_exclusions(NOW)] == [
        (Initiator.PLAYER, True),
        (house, False),
    ]
    assert both.active_exclusion(NOW) == both.own_exclusion
    assert both.is_excluded_by_house(NOW)
    with pytest.raises(LongerExclusionActive):
        excluded(both, 6, by=house)

    other_way = cooling(excluded(PlayerRestrictionsState(), 12, by=house), 48)
    assert other_way.active_exclusion(NOW) == other_way.house_exclusion
    assert [each.by for each in other_way.active_exclusions(NOW)] == [Initiator.PLAYER, house]
    assert [each.by for each in other_way.active_exclusions(NOW + timedelta(days=3))] == [house]


def test_exclusions_of_both_end_together_once_the_last_is_over() -> None:
    both = excluded(excluded(PlayerRestrictionsState(), 6), 12, by=Initiator.OPERATOR)
    own, house = both.own_exclusion, both.house_exclusion
    assert own is not None
    assert house is not None
    assert own.until is not None
    assert house.until is not None
    with pytest.raises(ExclusionStillRunning) as refused:
        ended(both, own.until)
    assert refused.value.facts == {"until": house.until}
    assert ended(both, house.until).active_exclusions(house.until) == ()
    with pytest.raises(ExclusionPermanent):
        ended(excluded(both, None, by=Initiator.OPERATOR), house.until)


def test_a_cooling_off_never_takes_the_place_of_a_self_exclusion_that_ends_before_it() -> None:
    state = excluded(PlayerRestrictionsState(), 6)
    last_day = datetime(2027, 5, 20, 9, tzinfo=UTC)
    with pytest.raises(LongerExclusionActive):
        cooling(state, 48, now=last_day)


def test_a_permanent_self_exclusion_follows_any_other_and_never_ends() -> None:
    state = excluded(excluded(PlayerRestrictionsState(), 120), None)
    for shorter in (lambda: cooling(state, 1008), lambda: excluded(state, 120), lambda: excluded(state, None)):
        with pytest.raises(LongerExclusionActive) as refused:
            shorter()
        assert refused.value.facts == {"until": None}
    late = NOW + timedelta(days=36_500)
    assert state.active_exclusion(late) is not None
    with pytest.raises(ExclusionPermanent):
        ended(state, late)


def test_an_exclusion_that_ends_on_the_first_because_its_last_month_is_short_is_counted_back() -> None:
    last_of_august = datetime(2026, 8, 31, 9, tzinfo=UTC)
    assert decider.months_between(last_of_august, datetime(2027, 3, 1, tzinfo=UTC)) == 6
    assert decider.months_between(last_of_august, datetime(2027, 3, 31, 9, tzinfo=UTC)) == 7


@given(MOMENTS, st.integers(6, 120))
def test_months_between_inverts_self_exclusion(now: datetime, months: int) -> None:
    event = decider.self_exclude(PlayerRestrictionsState(), owner=OWNER, by=Initiator.PLAYER, months=months, now=now)
    assert event.until is not None
    assert decider.months_between(now, event.until) == months


@pytest.mark.parametrize(("minutes", "fits"), [(14, False), (15, True), (60, True), (61, False)])
def test_a_reality_check_comes_every_15_to_60_minutes(minutes: int, fits: bool) -> None:
    if not fits:
        with pytest.raises(RealityCheckInvalid):
            decider.set_reality_check(owner=OWNER, minutes=minutes, now=NOW)
        return
    assert (
        evolve(
            PlayerRestrictionsState(), decider.set_reality_check(owner=OWNER, minutes=minutes, now=NOW)
        ).reality_check_minutes
        == minutes
    )


def test_a_player_is_blocked_once_and_unblocked_once():
    free = PlayerRestrictionsState()
    blocked = evolve(free, decider.block_player(free, owner=OWNER, player_message="Call us.", now=NOW))

    with pytest.raises(PlayerAlreadyBlocked):
        decider.block_player(blocked, owner=OWNER, player_message="", now=NOW)
    unblocked = evolve(blocked, decider.unblock_player(blocked, owner=OWNER, now=NOW))
    with pytest.raises(PlayerNotBlocked):
        decider.unblock_player(unblocked, owner=OWNER, now=NOW)


@pytest.mark.parametrize("note", ["", "  ", "x" * (MAX_NOTE_LENGTH + 1), "a\0b"])
def test_a_note_about_an_exclusion_is_neither_empty_nor_too_long(note: str):
    with pytest.raises(ExclusionNoteInvalid):
        require_note(note)

    assert require_note("  asked by telephone ") == "asked by telephone"


@pytest.mark.parametrize("cap", [0, MAX_AMOUNT - 1])
def test_play_money_is_topped_up_to_any_amount_or_not_at_all(cap: int):
    assert decider.set_play_money_cap(operator=OWNER.operator, currency="EUR", cap=cap, now=NOW).cap == cap


@pytest.mark.parametrize("cap", [-1, MAX_AMOUNT])
def test_no_cap_of_play_money_is_negative_or_beyond_all_amounts(cap: int):
    with pytest.raises(InvalidPlayLimit):
        decider.set_play_money_cap(operator=OWNER.operator, currency="EUR", cap=cap, now=NOW)
