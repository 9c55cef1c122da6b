"""Names that resolve as a test wishes."""

import socket
from typing import Any

import pytest


def resolving_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names resolve to these addresses, one list at each look-up; return the names that were looked up."""
    asked: list[str] = []
    resolve = socket.getaddrinfo

    def getaddrinfo(host: str, port: int, *more: Any, **named: Any) -> list[Any]:
        if not host.endswith(".example"):  # an address: connecting looks it up, too
            return resolve(host, port, *more, **named)
        asked.append(host)
        addresses = answers[min(len(asked), len(answers)) - 1]
        return [(socket.AF_INET, 1, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked
