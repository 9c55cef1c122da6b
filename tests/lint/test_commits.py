"""The subjects of commits say what changes: `area: Verb object`."""

import re
import subprocess

import pytest

from tests.architecture.source import PROJECT

SUBJECT = re.compile(r"(README|[a-z][\w ,./-]*): [A-Z][a-z-]+(?<!ing)(?<!ied),?( \S+)*[^.\s]")


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=False)  # noqa: S603, S607


def test_subjects_are_short_and_imperative():
    since = (PROJECT / ".ci" / "commits-since").read_text(encoding="utf-8").strip()
    if git("cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        pytest.skip("Not a clone with the project's history.")
    subjects = git("log", "--no-merges", "--format=%s", f"{since}..HEAD").stdout.splitlines()
    assert [subject for subject in subjects if len(subject) > 72 or not SUBJECT.fullmatch(subject)] == []
