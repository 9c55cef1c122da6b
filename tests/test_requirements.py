"""The tables of guarantees and requirements name code and tests that exist, for every requirement there is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLES = Path(__file__).with_name("README.md")
NOT_BUILT = {9, 10}
"""Requirements of which nothing is built yet; their lines say so."""


def rows(pattern: str) -> Iterator[list[str]]:
    """The cells of each row of a table that begins like this."""
    for line in TABLES.read_text(encoding="utf-8").splitlines():
        if re.match(pattern, line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def requirements() -> Iterator[list[str]]:
    """Each requirement's cells: number, kind, requirement, code, tests."""
    yield from rows(r"\| \d+ \|")


def guarantees() -> list[list[str]]:
    """Each guarantee's cells: the guarantee, its tests."""
    return [cells for cells in rows(r"\| [^`|]* \| `tests/") if len(cells) == 2]


def require_test(named: str) -> None:
    """Fail unless this file, or this test of it, exists."""
    path, _, test = named.partition("::")
    assert (ROOT / path).exists(), path
    assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), named


def test_every_one_of_the_forty_has_a_line() -> None:
    assert [int(cells[0]) for cells in requirements()] == list(range(1, 41))
    assert {cells[1] for cells in requirements()} == {"M", "C", "D"}


@pytest.mark.parametrize("cells", list(requirements()), ids=lambda cells: cells[0])
def test_code_and_tests_that_are_named_exist(cells: list[str]) -> None:
    number, _, what, code, tests = cells
    if int(number) in NOT_BUILT:
        assert what.startswith("Not built yet")
        assert (code, tests) == ("", "")
        return
    named = re.findall("`([^`]+)`", code)
    proven = re.findall("`([^`]+)`", tests)
    assert named
    assert proven
    for path in named:
        assert (ROOT / path).exists(), path
    for one in proven:
        require_test(one)


def test_every_guarantee_is_proven_by_tests_that_exist() -> None:
    assert len(guarantees()) >= 45
    for _, tests in guarantees():
        for one in re.findall("`(tests/[^`]+)`", tests):
            require_test(one)
