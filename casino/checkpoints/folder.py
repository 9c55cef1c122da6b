"""A folder as the place of checkpoints: each file appears whole, once, and is on the disk before we say so."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from casino.checkpoints.storage import AlreadyExists, StorageUnavailable


@dataclass(frozen=True, slots=True)
class FolderStorage:
    """The folder that a `file:///…` address names; it is made when first written to. It needs no `token`."""

    url: str
    token: str = ""

    @property
    def path(self) -> Path:
        return Path(unquote(urlsplit(self.url).path))

    def write(self, name: str, text: bytes) -> None:
        """Flush a draft to the disk and link it, which only one can do for a name. Raises Taken, Away."""
        draft = self.path / f".{name}.{secrets.token_hex(8)}"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                _write_through(draft, text)
                _link(draft, self.path / name)
            finally:
                draft.unlink(missing_ok=True)
            _flush_folder(self.path)
        except OSError as trouble:
            raise StorageUnavailable(f"{self}: {trouble.strerror}") from trouble

    def read(self, name: str) -> bytes | None:
        """Return what is kept under that name, or None. Raises Away."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as trouble:
            raise StorageUnavailable(f"{self}: {trouble.strerror}") from trouble

    def __str__(self) -> str:
        return self.url


def _write_through(file: Path, text: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())


def _link(draft: Path, file: Path) -> None:
    try:
        os.link(draft, file)
    except FileExistsError as trouble:
        raise AlreadyExists(file.name) from trouble


def _flush_folder(folder: Path) -> None:
    """So that the name outlives a power cut, not only the bytes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
