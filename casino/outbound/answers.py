"""Answers to our requests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpcore

KEPT_OPEN: Final[dict[str, Any]] = {"max_keepalive_connections": 100, "keepalive_expiry": 30.0}
"""Of connections: how many, and for how many seconds."""

NO_ANSWER: Final = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, TimeoutError)
"""What is raised where nobody answers, or not as was asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A receiver's answer; `body` is its beginning."""

    status: int
    body: str


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """An answer as it came, with all of its headers; names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def names_and_values(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers as httpcore has them by their names in lower case; of equal names the last counts."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


class AnswerTooLong(httpcore.ProtocolError):
    """The answer has more bytes than anybody wants of it."""
