"""A client of openapi-fetch with the types of openapi-typescript compiles strictly, and plays a session."""

from collections.abc import Callable
from typing import Any

from tests.support.typescript import needs_node

pytestmark = needs_node


def test_a_typed_client_plays_a_session(run_typescript: Callable[..., Any]) -> None:
    played = run_typescript("session")

    assert played["needed"] == "60.00"
    assert played["balance"] in {"90.00", "100.00", "109.50", "190.00"}
