"""The API changes compatibly: what breaks a client needs a new version, and words in the changelog."""

import copy
import gzip
import json
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from casino.devstack.home import PROJECT
from tests.nightly.upgrade.compatibility import breaking_changes

DOCS = PROJECT / "deploy" / "docs"


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    """Read the document of the last published version."""
    document: dict[str, Any] = json.loads(gzip.decompress((DOCS / "api.json.gz").read_bytes()))
    return document


@pytest.fixture(scope="module")
def current() -> dict[str, Any]:
    generator = SchemaGenerator(urlconf="casino.urls")  # type: ignore[no-untyped-call]
    document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    plain: dict[str, Any] = json.loads(json.dumps(document, default=str))
    return plain


def test_a_breaking_change_has_a_new_version_and_its_words_in_the_changelog(
    published: dict[str, Any], current: dict[str, Any]
) -> None:
    """Raise VERSION in casino/api/reference.py, say in changelog.md what to do, and run `make api-document`."""
    if current["info"]["version"] == published["info"]["version"]:
        assert breaking_changes(published, current) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda document: document["paths"].pop("/api/v1/me/balances"), "GET /api/v1/me/balances is gone"),
        (
            lambda document: document["paths"]["/api/v1/rounds"]["get"]["parameters"].clear(),
            "GET /api/v1/rounds has no parameter query cursor",
        ),
        (
            lambda document: document["paths"]["/api/v1/rounds"]["get"]["responses"].pop("200"),
            "GET /api/v1/rounds has no status 200",
        ),
        (
            lambda document: document["components"]["schemas"]["Money"]["properties"].pop("currency"),
            "Money has no field currency",
        ),
        (
            lambda document: document["components"]["schemas"]["MoneyType"]["enum"].remove("play"),
            "MoneyType has no value play",
        ),
        (
            lambda document: document["components"]["schemas"]["MoneyType"]["enum"].append("points"),
            "MoneyType has a new value points",
        ),
        (
            lambda document: document["components"]["schemas"]["FeedEnvelope"]["properties"]["type"]["anyOf"][0][
                "enum"
            ].remove("baccarat.round.settled.v1"),
            "FeedEnvelope.type has no value baccarat.round.settled.v1",
        ),
        (
            lambda document: document["components"]["schemas"]["PlayerRequest"]["required"].append("nickname"),
            "PlayerRequest requires nickname",
        ),
        (
            lambda document: document["components"]["schemas"]["Money"]["required"].remove("amount"),
            "Money may lack amount",
        ),
    ],
)
def test_each_kind_of_breaking_change_is_found(current: dict[str, Any], change: Any, found: str) -> None:
    changed = copy.deepcopy(current)
    change(changed)

    assert found in breaking_changes(current, changed)
    assert breaking_changes(current, copy.deepcopy(current)) == []


def test_additions_are_compatible(current: dict[str, Any]) -> None:
    smaller = copy.deepcopy(current)
    smaller["paths"].pop("/api/v1/me/balances")
    smaller["components"]["schemas"]["Money"]["properties"].pop("currency")
    smaller["components"]["schemas"]["Money"]["required"].remove("currency")
    types = smaller["components"]["schemas"]["FeedEnvelope"]["properties"]["type"]["anyOf"][0]["enum"]
    types.remove("baccarat.round.settled.v1")
    smaller["components"]["schemas"]["ExportFormat"]["enum"].remove("csv")

    assert breaking_changes(smaller, current) == []
