"""The service on eight hosts: three of data, two web, two workers, a witness; and a proxy before them."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

import httpx
import psycopg
from redis.sentinel import Sentinel

from casino.devstack import system
from casino.devstack.home import PROJECT, Home, claim
from casino.devstack.postgres import APP, OWNER, SUPERUSER, Postgres, unprivileged_user
from casino.devstack.processes import Child, run_to_end, stop_all
from casino.devstack.services import Addresses, environment_for, migrate, process_environment
from casino.devstack.witness import prepare_witness
from tests.nightly.cluster import machine, servers
from tests.nightly.cluster.machine import Machine
from tests.nightly.cluster.network import SUBNET, Host, loopback, may_be_made, network
from tests.processes import alive, descendants, wait_until
from tests.support import disk

HOSTS: Final = {"db1": 11, "db2": 12, "db3": 13, "web1": 21, "web2": 22, "work1": 31, "work2": 32, "witness": 41}
PORT, WITNESS_PORT = 8000, 8700
DISK: Final = "1200m"
PROCESSES: Final = {
    "web": ["web"],
    "work": ["worker", "worker-background", "worker-outbound", "sealer"],
    "here": [],
}
"""Our own processes, by the kind of their host."""
LONG: Final = ("worker-background", "worker-outbound", "sealer")
"""Those whose statements may be long."""
READY: Final = 90
LOGS: Final = PROJECT / "build" / "cluster-logs"
"""Where logs are kept of a cluster whose test fails."""


class Provisioner(Postgres):
    """Creates the roles and the database, at whichever server is primary."""

    def __init__(self, home: Home, superuser_url: str) -> None:
        super().__init__(home)
        self._url = superuser_url

    @property
    def superuser_url(self) -> str:
        return self._url


class Cluster:
    """All processes of all hosts, by names such as `db1 patroni` or `web2 web`.

    It has what `tests.support.whole_system.System` and the supervisor ask of a stack.
    """

    def __init__(self, home: Home, hosts: dict[str, Host], folder: Path) -> None:
        self.home, self.hosts, self.folder = home, hosts, folder
        self.children: dict[str, Child] = {}
        self.environment: dict[str, str] = {}
        self.here = hosts["here"]
        self.machines: dict[str, Machine] = {}
        """By the name of the process; PostgreSQL has its Patroni's."""
        self._library = machine.compiled(folder)
        self.reaches_etcd = bool(self._library) and machine.answers_for_kernel(folder, self._library, "etcd")
        self.has_disks = disk.may_mount()
        self.has_links = self.here.address.startswith(SUBNET)
        self.base_url = f"http://{self.here.address}:{PORT}"
        self._postgres = Postgres(home)
        self._user = unprivileged_user()
        self._uid = pwd.getpwnam(self._user).pw_uid if self._user else None

    @property
    def data(self) -> list[Host]:
        return [host for name, host in self.hosts.items() if name.startswith("db")]

    @property
    def ours(self) -> list[Host]:
        """The hosts of our own processes, and the one of the tests."""
        return [host for name, host in self.hosts.items() if not name.startswith("db") and name != "witness"]

    def child(self, name: str) -> Child:
        return self.children[name]

    def dead(self) -> list[Child]:
        """List the processes that should run but do not."""
        return [child for child in self.children.values() if child.wanted and not child.alive()]

    def print_line(self, line: str) -> None:
        """Say what the supervisor says."""

    def manage(self, *arguments: str, extra: Mapping[str, str] | None = None) -> str:
        """Run a manage.py command, and return its output. Raises DevstackError."""
        words = [sys.executable, str(PROJECT / "manage.py"), *arguments]
        return run_to_end(words, environment={**self.environment, **(extra or {})}, folder=PROJECT)

    def findings(self) -> set[str]:
        """Audit, and return the kinds of what was found."""
        words = [sys.executable, str(PROJECT / "manage.py"), "audit", "--json"]
        done = subprocess.run(words, env=self.environment, cwd=PROJECT, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.stdout, done.stderr
        return {finding["what"] for finding in json.loads(done.stdout)["findings"]}

    def start(self) -> None:
        """Start everything, from the bottom to the top."""
        for host in [*self.data, self.hosts["witness"]] if self.has_disks else []:
            disk.mount(self._folder(host), size=DISK)
        for host in self.data:
            self._start(host, "etcd", servers.etcd(host, self.data, self._folder(host)))
        for host in self.data:
            folder = self._folder(host)
            programs, secrets = self._postgres.programs, self.home.secrets
            self._start(host, "patroni", servers.patroni(host, self.data, folder, programs=programs, secrets=secrets))
            self._start(host, "redis", servers.redis(host, self.data[0], folder))
            self._start(host, "sentinel", servers.sentinel(host, self.data[0], folder))
        passwords = {APP: self.home.secrets.app_password}
        for host in self.ours:
            folder = self._folder(host)
            self._start(host, "haproxy", servers.haproxy_primary(host, self.data, folder))
            self._start(host, "pgbouncer", servers.pgbouncer(host, folder, passwords=passwords))
        assert wait_until(lambda: self.primary() is not None and self._standbys_follow(), seconds=READY)
        self._provision()
        self._start_ours()

    def stop(self) -> None:
        """Stop everything."""
        stop_all(list(self.children.values()))
        for host in self.data:
            self.kill_server(host)
        for host in [*self.data, self.hosts["witness"]]:
            if self._folder(host).is_mount():
                disk.unmount(self._folder(host))

    def primary(self) -> Host | None:
        """Return the data host that Patroni names as primary."""
        for host in self.data:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"http://{host.address}:{servers.PATRONI}/primary", timeout=1).status_code == 200:
                    return host
        return None

    def is_whole(self) -> bool:
        """Return whether all processes run, both standbys follow the primary, and the service is ready."""
        return not self.dead() and self._standbys_follow() and self._is_ready()

    def server_pids(self, name: str) -> list[int]:
        """Return the process ids of the server that a Patroni started, which is nobody's child."""
        data = self.folder / name.partition(" ")[0] / "data"
        try:
            postmaster = int((data / "postmaster.pid").read_text(encoding="ascii").splitlines()[0])
        except FileNotFoundError:
            return []
        return [postmaster, *(pid for pid, _ in alive(descendants(postmaster)))]

    def kill_server(self, host: Host) -> None:
        """Kill all processes of a host's PostgreSQL."""
        for pid in self.server_pids(host.name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def cancelled_commits(self) -> list[str]:
        """List where PostgreSQL says that it acknowledged a commit that no standby had yet."""
        logs = [self.child(f"{host.name} patroni").log for host in self.data]
        lines = [line for log in logs for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
        return [line for line in lines if "canceling wait for synchronous replication due to user request" in line]

    def redis_master(self) -> Host:
        """Return the host of Redis's master, as Sentinels say."""
        sentinels = Sentinel([(host.address, servers.SENTINEL) for host in self.data], socket_timeout=1)
        address, _ = sentinels.discover_master(servers.SCOPE)
        return next(host for host in self.data if host.address == address)

    def etcd_leader(self) -> Host:
        """Return the host whose etcd leads."""
        for host in self.data:
            url = f"http://{host.address}:{servers.ETCD}/v3/maintenance/status"
            status = httpx.post(url, json={}, timeout=10).json()
            if status["leader"] == status["header"]["member_id"]:
                return host
        raise LookupError("No etcd leads.")

    def ballast(self, host: Host) -> Path:
        """Return the file that fills a host's disk."""
        return self._folder(host) / "ballast"

    def superuser_url(self, host: Host) -> str:
        password = quote(self.home.secrets.superuser_password, safe="")
        return f"postgresql://{SUPERUSER}:{password}@{host.address}:{servers.POSTGRES}/postgres?connect_timeout=2"

    def _standbys_follow(self) -> bool:
        primary = self.primary()
        if primary is None:
            return False
        try:
            with psycopg.connect(self.superuser_url(primary)) as connection:
                states = connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall()
        except psycopg.OperationalError:
            return False
        return len(states) == len(self.data) - 1 and {state for (state,) in states} <= {"sync", "quorum"}

    def _pool_url(self, host: Host, database: str) -> str:
        password = quote(self.home.secrets.app_password, safe="")
        return f"postgresql://{APP}:{password}@{host.address}:{servers.POOL}/{database}"

    def _provision(self) -> None:
        primary = self.primary()
        assert primary is not None
        Provisioner(self.home, self.superuser_url(primary)).provision()
        owner = quote(self.home.secrets.owner_password, safe="")
        sentinels = ",".join(f"{host.address}:{servers.SENTINEL}" for host in self.data)
        addresses = Addresses(
            url=self._pool_url(self.here, servers.JOBS),
            web_url=self._pool_url(self.here, "casino"),
            owner_url=f"postgresql://{OWNER}:{owner}@{primary.address}:{servers.POSTGRES}/casino",
            redis_url=f"sentinel://{sentinels}/0?master={servers.SCOPE}",
        )
        self.environment = environment_for(addresses, secrets=self.home.secrets, folder=self.home.folder)
        self.environment.update(
            STATIC_ROOT=str(self.home.static),
            DATABASE_POOLER="true",
            DATABASE_PREPARED_STATEMENTS="false",
            ALLOWED_HOSTS=",".join(host.address for host in self.hosts.values()),
            WEB_PROCESSES="1",
            TABLE_WITNESSES="1",
        )
        self._start_witness()
        migrate(self.environment)

    def _start_witness(self) -> None:
        host = self.hosts["witness"]
        witness = prepare_witness(
            self._folder(host) / "data",
            port=WITNESS_PORT,
            origin=self.environment["LOG_ORIGIN"],
            environment=self.environment,
            host=host.address,
        )
        self.environment["WITNESSES"] = witness.setting
        self._start(host, "witness", witness.command)

    def _start_ours(self) -> None:
        commands = system.commands(port=PORT)
        for host in self.ours:
            for name in PROCESSES[host.name.rstrip("12")]:
                words = [host.address if word == system.HOST else word for word in commands[name]]
                environment = process_environment(name, {**self.environment, "HOSTNAME": host.name})
                database = servers.JOBS if name in LONG else "casino"
                environment["DATABASE_URL"] = self._pool_url(host, database)
                self._start(host, name, words, environment=environment)
        web = [host for host in self.ours if host.name.startswith("web")]
        public = servers.haproxy_public(self.here, web, self._folder(self.here), port=PORT)
        self._start(self.here, "public", public)
        assert wait_until(self._is_ready, seconds=READY), self._logs()

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.base_url}/readyz", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def _logs(self) -> str:
        return "\n".join(f"{name}:\n{child.tail()}" for name, child in self.children.items())

    def _start(
        self,
        host: Host,
        name: str,
        words: list[str],
        *,
        environment: dict[str, str] | None = None,
        as_user: bool = True,
    ) -> None:
        command = host.command([*self._state(f"{host.name} {name}"), *words], user=self._uid if as_user else None)
        folder = self._folder(host)
        for path in [folder, *folder.iterdir()]:
            if self._user and path.owner() != self._user:
                shutil.chown(path, self._user, self._uid)
        base = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "HOME": str(folder)}
        child = self._child(f"{host.name} {name}", command, base if environment is None else environment)
        self.children[child.name] = child
        child.start()

    def _state(self, name: str) -> list[str]:
        """Return the words that give a process its `Machine`, where there can be one."""
        is_etcd = name.endswith(" etcd")
        if self._library is None or (is_etcd and not self.reaches_etcd):
            return []
        file = self.folder / f"{name.replace(' ', '-')}.state"
        self.machines[name] = Machine(file, self._library, asks_kernel=is_etcd)
        return ["env", *(f"{variable}={value}" for variable, value in self.machines[name].environment.items())]

    def _child(self, name: str, command: list[str], environment: dict[str, str]) -> Child:
        log = self.home.logs / f"{name.replace(' ', '-')}.log"
        return Child(name=name, command=command, environment=environment, log=log, folder=PROJECT)

    def _folder(self, host: Host) -> Path:
        folder = self.folder / host.name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder


@contextlib.contextmanager
def running_cluster(folder: Path) -> Generator[Cluster]:
    """Run a cluster whose homes are in this folder, and remove it at the end."""
    home = claim(folder / "home")
    assert home is not None
    with contextlib.ExitStack() as exits:
        exits.callback(home.remove)
        data = home.external_folder()
        data.chmod(0o755)
        hosts = exits.enter_context(network(HOSTS)) if may_be_made() else loopback(HOSTS)
        cluster = Cluster(home, hosts, data)
        exits.enter_context(_servers_end_with_us(data))
        exits.callback(cluster.stop)
        exits.enter_context(_logs_kept_on_failure(home))
        cluster.start()
        yield cluster


@contextlib.contextmanager
def _logs_kept_on_failure(home: Home) -> Generator[None]:
    try:
        yield
    except BaseException:
        shutil.copytree(home.logs, LOGS, dirs_exist_ok=True)
        raise


@contextlib.contextmanager
def _servers_end_with_us(data: Path) -> Generator[None]:
    """Kill PostgreSQL's servers, which are nobody's children, and unmount disks, however this process ends."""
    script = f"read -r _; pkill -KILL -f '^[^ ]*/postgres -D {data}/'; umount --quiet --lazy {data}/db? {data}/witness"
    command = ["sh", "-c", f"{script} 2>/dev/null"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):  # noqa: S603
        yield
