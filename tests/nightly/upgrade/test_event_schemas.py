"""A release writes no event that the release before it can't read, so that both run side by side."""

import copy
import gzip
import json
from typing import Any

import pytest

from casino.devstack.home import PROJECT
from tests.nightly.upgrade.event_schemas import Schemas, current_schemas, unreadable

DOCS = PROJECT / "deploy" / "docs"
CHANGELOG = (DOCS / "changelog.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def current() -> Schemas:
    return current_schemas()


def test_the_release_before_reads_all_that_is_written(current: Schemas) -> None:
    """Give the event a new schema that is read only (`written`), and write it one release later: see releases.md."""
    published: dict[str, Any] = json.loads(gzip.decompress((DOCS / "events.json.gz").read_bytes()))
    if f"## {published['version']} (not released)" not in CHANGELOG:
        assert unreadable(published["events"], current) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda events: events["WagerConfirmed"].update(reads=2, writes=2),
            "WagerConfirmed is written in schema 2, the release before reads 1",
        ),
        (
            lambda events: events.update(WagerDoubled={"reads": 1, "writes": 1, "shape": {}}),
            "WagerDoubled is written in schema 1, the release before reads 0",
        ),
        (
            lambda events: events["RoundOpened"].update(shape={}),
            "RoundOpened has another shape and no new schema",
        ),
        (lambda events: events.pop("SeatTaken"), "SeatTaken can't be read any more"),
        (
            lambda events: events["CardsDealt"].update(reads=1, writes=1, shape={}),
            "CardsDealt of schema 3 can't be read any more",
        ),
    ],
)
def test_what_the_release_before_could_not_read_is_found(current: Schemas, change: Any, fault: str) -> None:
    changed = copy.deepcopy(current)
    change(changed)
    assert unreadable(current, changed) == [fault]


def test_what_is_only_read_comes_a_release_before_it_is_written(current: Schemas) -> None:
    first = copy.deepcopy(current)
    first["WagerConfirmed"].update(reads=2, writes=1, shape={})
    first["WagerDoubled"] = {"reads": 1, "writes": 0, "shape": {}}
    second = copy.deepcopy(first)
    second["WagerConfirmed"]["writes"], second["WagerDoubled"]["writes"] = 2, 1
    assert unreadable(current, first) == []
    assert unreadable(first, second) == []
