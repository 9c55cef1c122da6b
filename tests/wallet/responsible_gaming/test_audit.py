"""An audit judges every change again, and names what no rule led to."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import fetch
from tests.wallet.responsible_gaming.test_counting import TABLES, post, rich
from wallet.responsible_gaming.audit import ResponsibleGamingTraces
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
)

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
OPERATOR, ALICE = UUID(int=1), UUID(int=10)
DAY = timedelta(days=1)
KEY: tuple[Any, ...] = (LimitType.STAKE, LimitPeriod.DAY)
SET = PlayLimitSet(OPERATOR, ALICE, "EUR", Initiator.PLAYER, *KEY, 500, NOW)
ASKED = PlayLimitIncreaseRequested(OPERATOR, ALICE, "EUR", *KEY, 900, NOW + DAY, NOW + 2 * DAY)
RAISED = PlayLimitIncreased(OPERATOR, ALICE, "EUR", *KEY, 900, NOW + 2 * DAY)
COOLING = CoolingOffStarted(OPERATOR, ALICE, Initiator.PLAYER, NOW + DAY, NOW)
GONE = SelfExcluded(OPERATOR, ALICE, Initiator.OPERATOR, datetime(2027, 5, 21, 9, tzinfo=UTC), NOW)
BACK = SelfExclusionEnded(OPERATOR, ALICE, datetime(2027, 5, 21, 9, tzinfo=UTC))
REMIND = RealityCheckSet(OPERATOR, ALICE, 30, NOW)
HOUSE = OperatorLimitSet(OPERATOR, "EUR", *KEY, 5000, NOW)
RULES, PLACE = "responsible gaming changed against the rules", "event out of place"


def found(*events: Any, opened: Any = (OPERATOR, "EUR"), stream: str = "", skip: int = 0) -> list[str]:
    protections, versions, whats = ResponsibleGamingTraces(), {}, []  # type: ignore[var-annotated]
    for event in events:
        own = (
            f"operator-limits-{event.operator}"
            if isinstance(event, OperatorLimitSet | PlayMoneyCapSet)
            else f"responsible-gaming-{ALICE}"
        )
        versions[own] = versions.get(own, skip) + 1
        findings = protections.replay(event, wallet=opened, stream=stream or own, version=versions[own], where="here")
        whats.extend(finding.kind for finding in findings)
    return whats


def test_a_life_by_the_rules_gives_no_finding() -> None:
    assert found(SET, ASKED, RAISED, REMIND, COOLING, GONE, BACK, HOUSE, PlayMoneyCapSet(OPERATOR, "EUR", 5, NOW)) == []


@pytest.mark.parametrize(
    ("events", "whats"),
    [
        ((SET, SET), [RULES]),
        ((SET, replace(SET, limit=600)), [RULES]),
        ((SET, ASKED, replace(RAISED, at=NOW + DAY)), [RULES]),
        ((SET, ASKED, replace(RAISED, limit=901)), [RULES]),
        ((SET, RAISED), [RULES]),
        ((SET, replace(ASKED, confirm_from=NOW + DAY)), [RULES]),
        ((replace(COOLING, until=NOW + timedelta(hours=23)),), [RULES]),
        ((replace(COOLING, until=NOW + timedelta(hours=24, minutes=1)),), [RULES]),
        ((replace(GONE, until=NOW + DAY),), [RULES]),
        ((GONE, COOLING), [RULES]),
        ((GONE, replace(BACK, at=NOW + DAY)), [RULES]),
        ((BACK,), [RULES]),
        ((replace(REMIND, minutes=5),), [RULES]),
        ((HOUSE, HOUSE), [RULES]),
    ],
)
def test_what_no_rule_led_to_is_named(events: tuple[Any, ...], whats: list[str]) -> None:
    assert found(*events) == whats


def test_another_wallet_another_stream_and_a_gap_are_named() -> None:
    assert found(SET, opened=None) == ["responsible gaming of another wallet"]
    assert found(SET, opened=(UUID(int=2), "EUR")) == ["responsible gaming of another wallet"]
    assert found(SET, stream="responsible-gaming-other") == ["stream differs"]
    assert found(SET, skip=1) == [PLACE]
    assert found(HOUSE, skip=1) == [PLACE]


def test_who_plays_while_away_is_known_by_the_time() -> None:
    protections = ResponsibleGamingTraces()
    for version, event in enumerate((COOLING, GONE, BACK), 1):
        list(
            protections.replay(
                event, wallet=(OPERATOR, "EUR"), stream=f"responsible-gaming-{ALICE}", version=version, where="here"
            )
        )
        if event is COOLING:
            assert protections.exclusion_at(ALICE, at=NOW) is None
            assert protections.exclusion_at(ALICE, at=NOW + timedelta(hours=1)) is not None
            assert protections.exclusion_at(ALICE, at=NOW + DAY) is None
        if event is GONE:
            assert protections.exclusion_at(ALICE, at=NOW + 2 * DAY) is not None
    assert protections.exclusion_at(ALICE, at=BACK.at + DAY) is None
    assert protections.exclusion_at(UUID(int=11), at=NOW) is None


@pytest.mark.django_db
@pytest.mark.parametrize("period", LimitPeriod)
@pytest.mark.parametrize(("most", "whats"), [(700, []), (699, ["staked over a limit"])])
def test_a_wager_over_the_limit_that_held_is_found(period: LimitPeriod, most: int, whats: list[str]) -> None:
    rich(ALICE)
    ((at,),) = fetch("SELECT clock_timestamp()")
    post(ALICE, [(TABLES[0], "wager", 400, 0, False), (TABLES[1], "wager", 300, 0, False)], "over")
    protections = ResponsibleGamingTraces()
    event = replace(SET, period=period, limit=most, at=at)
    assert list(_follow(protections, event)) == []
    found_then = [each.kind for each in protections.check_state() if each.kind == "staked over a limit"]
    assert found_then == whats


def _follow(protections: ResponsibleGamingTraces, event: Any) -> Any:
    return protections.replay(
        event, wallet=(OPERATOR, "EUR"), stream=f"responsible-gaming-{ALICE}", version=1, where="here"
    )
