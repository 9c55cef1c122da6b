"""Where checkpoints are kept outside of the database: a folder that is only added to, or an object store by its URL.

Places are named by dotted path, so that the HTTP client is loaded only where one is used.
"""

from functools import lru_cache
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

BY_SCHEME: Final = {
    "file": "casino.checkpoints.folder.FolderStorage",
    "http": "casino.checkpoints.object_store.ObjectStorage",
    "https": "casino.checkpoints.object_store.ObjectStorage",
}


class StorageUnavailable(Exception):
    """The place does not answer, or not as it should; what was to be written may be there or not: ask again."""


class AlreadyExists(Exception):
    """Something is kept under that name already; it was left as it is."""


class CheckpointStorage(Protocol):
    """Keeps texts by name, each written once and never changed."""

    def write(self, name: str, text: bytes) -> None:
        """Keep a text, whole and for good. Raises Taken, Away."""

    def read(self, name: str) -> bytes | None:
        """What is kept under that name, or None. Raises Away."""

    def __str__(self) -> str:
        """Its address, without secrets."""


def object_name(number: int) -> str:
    """Return the name that the checkpoint of that number is kept under."""
    return f"{number:012d}.json"


def configured_storage() -> CheckpointStorage | None:
    """Return the place that the settings name, None where they name none. Raises ImproperlyConfigured."""
    url = settings.CHECKPOINT_STORE
    return storage_at(url, settings.CHECKPOINT_STORE_TOKEN) if url else None


@lru_cache(maxsize=4)
def storage_at(url: str, token: str = "") -> CheckpointStorage:
    """Return the place at `file:///folder` or `https://host/path`. Raises ImproperlyConfigured."""
    path = BY_SCHEME.get(urlsplit(url).scheme)
    if path is None:
        raise ImproperlyConfigured("CHECKPOINT_STORE must be file:///folder or https://host/path.")
    return cast("CheckpointStorage", import_string(path)(url=url, token=token))
