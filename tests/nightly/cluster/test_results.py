"""Results of all runs count, and a run strikes what struck least."""

from collections import Counter
from pathlib import Path

from tests.nightly.cluster.faults import FAULTS
from tests.nightly.cluster.results import rows_of, table
from tests.nightly.cluster.test_cluster import least_struck

FEW = FAULTS[:3]


def test_runs_after_one_another_strike_each_fault_as_often_as_any_other() -> None:
    struck: list[str] = []
    for _ in range(5):
        struck += [fault.name for fault in least_struck(FEW, struck, 3)]
    assert Counter(struck) == {fault.name: 5 for fault in FEW}


def test_a_run_strikes_first_what_struck_least_before() -> None:
    before = [FEW[0].name, FEW[0].name, FEW[1].name]
    assert least_struck(FEW, before, 1) == [FEW[2]]
    assert Counter(each.name for each in least_struck(FEW, before, 3)) == {FEW[2].name: 2, FEW[1].name: 1}


def test_the_table_counts_the_faults_of_all_runs_and_names_what_cannot_be() -> None:
    slow = "etcd's leader has a slow disk"
    lines = table([(slow, "0.5"), (slow, "1.5"), ("renamed since", "9.0")]).splitlines()
    assert "| etcd's leader | 0 | 0 | — | — | 0 | 0 | 2: 1.5 | — |" in lines


def test_a_fault_counts_also_where_only_the_worst_of_several_is_known() -> None:
    lines = table([("a sealer dies", "0.5"), ("a sealer dies", ""), ("a sealer dies", "")]).splitlines()
    assert "| a sealer | 3: 0.5 | 0 | — | — | — | — | — | — |" in lines
    assert "| 5 s | 1 | 0.5 | 0.5 | 0.5 | 1 |" in lines


def test_before_the_first_run_there_are_no_results(tmp_path: Path) -> None:
    assert rows_of(tmp_path / "results.csv") == []
