"""The whole system on one machine: servers, web, worker, beat and sealer, started together and ended together."""

import contextlib
import http.client
import os
import re
import secrets
import socket
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from casino.devstack.errors import DevstackError, translate_os_errors
from casino.devstack.home import PROJECT, Home, base_folder, claim_any, remember
from casino.devstack.processes import Child, exit_on_signals, run_to_end, stop_all
from casino.devstack.services import (
    Addresses,
    embedded_addresses,
    environment_for,
    external_addresses,
    migrate,
    run_embedded,
    write_running,
)

HOST = "127.0.0.1"
FIRST_PORT, LAST_PORT = 1024, 65535
WEB_CONNECTIONS = "20"
DEMO = "demo"
ORDER = ("sealer", "provider", "web", "worker", "worker-background", "beat")


class Stack:
    """`with Stack(name="play") as stack:` runs everything until the block ends, however it ends.

    `base_url` is the web server's address, `environment` what a process of ours needs, `child(name)` one of the
    processes: web, worker, worker-background, beat, sealer, provider (the sandbox payment provider, unless
    PAYMENT_PROVIDERS names others) and, where they are embedded, postgres and redis. Enter it in a thread that
    lives as long as the stack. With `fresh` the home's earlier data is deleted first; with `demo`, and on embedded
    servers, the table page lets anybody play as the players of the operator `demo`. Raises Trouble.
    """

    def __init__(
        self,
        *,
        name: str = "main",
        port: int = 0,
        fresh: bool = False,
        demo: bool = False,
        print_line: Callable[[str], None] = print,
    ) -> None:
        self.name = name
        self.demo = demo
        self.fresh = fresh
        self.port = port
        self.print_line = print_line
        self.children: dict[str, Child] = {}
        self.environment: dict[str, str] = {}
        self._home: Home | None = None
        self._exits = contextlib.ExitStack()

    @property
    def home(self) -> Home:
        """The folder of this stack. Raises Trouble before the start."""
        if self._home is None:
            raise DevstackError("The stack has not been started.")
        return self._home

    @property
    def base_url(self) -> str:
        """Where the web server answers, without a slash at the end."""
        return f"http://{HOST}:{self.port}"

    def child(self, name: str) -> Child:
        """Return one process by its name. Raises KeyError."""
        return self.children[name]

    def __enter__(self) -> Self:
        with translate_os_errors(), contextlib.ExitStack() as exits:
            exits.enter_context(exit_on_signals())
            self.port = free_port(self.port)
            self._home = exits.enter_context(_claimed(self.name, fresh=self.fresh))
            exits.callback(self.children.clear)
            self._start(exits)
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exits.__exit__(kind, error, trace)

    def _start(self, exits: contextlib.ExitStack) -> None:
        addresses = self._servers(exits)
        if self.demo and "postgres" in self.children:
            addresses = replace(addresses, demo=DEMO)
        self.environment = environment_for(addresses, secrets=self.home.secrets, folder=self.home.folder)
        self.environment.setdefault("STATIC_ROOT", str(self.home.static))
        migrate(self.environment)
        own = commands(port=self.port, beat_file=self.home.folder / "beat")
        if "PAYMENT_PROVIDERS" not in self.environment:
            own["provider"] = self._sandbox_provider()
        order = [name for name in ORDER if name in own]
        self.children.update({name: self._child(name, own[name]) for name in order})
        exits.callback(stop_all, [self.children[name] for name in order])
        for name in order:
            self.children[name].start()
        self.child("web").wait_until(lambda: is_responding(port=self.port, path="/livez"))
        self.raise_if_dead()
        write_running(self.home, self._with_provider(addresses) if "provider" in own else addresses)
        remember(self.home)

    def _with_provider(self, addresses: Addresses) -> Addresses:
        """So that a command that attaches may ask the provider, too."""
        told = self.environment["PAYMENT_PROVIDERS"], self.environment["PAYMENT_SECRETS"]
        return replace(addresses, providers=told[0], provider_secrets=told[1])

    def _sandbox_provider(self) -> list[str]:
        """The command of the sandbox payment provider; our other processes are told of it and its secret."""
        port, secret = free_port(0), secrets.token_hex(32)
        self.environment.update(
            PAYMENT_PROVIDERS=f"sandbox=http://{HOST}:{port}",
            PAYMENT_SECRETS=f"sandbox={secret}",
            PROVIDER_SECRET=secret,
        )
        callbacks = f"{self.base_url}/api/v1/providers/sandbox/callbacks"
        kept = str(self.home.folder / "provider.jsonl")
        module = [sys.executable, "-m", "casino.devstack.provider"]
        return [*module, "--port", str(port), "--callbacks", callbacks, "--data", kept]

    def _servers(self, exits: contextlib.ExitStack) -> Addresses:
        given = external_addresses(os.environ)
        if given is not None:
            return given
        postgres, redis = exits.enter_context(run_embedded(self.home))
        self.children.update(postgres=postgres.child, redis=redis.child)
        return embedded_addresses(postgres, redis)

    def _child(self, name: str, command: list[str]) -> Child:
        pool = WEB_CONNECTIONS if name == "web" else "0"
        environment = {**self.environment, "DATABASE_POOL": pool}
        return Child(
            name=name, command=command, environment=environment, log=self.home.logs / f"{name}.log", folder=PROJECT
        )

    def manage(self, *arguments: str, extra: Mapping[str, str] | None = None) -> str:
        """Run one of manage.py's commands on this stack's servers and return its output. Raises Trouble."""
        command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
        return run_to_end(command, environment={**self.environment, **(extra or {})}, folder=PROJECT)

    def dead(self) -> list[Child]:
        """List the processes that should run and do not."""
        return [child for child in self.children.values() if child.wanted and not child.alive()]

    def raise_if_dead(self) -> None:
        """Raise Trouble with the end of its log when a process has died."""
        for child in self.dead():
            raise DevstackError(child.exit_report())

    def create_demo_data(self) -> tuple[str, Path] | None:
        """Make what a system is tried with, if it is missing: the superuser `admin`, the operator `demo`.

        Returns the superuser's password and the file that holds the operator's key; None on servers given by URL,
        where it makes nothing. Raises Trouble.
        """
        if "postgres" not in self.children:
            return None
        password, file = self.home.secrets.admin_password, self.home.folder / "operator-key"
        asked = ["--admin"] if file.exists() else ["--admin", "--key"]
        printed = self.manage("demo", DEMO, *asked, extra={"DJANGO_SUPERUSER_PASSWORD": password})
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(operator_key(printed), encoding="utf-8")
        return password, file


def operator_key(printed: str) -> str:
    """Find the credential in what `manage.py operator` prints. Raises Trouble."""
    found = re.search(r"Bearer (\S+)", printed)
    if found is None:
        raise DevstackError(f"No credential was printed: {printed}")
    return found[1]


def commands(*, port: int, beat_file: Path) -> dict[str, list[str]]:
    """Return the commands of our own processes, by name."""
    python = sys.executable
    celery = [python, "-m", "celery", "-A", "casino"]
    single = ["--lifespan", "off", "--no-access-log", "--timeout-graceful-shutdown", "5"]
    background = ["--queues", "background,audit", "--hostname", "worker-background@%h", "--pool", "solo"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return {
        "web": [python, "-m", "uvicorn", "casino.asgi:application", "--host", HOST, "--port", str(port), *single],
        "worker": [*celery, "worker", "--concurrency", "2", "--loglevel", "INFO", *quiet],
        "worker-background": [*celery, "worker", *background, "--loglevel", "INFO", *quiet],
        "beat": [*celery, "beat", "--schedule", str(beat_file), "--pidfile=", "--loglevel", "WARNING"],
        "sealer": [python, str(PROJECT / "manage.py"), "seal"],
    }


def free_port(wanted: int) -> int:
    """Return the wanted port, or any free one for 0. Raises Trouble when it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError as error:
            other = wanted + 1 if wanted < LAST_PORT else FIRST_PORT
            raise DevstackError(
                f"Port {wanted} on {HOST} cannot be used: {error.strerror}. "
                f"Choose another with `make serve PORT={other}`; PORT=0 takes any free one."
            ) from None
        return int(probe.getsockname()[1])


def is_responding(*, port: int, path: str, host: str = HOST) -> bool:
    """Say whether the web server answers 200 at this path."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def _claimed(name: str, *, fresh: bool) -> Generator[Home]:
    home = claim_any(base_folder(), name)
    if fresh:
        home.remove()
        home = claim_any(base_folder(), name)
    try:
        yield home
    finally:
        home.release()
