"""The table of requirements names code and tests that exist, for every requirement there is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).with_name("requirements.md")
NOT_BUILT = {9, 10}
"""Requirements of which nothing is built yet; their lines say so."""


def lines() -> Iterator[list[str]]:
    """Each requirement's cells: number, kind, what is required, code, tests."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| \d+ \|", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_every_one_of_the_forty_has_a_line() -> None:
    assert [int(cells[0]) for cells in lines()] == list(range(1, 41))
    assert {cells[1] for cells in lines()} == {"M", "C", "D"}


@pytest.mark.parametrize("cells", list(lines()), ids=lambda cells: cells[0])
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
        path, _, test = one.partition("::")
        assert (ROOT / path).is_file(), path
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), one
