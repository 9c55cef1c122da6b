"""Which processes are missing: rules without a database."""

from datetime import UTC, datetime, timedelta

from casino.alerts import rules
from casino.alerts.heartbeats import DEAD_SECONDS, ProcessState, unreplaced
from casino.alerts.rules import EXPECTED, STEADY_SECONDS
from casino.significant.recorder import Severity

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def process(
    kind: str, *, silent: float = 0.0, started: float = 3600.0, pid: int = 1, steady: float = 3600.0
) -> ProcessState:
    """Return a process that started and was last heard of so many seconds ago, and for how long without a gap."""
    begun, heard = (NOW - timedelta(seconds=seconds) for seconds in (started, silent))
    return ProcessState(kind, "host", pid, "v", begun, heard, silent, steady)


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


def test_a_dead_process_beside_living_ones_is_a_warning_until_it_is_replaced() -> None:
    living = [process(kind) for kind in EXPECTED]
    dead = process("worker", silent=60, pid=2)
    (died,) = rules.dead_processes([*living, dead])
    assert (died.key, died.severity, died.stops) == ("process_died:worker:host:2", Severity.WARNING, False)
    assert died.command == "on host: docker compose restart worker"
    assert rules.missing_processes([*living, dead]) == []
    assert rules.dead_processes([*living, dead, process("worker", started=30, pid=3)]) == []


def test_where_the_last_of_a_kind_has_died_that_alone_is_said() -> None:
    dead = [process("worker", silent=60, pid=2), process("worker", silent=20, pid=3)]
    others = [process(kind) for kind in EXPECTED if kind != "worker"]
    assert [each.name for each in rules.missing_processes([*dead, *others])] == ["no_worker"]
    assert rules.dead_processes([*dead, *others]) == []


def test_after_an_outage_nobody_is_called_dead_until_one_has_beaten_for_a_while() -> None:
    silent = [process(kind, silent=60) for kind in EXPECTED if kind != "web"]
    lately, for_long = (process("web", steady=STEADY_SECONDS + more) for more in (-1, 0))
    assert rules.missing_processes([lately, *silent]) + rules.dead_processes([lately, *silent]) == []
    assert len(rules.missing_processes([for_long, *silent])) == len(silent)


def test_a_kind_that_never_ran_is_missing_at_once() -> None:
    found = rules.missing_processes([process("web", started=1, steady=1)])
    assert {each.name for each in found} == {*EXPECTED.values()} - {"no_web"}


def test_one_new_process_replaces_one_dead_one() -> None:
    dead = [process("worker", silent=60, pid=2), process("worker", silent=50, pid=3)]
    assert unreplaced([*dead, process("worker", started=20, pid=4)]) == [dead[1]]
