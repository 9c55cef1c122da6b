"""Which alerts open, grow and resolve, and who is told of them: rules without a database."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from casino.alerts import rules
from casino.alerts.heartbeats import DEAD_SECONDS, ProcessState, unreplaced
from casino.alerts.rules import EXPECTED, SETTLE, AlertKind, CallRule, Condition, OpenAlert
from casino.significant.recorder import Severity

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def process(kind: str, *, silent: float = 0.0, started: float = 3600.0, pid: int = 1) -> ProcessState:
    """Return a process that started and was last heard of so many seconds ago."""
    begun, heard = (NOW - timedelta(seconds=seconds) for seconds in (started, silent))
    return ProcessState(kind, "host", pid, "v", begun, heard, silent)


def alert(*, seen: float = 0.0, acknowledged: int | None = None, number: int = 1, opened: float = 0.0) -> OpenAlert:
    seen_at, noticed_at = (NOW - timedelta(seconds=seconds) for seconds in (seen, opened))
    return OpenAlert(7, "jobs", AlertKind.JOBS_LATE, Severity.WARNING, number, seen_at, noticed_at, acknowledged)


def condition(number: int = 1) -> Condition:
    return Condition("jobs", AlertKind.JOBS_LATE, Severity.WARNING, "late", number)


def test_all_is_well_while_a_process_of_each_kind_beats() -> None:
    assert rules.process_conditions([process(kind) for kind in EXPECTED]) == []


def test_a_kind_without_a_living_process_is_critical() -> None:
    processes = [process(kind, silent=DEAD_SECONDS + 1 if kind == "sealer" else 0) for kind in EXPECTED]
    (missing,) = rules.process_conditions(processes)
    assert (missing.kind, missing.severity) == (AlertKind.PROCESS_MISSING, Severity.CRITICAL)
    assert missing.summary == "No sealer runs"
    (also,) = rules.process_conditions([each for each in processes if each.kind != "sealer"])
    assert also == missing


def test_a_dead_process_beside_living_ones_is_a_warning_until_it_is_replaced() -> None:
    living = [process(kind) for kind in EXPECTED]
    dead = process("worker", silent=60, pid=2)
    (died,) = rules.process_conditions([*living, dead])
    assert (died.kind, died.severity) == (AlertKind.PROCESS_DIED, Severity.WARNING)
    assert rules.process_conditions([*living, dead, process("worker", started=30, pid=3)]) == []


def test_one_new_process_replaces_one_dead_one() -> None:
    dead = [process("worker", silent=60, pid=2), process("worker", silent=50, pid=3)]
    assert unreplaced([*dead, process("worker", started=20, pid=4)]) == [dead[1]]


def test_an_alert_opens_once_and_is_seen_while_it_lasts() -> None:
    assert rules.fold([], [condition()], NOW).opened == [condition()]
    changes = rules.fold([alert()], [condition()], NOW)
    assert (changes.opened, changes.seen, changes.resolved) == ([], [(alert(), condition())], [])


def test_an_alert_resolves_only_after_it_was_right_for_a_while() -> None:
    settle = SETTLE.total_seconds()
    assert rules.fold([alert(seen=settle - 1)], [], NOW).resolved == []
    assert rules.fold([alert(seen=settle)], [], NOW).resolved == [alert(seen=settle)]
    unjudged = frozenset({AlertKind.JOBS_LATE})
    assert rules.fold([alert(seen=settle)], [], NOW, unjudged=unjudged).resolved == []


def test_an_acknowledged_alert_is_told_anew_only_if_it_grows() -> None:
    known = alert(acknowledged=2, number=2)
    assert rules.fold([known], [condition(2)], NOW).renewed == []
    assert rules.fold([known], [condition(1)], NOW).renewed == []
    assert rules.fold([known], [condition(3)], NOW).renewed == [known]


def test_a_list_is_told_by_kind_severity_and_time() -> None:
    def told(
        *, kinds: tuple[str, ...] = (), severity: Severity = Severity.WARNING, after: int = 0, of: OpenAlert
    ) -> bool:
        return CallRule(1, kinds, severity, timedelta(seconds=after)).covers(of, NOW)

    assert told(of=alert())
    assert told(of=alert(), kinds=("jobs_late",))
    assert not told(of=alert(), kinds=("health",))
    assert told(of=alert(), severity=Severity.NOTICE)
    assert not told(of=alert(), severity=Severity.CRITICAL)
    assert not told(of=alert(opened=59), after=60)
    assert told(of=alert(opened=60), after=60)
    assert not told(of=alert(opened=60, acknowledged=1), after=60)


def test_what_this_process_could_not_ask_is_no_alert() -> None:
    results = {"disk": "down", "mail": "no answer", "sealing": "ok", "dealing": "a round has been overdue for 9 s"}
    assert [each.key for each in rules.health_conditions(results)] == ["health:dealing"]


def test_delays_and_queues_become_conditions() -> None:
    late = rules.delay_conditions({"jobs": 121.0, "checkpoints": 301.0, "audit": 21601.0, "witnesses": 121.0})
    assert [each.key for each in late] == ["jobs", "checkpoints", "audit", "witnesses"]
    assert rules.delay_conditions({"jobs": 120.0, "checkpoints": -200.0, "audit": 0.0, "witnesses": 0.0}) == []
    operator = UUID(int=1)
    waiting = rules.queue_conditions(
        events=[("large_win", "Large win", "notice", operator, 3)],
        cases=[("discrepancy", operator, 2)],
        overdue=[("complaint", operator, 1)],
        webhooks=[(operator, 1)],
    )
    assert [(each.kind, each.number, each.operator) for each in waiting] == [
        (AlertKind.SIGNIFICANT_EVENTS, 3, operator),
        (AlertKind.OPEN_CASES, 2, operator),
        (AlertKind.OVERDUE_CASES, 1, operator),
        (AlertKind.WEBHOOKS_FAILING, 1, operator),
    ]
