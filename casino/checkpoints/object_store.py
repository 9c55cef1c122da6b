"""An object store as the place of checkpoints: GET, and PUT with `If-None-Match: *` (RFC 9110, section 13.1.2)."""

from dataclasses import dataclass, field
from typing import Final

import httpx

from casino.checkpoints.storage import AlreadyExists, StorageUnavailable
from casino.observability import http

TIMEOUT: Final = httpx.Timeout(5.0, connect=2.0)
_WRITTEN: Final = frozenset({200, 201, 204})
_TAKEN: Final = frozenset({409, 412})


@dataclass(frozen=True, slots=True)
class ObjectStorage:
    """The store below an `https://…` address; `token`, if any, is sent as a bearer's."""

    url: str
    token: str = field(default="", repr=False)

    def write(self, name: str, text: bytes) -> None:
        """PUT a text where nothing is yet. Raises Taken, Away."""
        headers = {"If-None-Match": "*", "Content-Type": "application/json"}
        answer = self._ask("PUT", name, headers, text)
        if answer.status_code in _TAKEN:
            raise AlreadyExists(name)
        if answer.status_code not in _WRITTEN:
            raise StorageUnavailable(f"{self}: PUT was answered with {answer.status_code}")

    def read(self, name: str) -> bytes | None:
        """GET what is kept under that name; None for 404. Raises Away."""
        answer = self._ask("GET", name, {}, b"")
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise StorageUnavailable(f"{self}: GET was answered with {answer.status_code}")
        return answer.content

    def _ask(self, method: str, name: str, headers: dict[str, str], text: bytes) -> httpx.Response:
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            url = f"{self.url.rstrip('/')}/{name}"
            return httpx.request(method, url, headers=headers, content=text, timeout=TIMEOUT, verify=http.ssl_context())
        except (httpx.HTTPError, httpx.InvalidURL) as trouble:
            raise StorageUnavailable(f"{self}: {type(trouble).__name__}: {trouble}") from trouble

    def __str__(self) -> str:
        return self.url
