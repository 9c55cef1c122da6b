"""The tables of guarantees and requirements in tests/README.md name existing code and tests."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TABLES = ROOT / "tests" / "README.md"


def rows(pattern: str) -> Iterator[list[str]]:
    """Yield the cells of each table row that matches."""
    for line in TABLES.read_text(encoding="utf-8").splitlines():
        if re.match(pattern, line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def requirements() -> Iterator[list[str]]:
    """Yield each requirement's cells: number, kind, requirement, code, tests."""
    yield from rows(r"\| \d+ \|")


def guarantees() -> list[list[str]]:
    """Return each guarantee's cells: the guarantee, its tests."""
    return [cells for cells in rows(r"\| [^`|]* \| `tests/") if len(cells) == 2]


def require_test(reference: str) -> None:
    """Fail unless this file, or this test of it, exists."""
    path, _, test = reference.partition("::")
    assert (ROOT / path).exists(), path
    assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), reference


def test_each_of_the_forty_requirements_has_a_row() -> None:
    assert [int(cells[0]) for cells in requirements()] == list(range(1, 41))
    assert {cells[1] for cells in requirements()} == {"M", "C", "D"}


@pytest.mark.parametrize("cells", list(requirements()), ids=lambda cells: cells[0])
def test_a_requirement_names_existing_code_and_tests(cells: list[str]) -> None:
    code, tests = cells[3:]
    paths = re.findall("`([^`]+)`", code)
    references = re.findall("`([^`]+)`", tests)
    assert paths
    assert references
    for path in paths:
        assert (ROOT / path).exists(), path
    for reference in references:
        require_test(reference)


def test_a_guarantee_names_existing_tests() -> None:
    assert len(guarantees()) >= 45
    for _, tests in guarantees():
        for reference in re.findall("`(tests/[^`]+)`", tests):
            require_test(reference)
