"""A home: the folder where one stack keeps its data, secrets and logs. Two stacks never share a home."""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import tempfile
from base64 import b64encode
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from casino.devstack.errors import DevstackError

PROJECT = Path(__file__).resolve().parent.parent.parent
TEMPORARY = "casino-home-"
SHARED_TEMP_FOLDER = Path("/var/tmp")  # noqa: S108  (the folder in it is private)
"""Parent of folders that the user who runs PostgreSQL for root can reach."""
MAX_TEMP_PATH_LENGTH = 60
"""Maximum bytes of a temp folder's path, so that a socket's path stays within the kernel's 107."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Generated on a home's first start. `identity` distinguishes it from an earlier home at the same path."""

    identity: str
    secret_key: str
    shoe_keys: str
    personal_keys: str
    superuser_password: str
    owner_password: str
    app_password: str
    admin_password: str


def generate_secrets() -> Secrets:
    """Generate all secrets of a home."""
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
    """A home claimed by this process until `release` or its end."""

    folder: Path
    secrets: Secrets
    lock: IO[str]

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def static(self) -> Path:
        """The folder of collected static files: empty, because a development server serves them from their apps."""
        folder = self.folder / "static"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def running(self) -> Path:
        """The file with the servers' addresses, for commands that attach while they run."""
        return self.folder / "running.json"

    @property
    def short_name(self) -> str:
        """A name from the user and the path, short enough for socket paths."""
        return "casino-" + hashlib.sha256(f"{os.getuid()}:{self.folder}".encode()).hexdigest()[:12]

    def sockets(self) -> Path:
        """Return a private folder for sockets, with a path short enough for them."""
        return make_private_folder(_temporary() / self.short_name)

    def external_folder(self, base: Path = SHARED_TEMP_FOLDER) -> Path:
        """Return a folder in `base` that is deleted with this home; other users can reach it.

        The data of an earlier home at the same path is removed.
        """
        name = (
            f"{self.short_name}-data" if base == _temporary() else self.short_name
        )  # the folder of sockets has that name there
        folder = make_private_folder(base / name)
        identity = folder / "identity"
        if not identity.exists() or identity.read_text(encoding="utf-8") != self.secrets.identity:
            shutil.rmtree(folder)
            make_private_folder(folder)
            identity.write_text(self.secrets.identity, encoding="utf-8")
        folders = self._external_folders()
        if folder not in folders:
            lines = "".join(f"{path}\n" for path in [*folders, folder])
            self._folder_list.write_text(lines, encoding="utf-8")
        return folder

    @property
    def _folder_list(self) -> Path:
        return self.folder / "data-folder"

    def _external_folders(self) -> list[Path]:
        return (
            [Path(line) for line in self._folder_list.read_text(encoding="utf-8").splitlines()]
            if self._folder_list.exists()
            else []
        )

    def release(self) -> None:
        """Release the home, and keep its data."""
        self.running.unlink(missing_ok=True)
        shutil.rmtree(_temporary() / self.short_name, ignore_errors=True)
        self.lock.close()

    def remove(self) -> None:
        """Delete the home with all its data, including its external folders."""
        for folder in self._external_folders():
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(_temporary() / self.short_name, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.close()


def signing_keys(folder: Path, name: str) -> Path:
    """Return a file of keys that sign for a home, generated on first use, readable by its user only."""
    return _generated(folder / name, f"dev1:{secrets.token_hex(32)}")


def wallet_rsa_key(folder: Path) -> Path:
    """Return the file of the RSA key that signs requests to wallets of the profile `hub88`, generated on first use."""
    file = folder / "wallet-rsa-key"
    if file.exists():
        return file
    key = generate_private_key(public_exponent=65537, key_size=2048)
    der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return _generated(file, b64encode(der).decode())


def log_origin(folder: Path, *, database: str) -> str:
    """Return the name under which the log of a home's database is signed, generated on first use."""
    file = checkpoints_folder(folder, database=database).with_suffix(".origin")
    file.parent.mkdir(parents=True, exist_ok=True)
    return _generated(file, f"{secrets.token_hex(6)}.casino.localhost/log").read_text(encoding="utf-8").strip()


def _generated(file: Path, text: str) -> Path:
    if not file.exists():
        draft = file.with_suffix(f".{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(f"{text}\n", encoding="utf-8")
        draft.replace(file)
    return file


def checkpoints_folder(folder: Path, *, database: str) -> Path:
    """Return a home's folder for the checkpoints of one database, since each database has its own log.

    `database` is its URL, empty for the home's own.
    """
    return folder / "checkpoints" / (hashlib.sha256(database.encode()).hexdigest()[:12] if database else "own")


def _temporary() -> Path:
    system = Path(tempfile.gettempdir())
    short = len(os.fsencode(system)) <= MAX_TEMP_PATH_LENGTH and os.getuid() != 0
    return system if short else Path("/tmp")  # noqa: S108  (the folder in it is private)


def make_private_folder(folder: Path) -> Path:
    """Create a folder that only we can write. Raises DevstackError if it belongs to another user."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o711)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise DevstackError(f"{folder} belongs to another user. Remove it, or choose another folder with CASINO_HOME.")
    folder.chmod(0o711)
    return folder


def scratch() -> Path | None:
    """Return CASINO_SCRATCH if set, a folder for clusters that may be lost, such as one in memory for tests."""
    folder = os.environ.get("CASINO_SCRATCH")
    return Path(folder).resolve() if folder else None


def base_folder() -> Path:
    """Return the folder of all homes: CASINO_HOME, or `.casino` in the project."""
    return Path(os.environ.get("CASINO_HOME") or PROJECT / ".casino").resolve()


def claim(folder: Path) -> Home | None:
    """Claim a home, created on first use. Return None while another stack holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("a", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    folder.chmod(0o700)
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "running.json").unlink(missing_ok=True)  # left by a killed supervisor
    return Home(folder=folder, secrets=_load_or_generate_secrets(folder / "secrets.json"), lock=lock)


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
    """Claim a home in the temp folder, and delete it at the end. Homes of killed runs are deleted, too."""
    _sweep(Path(tempfile.gettempdir()).resolve())
    home = claim(Path(tempfile.mkdtemp(prefix=TEMPORARY)).resolve())
    if home is None:
        raise DevstackError("The new temporary folder is already in use. Start again.")
    try:
        yield home
    finally:
        home.remove()


def _sweep(temporary: Path) -> None:
    for secrets_file in temporary.glob(f"{TEMPORARY}*/secrets.json"):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # swept by another run, or another user's
            home = claim(secrets_file.parent)
            if home is not None:
                home.remove()


def _load_or_generate_secrets(file: Path) -> Secrets:
    if not file.exists():
        draft = file.with_suffix(".draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(asdict(generate_secrets())), encoding="utf-8")
        draft.replace(file)
    return Secrets(**json.loads(file.read_text(encoding="utf-8")))


def remember(home: Home) -> None:
    """Save this home as the last one used, for later commands."""
    (home.folder.parent / "current").write_text(home.folder.name, encoding="utf-8")
