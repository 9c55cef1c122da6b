"""Where checkpoints are copied outside the database: a folder or an object store, by the scheme of its URL."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from casino.observability import http

TIMEOUT: Final = httpx.Timeout(5.0, connect=2.0)
_WRITTEN: Final = frozenset({200, 201, 204})
_TAKEN: Final = frozenset({409, 412})


class StorageUnavailable(Exception):
    """The storage does not answer, or not as it should. A write may have happened or not; try again."""


class AlreadyExists(Exception):
    """Something is stored under that name already; it was left as it is."""


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


class CheckpointStorage(Protocol):
    """Stores texts by name, each written once and never changed."""

    def write(self, name: str, text: bytes) -> None:
        """Store a text, whole and for good. Raises AlreadyExists, StorageUnavailable."""

    def read(self, name: str) -> bytes | None:
        """Return what is stored under that name, or None. Raises StorageUnavailable."""

    def __str__(self) -> str:
        """Return its address, without secrets."""


def object_name(number: int) -> str:
    """Return the name that a checkpoint is stored under."""
    return f"{number:012d}.json"


def configured_storage() -> CheckpointStorage | None:
    """Return the storage in the settings, if any. Raises ImproperlyConfigured."""
    url = settings.CHECKPOINT_STORAGE
    return storage_at(url, settings.CHECKPOINT_STORAGE_TOKEN) if url else None


@lru_cache(maxsize=4)
def storage_at(url: str, token: str = "") -> CheckpointStorage:
    """Return the storage at `file:///folder` or `https://host/path`. Raises ImproperlyConfigured."""
    scheme = urlsplit(url).scheme
    if scheme == "file":
        from casino.checkpoints.folder import FolderStorage

        return FolderStorage(url)
    if scheme in {"http", "https"}:  # its HTTP client is imported only where one is used
        from casino.checkpoints.storage import ObjectStorage

        return ObjectStorage(url, token)
    raise ImproperlyConfigured("CHECKPOINT_STORAGE must be file:///folder or https://host/path.")
