"""Commands and configuration of the engines under the service: etcd, Patroni, Redis, Sentinel, HAProxy, PgBouncer.

Each function returns the words of a command; what it needs is written into the host's folder first.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from casino.database import TIMEOUTS
from casino.devstack.home import Secrets
from casino.devstack.postgres import SETTINGS, SUPERUSER
from casino.devstack.redis import program as redis_program
from tests.nightly.cluster.network import Host

SCOPE: Final = "casino"
ETCD, PEERS, PATRONI, POSTGRES, REDIS, SENTINEL = 2379, 2380, 8008, 5432, 6379, 26379
PRIMARY, POOL = 5000, 6432
"""Ports of every host of ours, for its own processes: the primary by HAProxy, and its pool by PgBouncer."""
JOBS: Final = "casino_jobs"
"""The name of the pool of processes whose statements may be long, which is the same database."""
POOL_SIZE: Final = 24


def etcd(host: Host, members: Sequence[Host], folder: Path) -> list[str]:
    """One of three etcd."""
    peers = ",".join(f"{member.name}=http://{member.address}:{PEERS}" for member in members)
    options = {
        "name": host.name,
        "data-dir": str(folder / "etcd"),
        "listen-client-urls": f"http://{host.address}:{ETCD}",
        "advertise-client-urls": f"http://{host.address}:{ETCD}",
        "listen-peer-urls": f"http://{host.address}:{PEERS}",
        "initial-advertise-peer-urls": f"http://{host.address}:{PEERS}",
        "initial-cluster": peers,
        "initial-cluster-token": SCOPE,
    }
    return ["etcd", *(f"--{name}={value}" for name, value in options.items())]


def patroni(host: Host, members: Sequence[Host], folder: Path, *, programs: Path, secrets: Secrets) -> list[str]:
    """PostgreSQL under Patroni: each commit waits for any standby, and a primary without etcd asks the others."""
    parameters = {name: value for name, value in SETTINGS.items() if name != "listen_addresses"}
    parameters.update(max_connections="200", wal_log_hints="on", fsync="on", max_wal_size="256MB")
    # Whoever is cut off leaves locks and slots behind for no longer than this.
    parameters.update(tcp_keepalives_idle="3", tcp_keepalives_interval="1", tcp_keepalives_count="3")
    parameters.update(tcp_user_timeout="5000", wal_sender_timeout="10s", wal_receiver_timeout="10s")
    settings: dict[str, Any] = {
        "scope": SCOPE,
        "name": host.name,
        "restapi": {"listen": f"{host.address}:{PATRONI}", "connect_address": f"{host.address}:{PATRONI}"},
        "etcd3": {"hosts": [f"{member.address}:{ETCD}" for member in members]},
        "bootstrap": {
            "dcs": {
                "ttl": 20,
                "loop_wait": 5,
                "retry_timeout": 5,
                "primary_start_timeout": 0,
                "synchronous_mode": "quorum",
                "synchronous_mode_strict": True,
                "failsafe_mode": True,
                "postgresql": {
                    "use_pg_rewind": True,
                    "parameters": parameters,
                },
            },
            "initdb": [
                {"encoding": "UTF8"},
                {"locale-provider": "builtin"},
                {"locale": "C"},
                {"builtin-locale": "C.UTF-8"},
                "data-checksums",
            ],
        },
        "postgresql": {
            "listen": f"{host.address}:{POSTGRES}",
            "connect_address": f"{host.address}:{POSTGRES}",
            "data_dir": str(folder / "data"),
            "bin_dir": str(programs),
            "pgpass": str(folder / "pgpass"),
            "parameters": {"unix_socket_directories": str(folder)},
            "pg_hba": [
                "local all all scram-sha-256",
                "host replication all 127.0.0.1/32 scram-sha-256",
                "host all all 127.0.0.1/32 scram-sha-256",
                f"host all all {host.subnet}.0/24 scram-sha-256",
                f"host replication all {host.subnet}.0/24 scram-sha-256",
            ],
            "authentication": {
                "superuser": {"username": SUPERUSER, "password": secrets.superuser_password},
                "replication": {"username": "replica", "password": secrets.superuser_password},
            },
        },
        "watchdog": {"mode": "off"},
    }
    file = folder / "patroni.json"  # JSON is YAML
    file.write_text(json.dumps(settings), encoding="utf-8")
    return [sys.executable, "-m", "patroni", str(file)]


def redis(host: Host, first: Host, folder: Path) -> list[str]:
    """Redis: the first host's, or a replica of it until Sentinels decide otherwise."""
    file = folder / "redis.conf"
    if not file.exists():  # Sentinels rewrite it
        replica = "" if host is first else f"replicaof {first.address} {REDIS}\n"
        text = f"bind {host.address}\nport {REDIS}\ndir {folder}\nprotected-mode no\nsave ''\n{replica}"
        announced = f"replica-announce-ip {host.address}\n"
        file.write_text(f"{text}{announced}repl-diskless-sync yes\nrepl-diskless-sync-delay 0\n", encoding="utf-8")
    return [str(redis_program()), str(file)]


def sentinel(host: Host, first: Host, folder: Path) -> list[str]:
    """One of three Sentinels."""
    file = folder / "sentinel.conf"
    if not file.exists():
        lines = [
            f"bind {host.address}",
            f"port {SENTINEL}",
            f"dir {folder}",
            "protected-mode no",
            f"sentinel announce-ip {host.address}",
            f"sentinel monitor {SCOPE} {first.address} {REDIS} 2",
            f"sentinel down-after-milliseconds {SCOPE} 2000",
            f"sentinel failover-timeout {SCOPE} 6000",
        ]
        file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return [str(redis_program()), str(file), "--sentinel"]


def haproxy_primary(host: Host, members: Sequence[Host], folder: Path) -> list[str]:
    """HAProxy on a host of ours, whose port leads to PostgreSQL's primary as Patroni names it."""
    servers = "\n".join(
        f"    server {member.name} {member.address}:{POSTGRES} check port {PATRONI}" for member in members
    )
    return _haproxy(
        folder / "primary.cfg",
        f"""defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
    timeout check 1s

listen primary
    bind {host.address}:{PRIMARY}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
""",
    )


def haproxy_public(host: Host, hosts: Sequence[Host], folder: Path, *, port: int) -> list[str]:
    """HAProxy before the web hosts."""
    servers = "\n".join(f"    server {each.name} {each.address}:{port} check" for each in hosts)
    return _haproxy(
        folder / "public.cfg",
        f"""defaults
    mode http
    option redispatch
    retries 2
    retry-on conn-failure empty-response
    timeout connect 1s
    timeout client 30s
    timeout server 9s
    timeout check 1500ms
    timeout tunnel 1h
    http-reuse safe

frontend public
    bind {host.address}:{port}
    # Whoever got no answer repeats the request with its key.
    http-after-response set-status 503 if {{ status 502 504 }}
    http-after-response set-header Retry-After 1 if {{ status 503 }} !{{ res.hdr(Retry-After) -m found }}
    # Where all are unready for a common reason, those that are alive say why.
    use_backend alive if {{ nbsrv(ready) eq 0 }}
    default_backend ready

backend ready
    option httpchk
    # A host that freezes answers nobody any more: those who wait for it are told to repeat their request.
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host {host.address}
{servers}

backend alive
    option httpchk
    default-server inter 500ms fall 2 rise 1
    http-check send meth GET uri /livez ver HTTP/1.1 hdr Host {host.address}
{servers}
""",
    )


def pgbouncer(host: Host, folder: Path, *, passwords: dict[str, str]) -> list[str]:
    """PgBouncer in transaction mode, on a host of ours, before its HAProxy."""
    users, file = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text("".join(f'"{user}" "{password}"\n' for user, password in passwords.items()), encoding="utf-8")
    long = ";".join(f"SET {name} TO ''{value}''" for name, value in TIMEOUTS["long"].items())
    lines = [
        "[databases]",
        f"casino = host={host.address} port={PRIMARY} dbname=casino",
        f"{JOBS} = host={host.address} port={PRIMARY} dbname=casino connect_query='{long}'",
        "[pgbouncer]",
        f"listen_addr = {host.address}",
        f"listen_port = {POOL}",
        "unix_socket_dir =",
        "auth_type = scram-sha-256",
        f"auth_file = {users}",
        "pool_mode = transaction",
        f"default_pool_size = {POOL_SIZE}",
        "max_client_conn = 1000",
        "server_connect_timeout = 2",
        "server_login_retry = 1",
        "query_wait_timeout = 5",
        "server_check_delay = 0",
        "tcp_user_timeout = 3000",
    ]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return ["pgbouncer", "-q", str(file)]


def _haproxy(file: Path, text: str) -> list[str]:
    file.write_text(text, encoding="utf-8")
    return ["haproxy", "-db", "-f", str(file)]
