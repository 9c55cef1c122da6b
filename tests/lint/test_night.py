"""Each part of the night is a target of make, and each test of the night is in one part."""

import re

from casino.devstack.home import PROJECT
from tests.nightly.parts import parts


def test_make_has_a_target_for_each_part_in_order():
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    (targets,) = re.findall(r"^PARTS := (.+)$", makefile, re.MULTILINE)
    assert targets.split() == [part.name for part in parts()]


def test_each_file_of_tests_is_in_exactly_one_part():
    for file in sorted((PROJECT / "tests/nightly").rglob("test_*.py")):
        name = str(file.relative_to(PROJECT))
        holds = [part.name for part in parts() if _runs(part.command, name)]
        assert len(holds) == 1, (name, holds)


def _runs(command: tuple[str, ...], file: str) -> bool:
    named = any(word == file or file.startswith(f"{word}/") for word in command if word.startswith("tests/"))
    return named and f"--ignore={file}" not in command
