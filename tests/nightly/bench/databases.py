"""Fresh databases for measurements, on the servers that the command was given or has started."""

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from casino.devstack.errors import DevstackError
from casino.devstack.services import migrate

PREFIX = "casino_bench_"
DROP_TIMEOUT, DROP_INTERVAL = 60.0, 0.5
"""Seconds."""
Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Server:
    """The server's URLs, as the application and as the owner, whatever database they name."""

    url: str
    owner_url: str
    environment: Mapping[str, str]

    @contextlib.contextmanager
    def empty(self, word: str) -> Generator["Database"]:
        """Make an empty database and drop it at the end. Raises DevstackError when the owner may not."""
        with self._made(word, sql.SQL("CREATE DATABASE {}")) as made:
            yield made

    @contextlib.contextmanager
    def migrated(self, word: str) -> Generator["Database"]:
        """Make a database with the newest schema and drop it at the end."""
        with self.empty(word) as made:
            migrate(made.environment)
            yield made

    @contextlib.contextmanager
    def copy(self, template: "Database", word: str) -> Generator["Database"]:
        """Copy a database that nobody is connected to, and drop the copy at the end."""
        create = sql.SQL("CREATE DATABASE {{}} TEMPLATE {} STRATEGY WAL_LOG").format(sql.Identifier(template.name))
        with self._made(word, create) as made:
            yield made

    @contextlib.contextmanager
    def _made(self, word: str, create: sql.Composable) -> Generator["Database"]:
        name = f"{PREFIX}{word}_{secrets.token_hex(4)}"
        statement = sql.SQL(create.as_string()).format(sql.Identifier(name))
        try:
            with psycopg.connect(self.owner_url, autocommit=True) as connection:
                connection.execute(statement)
        except psycopg.errors.InsufficientPrivilege:
            raise DevstackError(
                "The owner of the database may not create another one: GRANT it CREATEDB first."
            ) from None
        try:
            yield Database(name=name, server=self)
        finally:
            drop(self.owner_url, name)


def drop(owner_url: str, name: str, *, timeout: float = DROP_TIMEOUT) -> bool:
    """Drop a database, disconnecting whoever is in it; return whether it is gone.

    FORCE is refused while an autovacuum worker is in it, since the owner may not end a process of the superuser's. Such
    a worker leaves by itself. A database that stays costs disk space only, so that is a warning and no error, as it is
    when the server is gone: results must not be lost with it.
    """
    try:
        return _drop(owner_url, name, time.monotonic() + timeout)
    except psycopg.Error as error:
        sys.stderr.write(f"The database {name} could not be dropped: {error}\n")
        return False


def _drop(owner_url: str, name: str, until: float) -> bool:
    name_ = sql.Identifier(name)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        with contextlib.suppress(psycopg.errors.InvalidCatalogName):  # it was never created
            connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name_))
        while True:
            try:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name_))
            except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectInUse):
                if time.monotonic() > until:
                    raise
                time.sleep(DROP_INTERVAL)
            else:
                return True


@dataclass(frozen=True, slots=True)
class Database:
    """One database of a measurement."""

    name: str
    server: Server

    @property
    def url(self) -> str:
        """The application's URL."""
        return _renamed(self.server.url, self.name)

    @property
    def owner_url(self) -> str:
        """The owner's URL."""
        return _renamed(self.server.owner_url, self.name)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process of ours that works on this database, with one connection that it keeps.

        Checkpoints stay in the database: those stored outside would be held against another measurement's log.
        """
        return {
            **self.server.environment,
            "CHECKPOINT_STORAGE": "",
            "DATABASE_URL": self.url,
            "DATABASE_OWNER_URL": self.owner_url,
            "LOG_LEVEL": "ERROR",
        }

    def owner(self) -> Connection:
        """Connect as the owner, in autocommit; to be used in a `with` block."""
        return psycopg.connect(self.owner_url, autocommit=True)


def server() -> Server:
    """Return the server that the environment names: embedded and just started, or given by URL."""
    url = os.environ["DATABASE_URL"]
    return Server(url=url, owner_url=os.environ.get("DATABASE_OWNER_URL") or url, environment=dict(os.environ))


def _renamed(url: str, database: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise DevstackError("The measurements need a DATABASE_URL that begins with postgresql://")
    # urlunsplit drops the // of a URL without a host, as a socket's is.
    text = urlunsplit(("", "", f"/{database}", parts.query, ""))
    return f"{parts.scheme}://{parts.netloc}{text}"
