"""How deep tests go: `make test` tries some cases, `NIGHTLY=1` all of them."""

import os
from typing import Final, TypeVar

T = TypeVar("T")

DEEP: Final = bool(os.environ.get("NIGHTLY"))
"""Whether a test that loops tries everything: each statement to die at, each preset, thousands of examples."""


def deep(quick: T, all: T) -> T:  # noqa: A002
    """Return what to try: `quick` by day, `all` at night."""
    return all if DEEP else quick


def examples(count: int) -> int:
    """Return how many examples Hypothesis tries of a property that gets `count` by day."""
    return deep(count, 30 * count)
