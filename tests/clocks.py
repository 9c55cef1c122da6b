"""The environment of a process whose clock is off, by libfaketime; PostgreSQL's clock stays right."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.programs import without

LIBRARY: Final = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)

needs_faketime = pytest.mark.skipif(LIBRARY is None, reason=without("libfaketime"))


def skewed(environment: Mapping[str, str], offset: str) -> dict[str, str]:
    """Return the environment with a clock that is off by `offset`, such as `+3600`."""
    return {**_with_library(environment), "FAKETIME": offset}


def skewed_by_file(environment: Mapping[str, str], file: Path) -> dict[str, str]:
    """Return the environment with a clock that is off by what the file holds, and follows its changes."""
    return {
        **_with_library(environment),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_CACHE_DURATION": "1",
    }


def _with_library(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        **environment,
        "LD_PRELOAD": str(LIBRARY),
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
