"""The audit decides every change again and reports those that break the rules."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import fetch
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR
from tests.wallet.responsible_gaming.test_eligibility import TABLES, post, rich
from wallet.responsible_gaming.audit import ResponsibleGamingTraces, TableLimitTraces
from wallet.responsible_gaming.events import (
    CoolingOffStarted,
    Initiator,
    LimitPeriod,
    LimitType,
    OperatorLimitSet,
    PlayLimitIncreased,
    PlayLimitIncreaseRequested,
    PlayLimitSet,
    PlayMoneyCapSet,
    RealityCheckSet,
    SelfExcluded,
    SelfExclusionEnded,
    TableLimitSet,
    table_limit_stream,
)
from wallet.responsible_gaming.table_limit import WEEK

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
DAY = timedelta(days=1)
KEY: tuple[Any, ...] = (LimitType.STAKE, LimitPeriod.DAY)
SET = PlayLimitSet(OPERATOR, ALICE, "EUR", Initiator.PLAYER, *KEY, 500, NOW)
REQUESTED = PlayLimitIncreaseRequested(OPERATOR, ALICE, "EUR", *KEY, 900, NOW + DAY, NOW + 2 * DAY)
INCREASED = PlayLimitIncreased(OPERATOR, ALICE, "EUR", *KEY, 900, NOW + 2 * DAY)
COOLING = CoolingOffStarted(OPERATOR, ALICE, Initiator.PLAYER, NOW + DAY, NOW)
EXCLUDED = SelfExcluded(OPERATOR, ALICE, Initiator.OPERATOR, datetime(2027, 5, 21, 9, tzinfo=UTC), NOW)
PERMANENT = SelfExcluded(OPERATOR, ALICE, Initiator.OPERATOR, None, NOW)
EXCLUSION_ENDED = SelfExclusionEnded(OPERATOR, ALICE, datetime(2027, 5, 21, 9, tzinfo=UTC))
REALITY_CHECK = RealityCheckSet(OPERATOR, ALICE, 30, NOW)
OPERATOR_WIDE = OperatorLimitSet(OPERATOR, "EUR", *KEY, 5000, NOW)
RULES, OUT_OF_PLACE = "responsible gaming changed against the rules", "event out of place"


def findings_of(*events: Any, opened: Any = OPERATOR, stream: str = "", skip: int = 0) -> list[str]:
    traces, versions, kinds = ResponsibleGamingTraces(), {}, []  # type: ignore[var-annotated]
    for event in events:
        own = (
            f"operator-limits-{event.operator}"
            if isinstance(event, OperatorLimitSet | PlayMoneyCapSet)
            else f"responsible-gaming-{ALICE}"
        )
        versions[own] = versions.get(own, skip) + 1
        findings = traces.replay(event, operator=opened, stream=stream or own, version=versions[own], where="here")
        kinds.extend(finding.kind for finding in findings)
    return kinds


def test_a_history_within_the_rules_has_no_findings() -> None:
    assert (
        findings_of(
            SET,
            REQUESTED,
            INCREASED,
            REALITY_CHECK,
            COOLING,
            EXCLUDED,
            EXCLUSION_ENDED,
            OPERATOR_WIDE,
            PlayMoneyCapSet(OPERATOR, "EUR", 5, NOW),
        )
        == []
    )


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((SET, SET), [RULES]),
        ((SET, replace(SET, limit=600)), [RULES]),
        ((SET, REQUESTED, replace(INCREASED, at=NOW + DAY)), [RULES]),
        ((SET, REQUESTED, replace(INCREASED, limit=901)), [RULES]),
        ((SET, INCREASED), [RULES]),
        ((SET, replace(REQUESTED, confirm_from=NOW + DAY)), [RULES]),
        ((replace(COOLING, until=NOW + timedelta(hours=23)),), [RULES]),
        ((replace(COOLING, until=NOW + timedelta(hours=24, minutes=1)),), [RULES]),
        ((replace(EXCLUDED, until=NOW + DAY),), [RULES]),
        ((EXCLUDED, COOLING), []),
        ((EXCLUDED, replace(COOLING, by=EXCLUDED.by)), [RULES]),
        ((EXCLUDED, PERMANENT), []),
        ((PERMANENT, EXCLUDED), [RULES]),
        ((PERMANENT, EXCLUSION_ENDED), [RULES]),
        ((EXCLUDED, replace(EXCLUSION_ENDED, at=NOW + DAY)), [RULES]),
        ((EXCLUSION_ENDED,), [RULES]),
        ((replace(REALITY_CHECK, minutes=5),), [RULES]),
        ((OPERATOR_WIDE, OPERATOR_WIDE), [RULES]),
    ],
)
def test_events_against_the_rules_are_reported(events: tuple[Any, ...], expected: list[str]) -> None:
    assert findings_of(*events) == expected


def test_a_wrong_wallet_a_wrong_stream_and_a_gap_are_reported() -> None:
    assert findings_of(SET, opened=None) == ["responsible gaming of another wallet"]
    assert findings_of(SET, opened=(UUID(int=2), "EUR")) == ["responsible gaming of another wallet"]
    assert findings_of(SET, stream="responsible-gaming-other") == ["stream differs"]
    assert findings_of(SET, skip=1) == [OUT_OF_PLACE]
    assert findings_of(OPERATOR_WIDE, skip=1) == [OUT_OF_PLACE]


def test_the_audit_knows_which_exclusion_was_active_at_a_time() -> None:
    traces = ResponsibleGamingTraces()
    for version, event in enumerate((COOLING, EXCLUDED, EXCLUSION_ENDED), 1):
        list(
            traces.replay(event, operator=OPERATOR, stream=f"responsible-gaming-{ALICE}", version=version, where="here")
        )
        if event is COOLING:
            assert traces.exclusion_at(ALICE, at=NOW) is None
            assert traces.exclusion_at(ALICE, at=NOW + timedelta(hours=1)) is not None
            assert traces.exclusion_at(ALICE, at=NOW + DAY) is None
        if event is EXCLUDED:
            assert traces.exclusion_at(ALICE, at=NOW + 2 * DAY) is not None
    assert traces.exclusion_at(ALICE, at=EXCLUSION_ENDED.at + DAY) is None
    assert traces.exclusion_at(UUID(int=11), at=NOW) is None


@pytest.mark.django_db
@pytest.mark.parametrize("period", LimitPeriod)
@pytest.mark.parametrize(("limit", "expected"), [(700, []), (699, ["staked over a limit"])])
def test_a_wager_over_the_limit_of_its_time_is_reported(period: LimitPeriod, limit: int, expected: list[str]) -> None:
    rich(ALICE)
    ((at,),) = fetch("SELECT clock_timestamp()")
    post(ALICE, [(TABLES[0], "wager", 400, 0, False), (TABLES[1], "wager", 300, 0, False)], "over")
    traces = ResponsibleGamingTraces()
    event = replace(SET, period=period, limit=limit, at=at)
    assert list(_replay(traces, event)) == []
    kinds = [each.kind for each in traces.check_state() if each.kind == "staked over a limit"]
    assert kinds == expected


def _replay(traces: ResponsibleGamingTraces, event: Any) -> Any:
    return traces.replay(event, operator=OPERATOR, stream=f"responsible-gaming-{ALICE}", version=1, where="here")


TABLE_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLE_LIMIT = TableLimitSet(OPERATOR, ALICE, "EUR", 5000, TABLE_AT, TABLE_AT + timedelta(days=5))
NEXT_TABLE_LIMIT = replace(
    TABLE_LIMIT, amount=None, at=TABLE_LIMIT.next_change_at, next_change_at=TABLE_LIMIT.next_change_at + WEEK
)


def table_limit_findings(*events: TableLimitSet, **changes: Any) -> list[str]:
    """Replay events as versions 1, 2, … of Alice's stream and return the kinds of findings."""
    limits = TableLimitTraces()
    parameters = {"operator": OPERATOR, "stream": table_limit_stream(ALICE, "EUR"), "where": "here", **changes}
    return [
        finding.kind
        for version, event in enumerate(events, changes.get("version", 1))
        for finding in limits.replay(event, **{**parameters, "version": version})
    ]


def test_changes_in_different_weeks_have_no_findings() -> None:
    assert table_limit_findings(TABLE_LIMIT, NEXT_TABLE_LIMIT) == []


@pytest.mark.parametrize(
    ("event", "changes", "expected"),
    [
        (TABLE_LIMIT, {"operator": None}, "limit of another wallet"),
        (TABLE_LIMIT, {"operator": UUID(int=99)}, "limit of another wallet"),
        (TABLE_LIMIT, {"stream": table_limit_stream(BOB, "EUR")}, "stream differs"),
        (TABLE_LIMIT, {"version": 2}, "event out of place"),
        (replace(TABLE_LIMIT, amount=0), {}, "amount out of range"),
        (replace(TABLE_LIMIT, amount=10**15), {}, "amount out of range"),
        (replace(TABLE_LIMIT, next_change_at=TABLE_AT), {}, "betting week differs"),
        (replace(TABLE_LIMIT, next_change_at=TABLE_AT + WEEK + timedelta(seconds=1)), {}, "betting week differs"),
    ],
)
def test_an_invalid_change_is_reported(event: TableLimitSet, changes: dict[str, Any], expected: str) -> None:
    assert table_limit_findings(event, **changes) == [expected]


def test_two_changes_in_one_week_are_reported() -> None:
    assert table_limit_findings(
        TABLE_LIMIT,
        replace(NEXT_TABLE_LIMIT, at=NEXT_TABLE_LIMIT.at - timedelta(seconds=1), next_change_at=NEXT_TABLE_LIMIT.at),
    ) == ["limit changed twice in a week"]
