"""A client of openapi-fetch with the types of openapi-typescript compiles strictly, and plays a session."""

import json
from pathlib import Path

import pytest

from tests.clients.conftest import Service, needs_node, run_typescript

pytestmark = [pytest.mark.slow, needs_node]


def test_a_typed_client_plays_a_session(service: Service, tmp_path: Path) -> None:
    played = json.loads(run_typescript("session", service, tmp_path))

    assert played["needed"] == "60.00"
    assert played["balance"] in {"90.00", "100.00", "109.50", "190.00"}
