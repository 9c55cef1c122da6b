"""Storage outside the database, by URL: of checkpoints, manifests and archived months."""

import os
import secrets
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

import httpx
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from casino.observability.process import ssl_context

TIMEOUT: Final = httpx.Timeout(2.5, connect=1.0)
"""Shorter than a signer may be idle in its transaction (casino.events.sql.LEADER_LIMIT)."""
_WRITTEN: Final = frozenset({200, 201, 204})
_EXISTS: Final = frozenset({409, 412})


class StorageUnavailable(Exception):
    """The storage does not answer, or answers with an error. A write may or may not have happened; try again."""


class AlreadyExists(Exception):
    """The name exists already; its content was not changed."""


class CheckpointStorage(Protocol):
    """Stores texts by name. Each is written once and never changed."""

    def write(self, name: str, text: bytes) -> None:
        """Store a text under a new name. Raises AlreadyExists, StorageUnavailable."""

    def read(self, name: str) -> bytes | None:
        """Return the text of that name, or None. Raises StorageUnavailable."""

    def __str__(self) -> str:
        """Return the URL, without secrets."""


@dataclass(frozen=True, slots=True)
class FolderStorage:
    """The folder of a `file:///…` URL, created by the first write. A file appears complete and is flushed to disk."""

    url: str

    @property
    def path(self) -> Path:
        return Path(unquote(urlsplit(self.url).path))

    def write(self, name: str, text: bytes) -> None:
        """Write and flush a temporary file, then link it to its name, which fails if that exists."""
        temporary = self.path / f".{name}.{secrets.token_hex(8)}"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                _write_and_flush(temporary, text)
                _link(temporary, self.path / name)
            finally:
                temporary.unlink(missing_ok=True)
            _flush_folder(self.path)
        except OSError as error:
            raise StorageUnavailable(f"{self}: {error.strerror}") from error

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnavailable(f"{self}: {error.strerror}") from error

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class ObjectStorage:
    """The object store at an `https://…` URL; `token`, if any, is sent as a bearer token."""

    url: str
    token: str = field(default="", repr=False)

    def write(self, name: str, text: bytes) -> None:
        headers = {"If-None-Match": "*", "Content-Type": "text/plain; charset=utf-8"}
        response = self._request("PUT", name, headers, text)
        if response.status_code in _EXISTS:
            raise AlreadyExists(name)
        if response.status_code not in _WRITTEN:
            raise StorageUnavailable(f"{self}: PUT was answered with {response.status_code}")

    def read(self, name: str) -> bytes | None:
        response = self._request("GET", name, {}, b"")
        if response.status_code == 404:
            return None
        if response.status_code != 200:
            raise StorageUnavailable(f"{self}: GET was answered with {response.status_code}")
        return response.content

    def _request(self, method: str, name: str, headers: dict[str, str], text: bytes) -> httpx.Response:
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            url = f"{self.url.rstrip('/')}/{name}"
            return httpx.request(method, url, headers=headers, content=text, timeout=TIMEOUT, verify=ssl_context())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StorageUnavailable(f"{self}: {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return self.url


def object_name(number: int) -> str:
    """Return the name of a checkpoint in the storage."""
    return f"{number:012d}.txt"


def configured_storage() -> CheckpointStorage | None:
    """Return the storage of the settings, if any. Raises ImproperlyConfigured."""
    url = settings.CHECKPOINT_STORAGE
    return storage_at(url, settings.CHECKPOINT_STORAGE_TOKEN) if url else None


def archive_storage() -> FolderStorage | None:
    """Return the folder of archived months, if any. Raises ImproperlyConfigured."""
    url = settings.ARCHIVE_STORAGE
    if not url:
        return None
    if not url.startswith("file:///"):
        raise ImproperlyConfigured("ARCHIVE_STORAGE must be file:///folder.")
    return FolderStorage(url)


@lru_cache(maxsize=4)
def storage_at(url: str, token: str = "") -> CheckpointStorage:
    """Return the storage at `file:///folder` or `https://host/path`. Raises ImproperlyConfigured."""
    scheme = urlsplit(url).scheme
    if scheme == "file":
        return FolderStorage(url)
    if scheme in {"http", "https"}:
        return ObjectStorage(url, token)
    raise ImproperlyConfigured("CHECKPOINT_STORAGE must be file:///folder or https://host/path.")


def _write_and_flush(path: Path, text: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise AlreadyExists(path.name) from error


def _flush_folder(folder: Path) -> None:
    """Flush the folder, so that a new name survives a power cut as well as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
