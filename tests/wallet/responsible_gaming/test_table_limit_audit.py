"""What an audit says of changes that the rules would not have allowed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.wallet.ledger.world import ALICE, BOB, OPERATOR
from wallet.responsible_gaming.betting_week import WEEK
from wallet.responsible_gaming.events import TableLimitSet, table_limit_stream
from wallet.responsible_gaming.table_limit_audit import TableLimitTraces

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
SET = TableLimitSet(OPERATOR, ALICE, "EUR", 5000, AT, AT + timedelta(days=5))
NEXT = replace(SET, amount=None, at=SET.next_change_at, next_change_at=SET.next_change_at + WEEK)


def found(*events: TableLimitSet, **changes: Any) -> list[str]:
    """What is found when these events are followed as versions 1, 2 and on of Alice's stream."""
    limits = TableLimitTraces()
    given = {"wallet": (OPERATOR, "EUR"), "stream": table_limit_stream(ALICE), "where": "here", **changes}
    return [
        finding.kind
        for version, event in enumerate(events, changes.get("version", 1))
        for finding in limits.replay(event, **{**given, "version": version})
    ]


def test_changes_in_weeks_of_their_own_are_sound() -> None:
    assert found(SET, NEXT) == []


@pytest.mark.parametrize(
    ("event", "changes", "what"),
    [
        (SET, {"wallet": None}, "limit of another wallet"),
        (SET, {"wallet": (OPERATOR, "SEK")}, "limit of another wallet"),
        (SET, {"stream": table_limit_stream(BOB)}, "stream differs"),
        (SET, {"version": 2}, "event out of place"),
        (replace(SET, amount=0), {}, "amount out of range"),
        (replace(SET, amount=10**15), {}, "amount out of range"),
        (replace(SET, next_change_at=AT), {}, "betting week differs"),
        (replace(SET, next_change_at=AT + WEEK + timedelta(seconds=1)), {}, "betting week differs"),
    ],
)
def test_a_change_that_can_not_be_is_named(event: TableLimitSet, changes: dict[str, Any], what: str) -> None:
    assert found(event, **changes) == [what]


def test_two_changes_in_one_week_are_named() -> None:
    assert found(SET, replace(NEXT, at=NEXT.at - timedelta(seconds=1), next_change_at=NEXT.at)) == [
        "limit changed twice in a week"
    ]
