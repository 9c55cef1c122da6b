"""The whole system on one machine: servers, web, workers and sealer, started and stopped together."""

import contextlib
import http.client
import os
import re
import secrets
import socket
import sys
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from casino.devstack.errors import DevstackError, translate_os_errors
from casino.devstack.home import PROJECT, Home, base_folder, claim_any, remember
from casino.devstack.processes import Child, run_to_end, stop_all
from casino.devstack.services import (
    Addresses,
    embedded_addresses,
    environment_for,
    external_addresses,
    migrate,
    process_environment,
    run_embedded,
    write_running,
)
from casino.devstack.witness import witness_of_home
from casino.observability.command_line import exit_on_signals

HOST = "127.0.0.1"
FIRST_PORT, LAST_PORT = 1024, 65535
DEMO = "demo"
QUOTAS = {"QUOTA_PER_ADDRESS": "3000", "QUOTA_PER_CREDENTIAL": "30000"}
"""The quotas of production, which development has none of."""
CHOSEN = range(10_000, 32_000)
"""Ports to choose from: below those that systems give to connections, which would take one while it is not in use."""
MOST_KEPT = 100
_kept: deque[int] = deque()
"""File descriptors of the sockets that keep the ports chosen last, until the process ends."""
ORDER = ("sealer", "provider", "operator", "web", "worker", "worker-background", "worker-outbound")


class Stack:
    """`with Stack(name="play") as stack:` runs everything until the block ends, however it ends.

    `base_url` is the web server's address, `environment` the variables of its processes, `child(name)` one of them:
    web, worker, worker-background, worker-outbound, sealer, provider (the sandbox payment provider, unless
    PAYMENT_PROVIDERS is set), witness (unless WITNESSES is set), if they are embedded, postgres and redis, and what was
    added. Enter it in a thread that lives as long as the stack. With `fresh` the home's earlier data is deleted first;
    with `demo`, and on embedded servers, anybody can play as the players of the operator `demo` on the table page, and
    `demo_login` is the password of the superuser `admin` and the file of that operator's key: both are there before
    anything answers.
    Cards follow from the links of `table_witnesses` witnesses, the first of WITNESSES. Raises DevstackError.
    """

    def __init__(
        self,
        *,
        name: str = "main",
        port: int = 0,
        fresh: bool = False,
        demo: bool = False,
        table_witnesses: int = 0,
        print_line: Callable[[str], None] = print,
    ) -> None:
        self.name = name
        self.demo = demo
        self.table_witnesses = table_witnesses
        self.fresh = fresh
        self.port = port
        self.print_line = print_line
        self.children: dict[str, Child] = {}
        self.environment: dict[str, str] = {}
        self.demo_login: tuple[str, Path] | None = None
        self._home: Home | None = None
        self._exits = contextlib.ExitStack()

    @property
    def home(self) -> Home:
        """The home of this stack. Raises DevstackError before the start."""
        if self._home is None:
            raise DevstackError("The stack has not been started.")
        return self._home

    @property
    def base_url(self) -> str:
        """The web server's URL, without a slash at the end."""
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
        if not os.environ.get("WITNESSES"):
            addresses = replace(addresses, witnesses=self._start_witness(exits))
        self.environment = environment_for(addresses, secrets=self.home.secrets, folder=self.home.folder)
        self.environment.setdefault("TABLE_WITNESSES", str(self.table_witnesses))
        self.environment.setdefault("STATIC_ROOT", str(self.home.static))
        self.environment.setdefault("CSRF_TRUSTED_ORIGINS", self.base_url)  # which links in messages begin with
        for name, requests in QUOTAS.items():
            self.environment.setdefault(name, requests)
        migrate(self.environment)
        process_commands = commands(port=self.port)
        if "PAYMENT_PROVIDERS" not in self.environment:
            process_commands["provider"] = self._sandbox_provider()
        order = [name for name in ORDER if name in process_commands]
        self.children.update({name: self._child(name, process_commands[name]) for name in order})
        exits.callback(stop_all, [self.children[name] for name in order])
        if addresses.demo:
            self.demo_login = self._create_demo_data()
        for name in order:
            self.children[name].start()
        self.child("web").wait_until(lambda: is_responding(port=self.port, path="/livez"))
        self.raise_if_dead()
        write_running(self.home, self._with_provider(addresses) if "provider" in process_commands else addresses)
        remember(self.home)

    def _with_provider(self, addresses: Addresses) -> Addresses:
        """Add the provider, for commands that attach."""
        environment = self.environment
        return replace(
            addresses, providers=environment["PAYMENT_PROVIDERS"], provider_secrets=environment["PAYMENT_SECRETS"]
        )

    def _sandbox_provider(self) -> list[str]:
        """Return the command of the sandbox payment provider, and set its variables for all processes."""
        port, secret = free_port(0), secrets.token_hex(32)
        self.environment.update(
            PAYMENT_PROVIDERS=f"sandbox=http://{HOST}:{port}",
            PAYMENT_SECRETS=f"sandbox={secret}",
            PROVIDER_SECRET=secret,
        )
        callbacks = f"{self.base_url}/api/v1/providers/sandbox/callbacks"
        data = str(self.home.folder / "provider.jsonl")
        module = [sys.executable, "-m", "casino.devstack.provider"]
        return [*module, "--port", str(port), "--callbacks", callbacks, "--data", data]

    def _start_witness(self, exits: contextlib.ExitStack) -> str:
        """Start a witness of this stack's own log, and return the setting that names it."""
        witness = witness_of_home(self.home.folder, os.environ, port=free_port(0))
        self.children["witness"] = Child(
            name="witness", command=witness.command, environment={}, log=self.home.logs / "witness.log", folder=PROJECT
        )
        exits.callback(self.child("witness").stop)
        self.child("witness").start()
        self.print_line(witness.notice)
        return witness.setting

    def _servers(self, exits: contextlib.ExitStack) -> Addresses:
        external = external_addresses(os.environ)
        if external is not None:
            return external
        postgres, redis = exits.enter_context(run_embedded(self.home))
        self.children.update(postgres=postgres.child, redis=redis.child)
        return embedded_addresses(postgres, redis)

    def _child(self, name: str, command: list[str], variables: Mapping[str, str] | None = None) -> Child:
        environment = process_environment(name, {**self.environment, **(variables or {})})
        return Child(
            name=name, command=command, environment=environment, log=self.home.logs / f"{name}.log", folder=PROJECT
        )

    def add(self, name: str, command: list[str], variables: Mapping[str, str]) -> Child:
        """Start one more process, which knows none of the service's secrets and ends with the stack."""
        self.children[name] = child = self._child(name, command, variables)
        self._exits.callback(child.stop)
        child.start()
        return child

    def manage(self, *arguments: str, extra: Mapping[str, str] | None = None) -> str:
        """Run a manage.py command on this stack's servers, and return its output. Raises DevstackError."""
        command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
        return run_to_end(command, environment={**self.environment, **(extra or {})}, folder=PROJECT)

    def dead(self) -> list[Child]:
        """List the processes that should run but do not."""
        return [child for child in self.children.values() if child.wanted and not child.alive()]

    def raise_if_dead(self) -> None:
        """Raise DevstackError with the end of the log if a process has died."""
        for child in self.dead():
            raise DevstackError(child.exit_report())

    def _create_demo_data(self) -> tuple[str, Path]:
        """Create the superuser `admin` and the operator `demo` if they are missing. Raises DevstackError."""
        password, file = self.home.secrets.admin_password, self.home.folder / "operator-key"
        flags = ["--admin", f"--customer-care={self.base_url}/play/demo/care"]
        flags += [] if file.exists() else ["--key"]
        output = self.manage("demo", DEMO, *flags, extra={"DJANGO_SUPERUSER_PASSWORD": password})
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(operator_key(output), encoding="utf-8")
        return password, file


def operator_key(output: str) -> str:
    """Return the credential in the output of `manage.py operator`. Raises DevstackError."""
    match = re.search(r"Bearer (\S+)", output)
    if match is None:
        raise DevstackError(f"No credential was printed: {output}")
    return match[1]


def commands(*, port: int) -> dict[str, list[str]]:
    """Return the command lines of the stack's own processes by name."""
    python = sys.executable
    celery = [python, "-m", "celery", "-A", "casino"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return {
        "web": [python, "-m", "casino.server", "--host", HOST, "--port", str(port)],
        "worker": [*celery, "worker", "--concurrency", "2", "--loglevel", "INFO", *quiet],
        "worker-background": [python, str(PROJECT / "manage.py"), "run_jobs"],
        "worker-outbound": [python, str(PROJECT / "manage.py"), "run_outbound"],
        "sealer": [python, str(PROJECT / "manage.py"), "seal"],
    }


def free_port(port: int) -> int:
    """Return this port, or for 0 any free one, which is kept for the caller. Raises DevstackError if it is taken."""
    if port == 0:
        return _reserved_port()
    try:
        _probe(port)
    except OSError as error:
        other = port + 1 if port < LAST_PORT else FIRST_PORT
        raise DevstackError(
            f"Port {port} on {HOST} cannot be used: {error.strerror}. "
            f"Choose another with `make serve PORT={other}`; PORT=0 takes any free one."
        ) from None
    return port


def _reserved_port() -> int:
    """Return a free port whose number this process keeps, by a UDP socket.

    A server starts seconds after its port was chosen, and starts anew when it is killed. Were the port given to another
    server meanwhile, both would listen: web servers share their port among their processes.
    """
    while True:
        port, keeper = CHOSEN.start + secrets.randbelow(len(CHOSEN)), socket.socket(type=socket.SOCK_DGRAM)
        try:
            keeper.bind((HOST, port))
            _probe(port)
        except OSError:
            keeper.close()
        else:
            if len(_kept) == MOST_KEPT:
                os.close(_kept.popleft())
            _kept.append(keeper.detach())
            return port


def _probe(port: int) -> None:
    """Raise OSError unless a server can listen at a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))


def is_responding(*, port: int, path: str, host: str = HOST) -> bool:
    """Return whether the web server responds with 200 at this path."""
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
