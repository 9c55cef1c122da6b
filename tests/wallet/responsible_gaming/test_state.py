"""The history of exclusions: each ends by itself, by the operator, or when its party's longer one begins."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from wallet.responsible_gaming.events import CoolingOffStarted, Initiator, SelfExcluded, SelfExclusionEnded
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, ExclusionRecord, exclusion_history

OPERATOR, PLAYER = UUID(int=1), UUID(int=2)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ME, STAFF = Initiator.PLAYER, Initiator.OPERATOR


def cooled(at: datetime, days: int) -> CoolingOffStarted:
    return CoolingOffStarted(OPERATOR, PLAYER, ME, at + days * DAY, at)


def excluded(at: datetime, days: int, by: Initiator = ME) -> SelfExcluded:
    return SelfExcluded(OPERATOR, PLAYER, by, at + days * DAY, at)


def cooling(at: datetime, days: int) -> Exclusion:
    return Exclusion(ExclusionKind.COOLING_OFF, ME, at, at + days * DAY)


def exclusion(at: datetime, days: int, by: Initiator = ME) -> Exclusion:
    return Exclusion(ExclusionKind.SELF_EXCLUSION, by, at, at + days * DAY)


def test_without_events_the_history_is_empty() -> None:
    assert exclusion_history([], now=NOON) == []


def test_a_cooling_off_ends_by_itself() -> None:
    assert exclusion_history([cooled(NOON, 2)], now=NOON + DAY) == [ExclusionRecord(cooling(NOON, 2))]
    assert exclusion_history([cooled(NOON, 2)], now=NOON + 2 * DAY) == [
        ExclusionRecord(cooling(NOON, 2), NOON + 2 * DAY)
    ]
    assert exclusion_history([cooled(NOON, 2)], now=NOON + 9 * DAY) == [
        ExclusionRecord(cooling(NOON, 2), NOON + 2 * DAY)
    ]


def test_a_longer_exclusion_ends_the_one_before_and_is_listed_first() -> None:
    later = NOON + DAY

    assert exclusion_history([cooled(NOON, 2), excluded(later, 200)], now=later) == [
        ExclusionRecord(exclusion(later, 200)),
        ExclusionRecord(cooling(NOON, 2), later),
    ]


def test_the_houses_exclusion_and_the_players_own_are_listed_beside_each_other_until_both_end() -> None:
    later, ended = NOON + DAY, NOON + 300 * DAY
    events = [excluded(NOON, 200), excluded(later, 190, by=STAFF)]

    assert exclusion_history(events, now=later) == [
        ExclusionRecord(exclusion(later, 190, by=STAFF)),
        ExclusionRecord(exclusion(NOON, 200)),
    ]
    records = exclusion_history([*events, SelfExclusionEnded(OPERATOR, PLAYER, ended)], now=ended)
    assert [each.ended_at for each in records] == [ended, ended]


def test_a_later_exclusion_does_not_change_the_end_of_an_earlier_one() -> None:
    later = NOON + 9 * DAY

    assert exclusion_history([cooled(NOON, 2), cooled(later, 2)], now=later)[1] == ExclusionRecord(
        cooling(NOON, 2), NOON + 2 * DAY
    )


def test_a_self_exclusion_lasts_until_the_operator_ends_it() -> None:
    began, ended = excluded(NOON, 200), NOON + 300 * DAY

    assert exclusion_history([began], now=ended) == [ExclusionRecord(exclusion(NOON, 200))]
    assert exclusion_history([began, SelfExclusionEnded(OPERATOR, PLAYER, ended)], now=ended + DAY) == [
        ExclusionRecord(exclusion(NOON, 200), ended)
    ]
