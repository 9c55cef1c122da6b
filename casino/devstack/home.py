"""A home: the folder where one stack keeps its data, secrets and logs. Two stacks never share one."""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from casino.devstack.errors import DevstackError

PROJECT = Path(__file__).resolve().parent.parent.parent
TEMPORARY = "casino-home-"
SHARED_TEMP_FOLDER = Path("/var/tmp")  # noqa: S108  (the folder in it is ours alone)
"""Where other users reach what root's stand-in needs."""
SOCKET_ROOM = 60
"""Bytes a temp folder's path may take, so that a socket's path stays under the kernel's 107."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Generated on a home's first start. `identity` tells this home from an earlier one at the same path."""

    identity: str
    secret_key: str
    shoe_keys: str
    personal_keys: str
    superuser_password: str
    owner_password: str
    app_password: str
    admin_password: str


def generate_secrets() -> Secrets:
    """Draw all secrets of a home from the operating system's randomness."""
    return Secrets(
        identity=secrets.token_hex(16),
        secret_key=secrets.token_urlsafe(64),
        shoe_keys=f"dev1:{secrets.token_hex(32)}",
        personal_keys=f"dev1:{secrets.token_hex(32)}",
        superuser_password=secrets.token_urlsafe(24),
        owner_password=secrets.token_urlsafe(24),
        app_password=secrets.token_urlsafe(24),
        admin_password=secrets.token_urlsafe(12),
    )


@dataclass(frozen=True, slots=True)
class Home:
    """A claimed home. It is ours until `release` or the end of this process."""

    folder: Path
    secrets: Secrets
    lock: IO[str]

    @property
    def logs(self) -> Path:
        """The folder of the log files."""
        return self.folder / "logs"

    @property
    def static(self) -> Path:
        """The folder of collected static files: empty, because a development server finds them where they lie."""
        folder = self.folder / "static"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def running(self) -> Path:
        """The file that tells other commands how to attach while the services run."""
        return self.folder / "running.json"

    @property
    def short_name(self) -> str:
        """A name from the user and the path, short enough for socket paths."""
        return "casino-" + hashlib.sha256(f"{os.getuid()}:{self.folder}".encode()).hexdigest()[:12]

    def sockets(self) -> Path:
        """Return a folder of our own for sockets, with a path short enough for them."""
        return make_private_folder(_temporary() / self.short_name)

    def external_folder(self, base: Path = SHARED_TEMP_FOLDER) -> Path:
        """Return a folder in `base` that belongs to this home and goes with it; other users can reach it.

        What an earlier home at the same path left behind is removed.
        """
        name = f"{self.short_name}-data" if base == _temporary() else self.short_name  # sockets have it there
        folder = make_private_folder(base / name)
        mark = folder / "identity"
        if not mark.exists() or mark.read_text(encoding="utf-8") != self.secrets.identity:
            shutil.rmtree(folder)
            make_private_folder(folder)
            mark.write_text(self.secrets.identity, encoding="utf-8")
        noted = self._outside()
        if folder not in noted:
            lines = "".join(f"{one}\n" for one in [*noted, folder])
            self._note.write_text(lines, encoding="utf-8")
        return folder

    @property
    def _note(self) -> Path:
        return self.folder / "data-folder"

    def _outside(self) -> list[Path]:
        return (
            [Path(line) for line in self._note.read_text(encoding="utf-8").splitlines()] if self._note.exists() else []
        )

    def release(self) -> None:
        """Give the home back; its data stays."""
        self.running.unlink(missing_ok=True)
        shutil.rmtree(_temporary() / self.short_name, ignore_errors=True)
        self.lock.close()

    def remove(self) -> None:
        """Delete the home with all its data, also what lies outside of it."""
        for folder in self._outside():
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(_temporary() / self.short_name, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.close()


def checkpoint_keys(folder: Path) -> Path:
    """Return the file of the keys that sign a home's checkpoints, made on first use, for its user only."""
    file = folder / "checkpoint-keys"
    if not file.exists():
        draft = file.with_suffix(f".{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(f"dev1:{secrets.token_hex(32)}\n", encoding="utf-8")
        draft.replace(file)
    return file


def checkpoints_folder(folder: Path, *, database: str) -> Path:
    """Name a home's folder of the checkpoints of one database; another database is another log.

    `database` is the URL it was given by, empty for the home's own.
    """
    return folder / "checkpoints" / (hashlib.sha256(database.encode()).hexdigest()[:12] if database else "own")


def _temporary() -> Path:
    system = Path(tempfile.gettempdir())
    short = len(os.fsencode(system)) <= SOCKET_ROOM and os.getuid() != 0
    return system if short else Path("/tmp")  # noqa: S108  (the folder in it is ours alone)


def make_private_folder(folder: Path) -> Path:
    """Make a folder that is ours alone to write. Raises Trouble when somebody else's stands there."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o711)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise DevstackError(f"{folder} belongs to somebody else. Remove it, or choose another folder with CASINO_HOME.")
    folder.chmod(0o711)
    return folder


def scratch() -> Path | None:
    """Return CASINO_SCRATCH, the folder for clusters that may be lost (tests name one in memory), if set."""
    named = os.environ.get("CASINO_SCRATCH")
    return Path(named).resolve() if named else None


def base_folder() -> Path:
    """Return the folder of all homes: CASINO_HOME, or `.casino` in the project."""
    return Path(os.environ.get("CASINO_HOME") or PROJECT / ".casino").resolve()


def claim(folder: Path) -> Home | None:
    """Claim a home and make it on first use. Returns None while another stack holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("a", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    folder.chmod(0o700)
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "running.json").unlink(missing_ok=True)  # left by a supervisor that was killed
    return Home(folder=folder, secrets=_secrets(folder / "secrets.json"), lock=lock)


def claim_any(base: Path, name: str) -> Home:
    """Claim the home `name`, or the first free one of name-2, name-3, … beside it."""
    for number in range(1, 100):
        home = claim(base / (name if number == 1 else f"{name}-{number}"))
        if home is not None:
            return home
    raise DevstackError(
        f"A hundred stacks run in {base} already. Stop one of them, or choose another folder with CASINO_HOME."
    )


@contextlib.contextmanager
def temporary_home() -> Generator[Home]:
    """Claim a home in the temp folder and delete it at the end, with those of runs that were killed."""
    _sweep(Path(tempfile.gettempdir()).resolve())
    home = claim(Path(tempfile.mkdtemp(prefix=TEMPORARY)).resolve())
    if home is None:
        raise DevstackError("A folder made a moment ago is taken. Start again.")
    try:
        yield home
    finally:
        home.remove()


def _sweep(temporary: Path) -> None:
    for secrets_file in temporary.glob(f"{TEMPORARY}*/secrets.json"):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # swept by another run, or another user's
            left = claim(secrets_file.parent)
            if left is not None:
                left.remove()


def _secrets(file: Path) -> Secrets:
    """The home's secrets; those that an older version did not know are added."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if not known.keys() >= set(Secrets.__slots__):
        known = {**asdict(generate_secrets()), **known}
        draft = file.with_suffix(".draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(known), encoding="utf-8")
        draft.replace(file)
    return Secrets(**known)


def remember(home: Home) -> None:
    """Note this home as the last one used, for commands that come later."""
    (home.folder.parent / "current").write_text(home.folder.name, encoding="utf-8")
