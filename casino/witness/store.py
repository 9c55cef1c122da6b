"""Where a witness keeps its keys, its chains and all that it has said: a folder with SQLite, flushed at each commit.

A restored copy must never speak again as if nothing had happened: it would give out links to other closings. So each
commit is counted in the database and in a small file that is not in the folder, and never in a backup. The file is
written after the commit; where it is ahead of the database, the database is an old one.
"""

import contextlib
import fcntl
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from casino.crypto import ed25519
from casino.crypto.signed_note import NoteKey, SignatureType, is_key_name

SCHEMA_VERSION: Final = 1
LOCK_SECONDS: Final = 15.0
"""How long a start waits for a process that is ending."""
MAX_SLEW_MS: Final = 1000
"""How far the clock may be set back; time stands still for so long."""
_SCHEMA: Final = Path(__file__).with_name("schema.sql")
_DATABASE: Final = "witness.sqlite3"
_BUSY_MS: Final = 10_000


class CannotStart(Exception):
    """The witness must not or cannot run; the message says why, and what to do."""


class ClockBehind(Exception):
    """The clock is behind the time of the newest statement."""


class Epoch(NamedTuple):
    """How often the witness was restored, counted from 1, and how many commits it has made."""

    generation: int
    commits: int


@dataclass(frozen=True, slots=True)
class Identity:
    """A witness's name and its two keys. A cosigner's key makes no other statements."""

    name: str
    release_private: bytes
    cosign_private: bytes

    @property
    def release_key(self) -> bytes:
        """The public key of releases."""
        return ed25519.public_key(self.release_private)

    @property
    def cosign_key(self) -> NoteKey:
        """The public key of cosignatures."""
        return NoteKey(self.name, SignatureType.COSIGNATURE, ed25519.public_key(self.cosign_private))


def clock_ms() -> int:
    return time.time_ns() // 1_000_000


class Store:
    """An opened folder. One process at a time has it; any thread may read, one at a time writes."""

    def __init__(
        self, folder: Path, *, name: str, generation_file: Path | None = None, clock: Callable[[], int] = clock_ms
    ) -> None:
        """Open the folder, or make it. Raises CannotStart."""
        self.folder = folder
        self.generation_file = generation_file or folder.with_name(f"{folder.name}.generation")
        self._clock = clock
        self._write_lock = threading.Lock()
        self._readers = threading.local()
        self._file_lock = _claim(folder)
        try:
            self.identity = Identity(name, _key(folder / "release.key"), _key(folder / "cosign.key"))
            self._writer = _connect(folder / _DATABASE)
            self._prepare()
        except Exception as error:
            os.close(self._file_lock)
            if isinstance(error, sqlite3.Error | OSError):
                raise CannotStart(f"{folder}: {error}") from error
            raise

    def close(self) -> None:
        self._writer.close()
        os.close(self._file_lock)

    def epoch(self) -> Epoch:
        """Return what the database says; `recorded_epoch` says what the other file does."""
        return Epoch(*self.read().execute("SELECT generation, commits FROM meta").fetchone())

    def recorded_epoch(self) -> Epoch | None:
        """Read the generation file; None if there is none. Raises CannotStart for one that was torn."""
        try:
            generation, commits = self.generation_file.read_text(encoding="ascii").split()
            return Epoch(int(generation), int(commits))
        except FileNotFoundError:
            return None
        except ValueError:
            raise CannotStart(
                f"{self.generation_file} is damaged: remove it, and start with --restored, which retires all chains."
            ) from None

    def start_generation(self, generation: int) -> None:
        """Record a new generation, first outside the database: a crash in between starts another one."""
        self._record(Epoch(generation, self.epoch().commits), flush=True)
        with self.transaction() as database:
            database.execute("UPDATE meta SET generation = ?", [generation])

    @contextlib.contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Write, alone, and flush at the end; an exception undoes all. Raises sqlite3.Error."""
        with self._write_lock:
            database = self._writer
            database.execute("BEGIN IMMEDIATE")
            try:
                before = database.total_changes
                yield database
                changed = database.total_changes != before
                if changed:
                    database.execute("UPDATE meta SET commits = commits + 1")
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            if changed:
                self._record(self.epoch())

    def read(self) -> sqlite3.Connection:
        """Return this thread's connection for reading."""
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = self._readers.connection = _connect(self.folder / _DATABASE)
            connection.execute("PRAGMA query_only = ON")
        return connection

    def now_ms(self, database: sqlite3.Connection) -> int:
        """Return a time that is not before any of earlier statements. Raises ClockBehind.

        Where the clock was set back a little, time stands still until it has caught up. Call it in a transaction.
        """
        latest = int(database.execute("SELECT time_ms FROM meta").fetchone()[0])
        now = self._clock()
        if now < latest - MAX_SLEW_MS:
            raise ClockBehind(f"The clock is {(latest - now) / 1000:.1f} seconds behind the newest statement.")
        if now > latest:
            database.execute("UPDATE meta SET time_ms = ?", [now])
        return max(now, latest)

    def _prepare(self) -> None:
        if not self._writer.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            _create(self._writer, self.identity, recorded=self.recorded_epoch())
            self._record(self.epoch(), flush=True)
        version, name, release, cosign = self._writer.execute(
            "SELECT user_version, name, release, cosign FROM meta, pragma_user_version"
        ).fetchone()
        identity = self.identity
        if version != SCHEMA_VERSION:
            raise CannotStart(f"{self.folder} is of version {version}; this program knows {SCHEMA_VERSION}.")
        if (name, release, cosign) != (identity.name, identity.release_key, identity.cosign_key.public):
            raise CannotStart(f"{self.folder} belongs to the witness {name!r} or to other keys.")

    def _record(self, epoch: Epoch, *, flush: bool = False) -> None:
        descriptor = os.open(self.generation_file, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.pwrite(descriptor, f"{epoch.generation:020d} {epoch.commits:020d}\n".encode(), 0)
            if flush:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _claim(folder: Path) -> int:
    """Make the folder and lock it for this process. Raises CannotStart while another one has it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CannotStart(f"{folder}: {error.strerror}") from error
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise CannotStart(f"Another witness runs in {folder}.") from None
            time.sleep(0.1)
        else:
            return descriptor


def _key(file: Path) -> bytes:
    """Read a private key, or make one on the first start. Raises CannotStart, OSError."""
    if not file.exists():
        draft = file.with_suffix(".draft")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as output:
            output.write(f"{secrets.token_hex(ed25519.KEY_BYTES)}\n")
            output.flush()
            os.fsync(output.fileno())
        draft.replace(file)
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except ValueError:
        key = b""
    if len(key) != ed25519.KEY_BYTES:
        raise CannotStart(f"{file} must hold a private Ed25519 key: 64 hex digits.")
    return key


def _connect(file: Path) -> sqlite3.Connection:
    file.touch(mode=0o600)
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _create(connection: sqlite3.Connection, identity: Identity, *, recorded: Epoch | None) -> None:
    if not is_key_name(identity.name) or not identity.name.isascii():
        raise CannotStart("A witness's name is ASCII without spaces and plus signs, such as witness.example/w1.")
    generation = 1 if recorded is None else recorded.generation + 1
    connection.executescript(f"BEGIN;\n{_SCHEMA.read_text(encoding='utf-8')}\nPRAGMA user_version = {SCHEMA_VERSION};")
    connection.execute(
        "INSERT INTO meta VALUES (1, ?, ?, ?, ?, 0, 0)",
        [identity.name, identity.release_key, identity.cosign_key.public, generation],
    )
    connection.execute("COMMIT")
