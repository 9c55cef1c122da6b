"""Which alerts open, grow and resolve, and who is told of them: rules without a database."""

from datetime import UTC, datetime, timedelta

from casino.alerts import rules
from casino.alerts.heartbeats import DEAD_SECONDS, ProcessState, unreplaced
from casino.alerts.rules import EXPECTED, SETTLE, CallRule, OpenAlert
from casino.observability.conditions import Observation
from casino.significant.recorder import Severity

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def process(kind: str, *, silent: float = 0.0, started: float = 3600.0, pid: int = 1) -> ProcessState:
    """Return a process that started and was last heard of so many seconds ago."""
    begun, heard = (NOW - timedelta(seconds=seconds) for seconds in (started, silent))
    return ProcessState(kind, "host", pid, "v", begun, heard, silent)


def alert(
    *, seen: float = 0.0, acknowledged: int | None = None, number: int = 1, opened: float = 0.0, key: str = "jobs"
) -> OpenAlert:
    seen_at, noticed_at = (NOW - timedelta(seconds=seconds) for seconds in (seen, opened))
    name = key.partition(":")[0]
    return OpenAlert(7, key, name, Severity.WARNING, number, seen_at, noticed_at, acknowledged)


def finding(number: int = 1) -> Observation:
    return Observation(name="jobs", values={"late": "3 min"}, number=number)


def test_all_is_well_while_a_process_of_each_kind_beats() -> None:
    processes = [process(kind) for kind in EXPECTED]
    assert rules.missing_processes(processes) + rules.dead_processes(processes) == []


def test_a_kind_without_a_living_process_is_critical() -> None:
    processes = [process(kind, silent=DEAD_SECONDS + 1 if kind == "sealer" else 0) for kind in EXPECTED]
    (missing,) = rules.missing_processes(processes)
    assert (missing.name, missing.severity, missing.stops) == ("no_sealer", Severity.CRITICAL, True)
    assert (missing.effect, missing.cause) == ("Live streams and feeds show nothing new", "No sealer runs")
    (also,) = rules.missing_processes([each for each in processes if each.kind != "sealer"])
    assert also == missing
    assert rules.dead_processes(processes) == []


def test_a_dead_process_beside_living_ones_is_a_warning_until_it_is_replaced() -> None:
    living = [process(kind) for kind in EXPECTED]
    dead = process("worker", silent=60, pid=2)
    (died,) = rules.dead_processes([*living, dead])
    assert (died.key, died.severity, died.stops) == ("process_died:worker:host:2", Severity.WARNING, False)
    assert died.command == "on host: docker compose restart worker"
    assert rules.dead_processes([*living, dead, process("worker", started=30, pid=3)]) == []


def test_a_death_is_not_resolved_by_that_of_the_last_process_of_its_kind() -> None:
    dead = [process("worker", silent=60, pid=2), process("worker", silent=20, pid=3)]
    others = [process(kind) for kind in EXPECTED if kind != "worker"]
    findings = rules.missing_processes([*dead, *others]) + rules.dead_processes([*dead, *others])
    assert [each.name for each in findings] == ["no_worker"]
    known = alert(key="process_died:worker:host:2", seen=60)
    gone = alert(key="process_died:web:host:4", seen=60)
    unjudged = rules.unjudged_processes([*dead, *others], steady=True)
    assert rules.fold([known, gone], findings, NOW, unjudged=unjudged).resolved == [gone]


def test_one_new_process_replaces_one_dead_one() -> None:
    dead = [process("worker", silent=60, pid=2), process("worker", silent=50, pid=3)]
    assert unreplaced([*dead, process("worker", started=20, pid=4)]) == [dead[1]]


def test_an_alert_opens_once_and_is_seen_while_it_lasts() -> None:
    assert rules.fold([], [finding()], NOW).opened == [finding()]
    changes = rules.fold([alert()], [finding()], NOW)
    assert (changes.opened, changes.seen, changes.resolved) == ([], [(alert(), finding())], [])


def test_an_alert_resolves_only_after_it_was_right_for_a_while() -> None:
    settle = SETTLE.total_seconds()
    assert rules.fold([alert(seen=settle - 1)], [], NOW).resolved == []
    assert rules.fold([alert(seen=settle)], [], NOW).resolved == [alert(seen=settle)]


def test_what_could_not_be_judged_is_not_resolved() -> None:
    kept = [
        alert(key=key, seen=60) for key in ("jobs", "tables_without_witness:w1", "no_worker", "process_died:web:a:1")
    ]
    gone = alert(key="jobs_of_another_name", seen=60)
    unjudged = ["jobs", "tables_without_witness", *rules.unjudged_processes([], steady=False)]
    assert rules.fold([*kept, gone], [], NOW, unjudged=unjudged).resolved == [gone]


def test_an_acknowledged_alert_is_told_anew_only_if_it_grows() -> None:
    known = alert(acknowledged=2, number=2)
    assert rules.fold([known], [finding(2)], NOW).renewed == []
    assert rules.fold([known], [finding(1)], NOW).renewed == []
    assert rules.fold([known], [finding(3)], NOW).renewed == [known]


def test_a_list_is_told_by_kind_severity_and_time() -> None:
    def told(
        *, kinds: tuple[str, ...] = (), severity: Severity = Severity.WARNING, after: int = 0, of: OpenAlert
    ) -> bool:
        return CallRule(1, kinds, severity, timedelta(seconds=after)).covers(of, NOW)

    assert told(of=alert())
    assert told(of=alert(), kinds=("jobs",))
    assert not told(of=alert(), kinds=("dealing",))
    assert told(of=alert(), severity=Severity.NOTICE)
    assert not told(of=alert(), severity=Severity.CRITICAL)
    assert not told(of=alert(opened=59), after=60)
    assert told(of=alert(opened=60), after=60)
    assert not told(of=alert(opened=60, acknowledged=1), after=60)
