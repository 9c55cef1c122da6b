"""Where checkpoints are copied outside the database: a folder or an object store, by the scheme of its URL."""

from functools import lru_cache
from typing import Protocol
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class StorageUnavailable(Exception):
    """The storage does not answer, or not as it should. A write may have happened or not; try again."""


class AlreadyExists(Exception):
    """Something is stored under that name already; it was left as it is."""


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
        from casino.checkpoints.object_store import ObjectStorage

        return ObjectStorage(url, token)
    raise ImproperlyConfigured("CHECKPOINT_STORAGE must be file:///folder or https://host/path.")
