"""Real PostgreSQL and Redis for tests: `db` rolls back, `database` is a fresh database with committed data.

The servers start when the first test needs them; with xdist the controller starts them once for all workers. Their
data is in memory where there is room: tests may lose it, and each database consists of hundreds of small files.
"""

import contextlib
import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker

from casino.celery import app as celery_app
from casino.devstack.home import PROJECT, scratch
from casino.devstack.processes import defer_signals
from casino.devstack.services import Addresses, external_addresses
from casino.events.sql import execute
from casino.settings import database as database_settings
from tests.processes import begin
from tests.services import MEMORY, Services, end_maintenance, running_services
from tests.support.depth import DEEP, examples
from tests.threads import in_threads as run_in_threads
from tests.threads import stream_threads

pytest_plugins = ["tests.contract", "tests.budget", "tests.programs"]
TRUNCATING = {"transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback", "live_server"}
ROOM = 3 * 2**30
"""Bytes that must be free in memory."""
# The same examples each time, others each night. No deadline: a slow machine must not fail tests.
hypothesis_settings.register_profile(
    "suite",
    max_examples=examples(100),
    derandomize=not DEEP,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.load_profile("suite")
HALVES = (["tests/baccarat"], ["tests", "--ignore=tests/baccarat"])
"""The tests in two parts that take equally long to compile."""
SHARED = pytest.StashKey[tuple[contextlib.ExitStack, Services]]()


@dataclass(frozen=True, slots=True)
class Database:
    """A fresh migrated database: Django's default connection is on it as the application's role."""

    url: str
    owner_url: str
    environment: dict[str, str]

    @contextlib.contextmanager
    def owner(self) -> Generator[psycopg.Connection[tuple[Any, ...]]]:
        """Open a connection as the owner of the tables, in autocommit."""
        with psycopg.connect(self.owner_url, autocommit=True) as connection:
            yield connection


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --without-servers."""
    parser.addoption("--without-servers", action="store_true", help="leave out what needs PostgreSQL or Redis")


def pytest_configure(config: pytest.Config) -> None:
    """Let each signal that ends a run interrupt it, and put the servers' data into memory if there is enough of it.

    A run started in the background by a script ignores SIGINT, and its child processes would inherit that.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    if not hasattr(config, "workerinput") and room() > ROOM:
        os.environ.setdefault("CASINO_SCRATCH", str(MEMORY))


def room() -> int:
    """Return how many bytes are free in memory."""
    return shutil.disk_usage(MEMORY).free if os.access(MEMORY, os.W_OK) else 0


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say so where the servers' data is on the disk."""
    chosen = config.getoption("--without-servers") or scratch() is not None or external_addresses(os.environ)
    return None if chosen else f"databases on the disk, which is slower: {MEMORY} has {room() >> 20} of {ROOM >> 20} MB"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start the servers once, in xdist's controller, and pass their addresses to each worker."""
    shared = node.config.stash.get(SHARED, None)
    if shared is None:
        stack = contextlib.ExitStack()
        with compiling():
            shared = stack, stack.enter_context(running_services())
        node.config.stash[SHARED] = shared
    services = shared[1]
    node.workerinput["services"] = {"addresses": asdict(services.addresses), "template": services.template}


@contextlib.contextmanager
def compiling() -> Generator[None]:
    """Compile a fresh clone's tests while the block runs, so that not every process compiles all of them."""
    if any(Path(__file__).parent.glob("architecture/__pycache__/test_structure.*")):
        yield
        return
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
    with contextlib.ExitStack() as both:
        for half in HALVES:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            both.enter_context(begin([*command, *half], cwd=PROJECT, **quiet))
        yield


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers that xdist's controller started."""
    shared = config.stash.get(SHARED, None)
    if shared is not None:
        with defer_signals():
            shared[0].close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Leave out what needs a server if none is to start. Refuse what would TRUNCATE: immutable tables refuse it too."""
    if config.getoption("--without-servers"):
        served = {item for item in items if item.get_closest_marker("django_db") or "services" in item.fixturenames}
        config.hook.pytest_deselected(items=served)
        items[:] = [item for item in items if item not in served]
    for item in items:
        marker = item.get_closest_marker("django_db")
        truncates = marker is not None and marker.kwargs.get("transaction", False)
        if truncates or TRUNCATING & set(item.fixturenames):
            raise pytest.UsageError(f"{item.nodeid}: use the `database` fixture; transactional tests TRUNCATE.")


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def static_root(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Use an empty folder of static files: tests collect none, and Django must not warn."""
    settings.STATIC_ROOT = str(tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="session", autouse=True)
def cheap_argon2() -> Generator[None]:
    """Hash passwords and PINs at the lowest cost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Argon2PasswordHasher, "time_cost", 1)
        patch.setattr(Argon2PasswordHasher, "memory_cost", 64)
        yield


@pytest.fixture(scope="session")
def services(request: pytest.FixtureRequest, worker_id: str) -> Generator[Services]:
    """Start or find the servers of this run, with a database and one of Redis for this process."""
    import_module(settings.ROOT_URLCONF)  # all views; a transaction that a test imports them in outlasts its idle limit
    import_module("tests.baccarat.api.contract").operations()  # as for that
    shared = getattr(request.config, "workerinput", {}).get("services")
    with contextlib.ExitStack() as stack:
        if shared is None:
            services = stack.enter_context(running_services())
        else:
            number = int(worker_id.removeprefix("gw")) + 1
            services = Services(addresses=Addresses(**shared["addresses"]), template=shared["template"], number=number)
            stack.callback(end_maintenance, services.addresses.owner_url)
        environment = services.environment(services.template)
        settings.REDIS_URL = environment["REDIS_URL"]
        settings.CELERY_BROKER_URL = broker_url(environment["REDIS_URL"])
        celery_app.conf.broker_url = settings.CELERY_BROKER_URL
        vars(celery_app).pop("amqp", None)  # has a pool for the address before, if a test without servers sent anything
        services = replace(services, own=services.clone())
        stack.callback(services.drop, services.own)
        stack.enter_context(pointed_at(patient(services.url(services.own))))
        yield services


def broker_url(redis_url: str) -> str:
    """Convert a Redis URL to Celery's form."""
    return redis_url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")


@contextlib.contextmanager
def pointed_at(url: str) -> Generator[None]:
    """Point Django's default connection at another database, for every thread that connects from now on."""
    before = connections.settings["default"]
    with contextlib.suppress(Exception):
        connections["default"].close()
    settings.DATABASES["default"] = database_settings(url)
    connections.settings = connections.configure_settings(settings.DATABASES)
    _forget_connection()
    try:
        with stream_threads():
            yield
    finally:
        connections["default"].close()
        connections.settings = {**connections.settings, "default": before}
        _forget_connection()


def patient(url: str) -> str:
    """Let connections be made for longer than by default, as fifty threads at once may need on a busy machine."""
    return f"{url}{'&' if '?' in url else '?'}connect_timeout=30"


@contextlib.contextmanager
def as_owner(url: str) -> Generator[None]:
    """Let this process act as the owner of the database at the owner's URL."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_ROLE", "owner")
        with pointed_at(url):
            yield


def _forget_connection() -> None:
    if hasattr(connections._connections, "default"):
        del connections["default"]


@pytest.fixture
def django_db_setup(services: Services) -> Generator[None]:
    """Put pytest-django's `db` on this process's own database, also where the tests of a module share another."""
    there = connections.settings["default"]["NAME"] == services.own
    with contextlib.nullcontext() if there else pointed_at(patient(services.url(services.own))):
        yield


@pytest.fixture(autouse=True)
def patient_transaction(request: pytest.FixtureRequest) -> None:
    """Let the transaction of `db` be idle for longer than one of the product, as while a page is rendered first."""
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        request.getfixturevalue("db")
        execute("SET LOCAL idle_in_transaction_session_timeout = '1min'")


@pytest.fixture
def database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Create a fresh migrated database for committed data, and drop it at the end."""
    name = services.clone()
    services.flush()
    try:
        with django_db_blocker.unblock(), pointed_at(patient(services.url(name))):
            yield Database(
                url=services.url(name), owner_url=services.owner_url(name), environment=services.environment(name)
            )
    finally:
        services.drop(name)


@pytest.fixture
def in_threads() -> Callable[..., list[Any]]:
    """Return `in_threads(count, function)`, which calls function(i) in threads at once: results or exceptions."""
    return run_in_threads
