"""One word, one meaning: the glossary's rules that a machine can check."""

import ast
import re
from collections import defaultdict

import pytest

from tests.architecture.source import APPS, modules, public_definitions

BANNED = {
    "told", "asked", "given", "shown", "found", "got", "named", "words", "trouble", "picture", "sight", "purse",
    "purses", "means", "standing", "deafness", "reticence", "happening", "happenings", "matter", "matters", "remark",
    "remarks", "guest", "journal", "removal", "removals", "seen", "judging",
}  # fmt: skip
"""What the code was full of before deploy/docs/glossary.md. `NotFound` and `DiscrepancyFound` are good names."""
SAME_ROLE = {"Command", "Migration", "Meta", "Config", "State"}


def parts(name: str) -> set[str]:
    """Split `snake_case` and `CamelCase` into lower-case words."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def test_no_public_name_is_on_the_banned_list():
    offenders = [
        f"{module.path}: {name}"
        for module in modules(*APPS)
        for name in public_definitions(module)
        if name.lower() in BANNED or (name[0].isupper() and not name.isupper() and parts(name) & (BANNED - {"found"}))
    ]
    assert offenders == []


def test_a_public_class_name_is_defined_once():
    homes = defaultdict(list)
    for module in modules(*APPS):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in SAME_ROLE:
                homes[node.name].append(module.path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("folder", [*APPS, "tests"])
def test_docstrings_are_in_the_imperative_mood(folder):
    offenders = [
        f"{module.path}:{node.lineno}"
        for module in modules(folder)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("This " + "will ")
    ]
    assert offenders == []
