"""The version is written in one place, and repeated where others look for it."""

import json
import re
import tomllib

from casino.api.reference import VERSION
from casino.devstack.home import PROJECT
from casino.feed.asyncapi import asyncapi_document
from tests.system.deploy.compose import COMPOSE


def test_every_place_names_the_same_version() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION
    assert f":-{project['name']}:{VERSION}}}" in COMPOSE.read_text(encoding="utf-8")
    assert json.loads(asyncapi_document())["info"]["version"] == VERSION


def test_the_changelog_has_the_current_version_first() -> None:
    changelog = (PROJECT / "deploy" / "docs" / "changelog.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert versions[0] == VERSION
    assert versions == sorted(versions, key=lambda text: [int(part) for part in text.split(".")], reverse=True)
