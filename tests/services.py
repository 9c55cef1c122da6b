"""The servers of one test run, and databases cloned from one migrated template."""

import contextlib
import functools
import os
import secrets
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege, ObjectInUse
from psycopg.rows import TupleRow
from redis.exceptions import RedisError

from casino.devstack.home import PROJECT, scratch, temporary_home
from casino.devstack.processes import run_to_end
from casino.devstack.services import Addresses, embedded_addresses, external_addresses, run_embedded
from casino.observability.command_line import owner_environment

SECRET_KEY = "only-for-tests-" + "k" * 50
SHOE_KEYS = PERSONAL_KEYS = "development:" + "00" * 32  # as this process has them: what one writes the other reads

MEMORY = Path("/dev/shm")  # noqa: S108  (each run makes folders of its own in it)
MIGRATE = (
    "import django; django.setup(); from django.core.management import call_command; "
    "from django.core.management.commands import migrate; call_command(migrate.Command(), skip_checks=True)"
)
"""Django's own command: after that of the project, the log would begin with an event, and tests count from none."""
ATTEMPTS = 100
"""A tenth of a second apart."""


@dataclass(frozen=True, slots=True)
class Services:
    """The addresses of this run's servers and the template's name.

    `number` is that of the xdist process, and `own` the name of its database, which tests leave empty.
    """

    addresses: Addresses
    template: str
    number: int
    own: str = ""

    def url(self, database: str) -> str:
        """Return the application's URL of one database."""
        return with_database(self.addresses.url, database)

    def owner_url(self, database: str) -> str:
        """Return the owner's URL of one database."""
        return with_database(self.addresses.owner_url, database)

    @property
    def redis_url(self) -> str:
        """This process's own Redis database."""
        return with_redis_database(self.addresses.redis_url, self.number)

    def environment(self, database: str) -> dict[str, str]:
        """Return the environment of a subprocess that works on one database."""
        return environment(
            Addresses(url=self.url(database), owner_url=self.owner_url(database), redis_url=self.redis_url)
        )

    def clone(self) -> str:
        """Create a database from the template and return its name."""
        name = f"{self.template}_{secrets.token_hex(6)}"
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY " + ("FILE_COPY" if in_memory() else "WAL_LOG"))
        maintenance(self.addresses.owner_url).execute(
            create.format(sql.Identifier(name), sql.Identifier(self.template))
        )
        return name

    def drop(self, name: str) -> None:
        """Drop a database, ending its connections."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                maintenance(self.addresses.owner_url).execute(statement)
            except (InsufficientPrivilege, ObjectInUse):
                # An autovacuum worker, which the owner may not terminate, is connected; it leaves by itself.
                if attempt == ATTEMPTS:
                    raise
                time.sleep(0.1)
            else:
                return

    def flush(self) -> None:
        """Empty this process's Redis database, unless the server is down."""
        with contextlib.suppress(RedisError), redis.Redis.from_url(self.redis_url) as client:
            client.flushdb()


def in_memory() -> bool:
    """Return whether the databases are files in memory, where copying files beats WAL at half the cost."""
    return scratch() == MEMORY and external_addresses(os.environ) is None


@functools.cache
def maintenance(owner_url: str) -> psycopg.Connection[TupleRow]:
    """Return the owner's connection that creates and drops databases, opened once for each process."""
    return psycopg.connect(owner_url, autocommit=True)


def end_maintenance(owner_url: str) -> None:
    """Close the maintenance connection."""
    maintenance(owner_url).close()
    maintenance.cache_clear()


def environment(addresses: Addresses) -> dict[str, str]:
    """Return a minimal environment for a subprocess of a test."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "casino.settings",
        "DATABASE_URL": addresses.url,
        "DATABASE_OWNER_URL": addresses.owner_url,
        "REDIS_URL": addresses.redis_url,
        "SECRET_KEY": SECRET_KEY,
        "SHOE_KEYS": SHOE_KEYS,
        "PERSONAL_KEYS": PERSONAL_KEYS,
        "PYTHONUNBUFFERED": "1",
    }


@contextlib.contextmanager
def running_services() -> Generator[Services]:
    """Start servers for this run, or use external ones, and migrate the template."""
    with contextlib.ExitStack() as stack:
        addresses = external_addresses(os.environ)
        if addresses is None:
            addresses = embedded_addresses(*stack.enter_context(run_embedded(stack.enter_context(temporary_home()))))
        template = f"casino_test_{secrets.token_hex(4)}"
        services = Services(addresses=addresses, template=template, number=0)
        with psycopg.connect(addresses.owner_url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(template)))
        try:
            owner = owner_environment(services.environment(template))
            run_to_end([sys.executable, "-c", MIGRATE], environment=owner, folder=PROJECT)
            yield services
        finally:
            with psycopg.connect(addresses.owner_url, autocommit=True) as connection:
                query = "SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY length(datname) DESC"
                left = [name for (name,) in connection.execute(query, [template])]
            for name in left:
                services.drop(name)
            end_maintenance(addresses.owner_url)


def with_database(url: str, database: str) -> str:
    """Return a URL with another database."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ValueError(f"DATABASE_URL must begin with postgresql:// (got {conninfo_to_dict(url).get('host')}).")
    netloc = parts.netloc
    return f"{parts.scheme}://{netloc}/{database}" + (f"?{parts.query}" if parts.query else "")


def with_redis_database(url: str, number: int) -> str:
    """Return a Redis URL with the logical database of this number."""
    if not number:
        return url
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"{url}?db={number}"
    return urlunsplit(parts._replace(path=f"/{number}"))
