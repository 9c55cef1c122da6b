"""Find the database of the last used home for manage.py, or start the home's servers for one command."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from django.core.management import execute_from_command_line

from casino.devstack.errors import DevstackError, translate_os_errors
from casino.devstack.home import Home, Secrets, base_folder, claim, remember
from casino.devstack.services import (
    Addresses,
    checkpoint_environment,
    embedded_addresses,
    environment_for,
    external_addresses,
    migrate,
    read_running,
    run_embedded,
    secret_environment,
    wallet_environment,
)
from casino.observability.command_line import exit_on_signals, set_environment

WITHOUT_DATABASE = frozenset(
    {
        "check",
        "collectstatic",
        "compilemessages",
        "conform",
        "diffsettings",
        "findstatic",
        "help",
        "makemessages",
        "makemigrations",
        "odds",
        "play",
        "sendtestemail",
        "spectacular",
        "startapp",
        "startproject",
        "test",
        "up",
        "version",
        "wallet_key",
        "watch",
        "--help",
        "-h",
        "--version",
    }
)
DEFAULT_HOME = "main"
ATTACH_TIMEOUT = 60.0
"""Seconds to wait for a stack that is starting."""


def main(arguments: Sequence[str], run: Callable[[list[str]], None] = execute_from_command_line) -> None:
    """Run a Django command with a database. Exit 1 with a message if there is none."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    command = arguments[1] if len(arguments) > 1 else "help"
    try:
        with exit_on_signals(), _database_for(command, arguments):
            run(list(arguments))
    except DevstackError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit(130)


@contextlib.contextmanager
def _database_for(command: str, arguments: Sequence[str]) -> Generator[None]:
    if command in WITHOUT_DATABASE or {"--help", "-h"} & set(arguments):
        if command in {"conform", "wallet_key"}:  # which know the keys of the service of this home
            os.environ.update({**_home_secrets(), **os.environ})
        yield
        return
    if os.environ.get("DATABASE_URL"):
        set_environment(arguments, {**_home_checkpoints(), **os.environ})
        yield
        return
    if os.environ.get("REDIS_URL"):
        external_addresses(os.environ)  # raises with the missing variable
    with _home_services() as environment:
        set_environment(arguments, environment)
        yield


@contextlib.contextmanager
def _home_services() -> Generator[dict[str, str]]:
    with contextlib.ExitStack() as exits:
        with translate_os_errors():
            environment = _attach_or_start(exits)
        yield environment


def _attach_or_start(exits: contextlib.ExitStack) -> dict[str, str]:
    folder = current_folder()
    home, addresses = _claim_or_find(folder)
    if addresses is not None:
        return environment_for(addresses, secrets=_read_secrets(folder), folder=folder)
    if home is None:
        raise DevstackError(f"The stack in {folder} is starting or stopping and did not answer. Try again in a moment.")
    exits.callback(home.release)
    servers = exits.enter_context(run_embedded(home))
    environment = environment_for(embedded_addresses(*servers), secrets=home.secrets, folder=home.folder)
    migrate(environment)
    remember(home)
    return environment


def _home_checkpoints() -> dict[str, str]:
    """Return where a stack on external servers keeps its checkpoints: in its home, except in production."""
    folder = current_folder()
    production = os.environ.get("CASINO_ENV") == "production"
    return {} if production or not folder.exists() else checkpoint_environment(folder)


def current_folder() -> Path:
    """Return the home that was used last, or the default one."""
    base = base_folder()
    pointer = base / "current"
    return base / (pointer.read_text(encoding="utf-8").strip() if pointer.exists() else DEFAULT_HOME)


def _home_secrets() -> dict[str, str]:
    """Return the secrets of the home, except in production."""
    folder = current_folder()
    production = os.environ.get("CASINO_ENV") == "production"
    if production or not (folder / "secrets.json").exists():
        return {}
    return {**secret_environment(_read_secrets(folder)), **wallet_environment(folder)}


def _claim_or_find(folder: Path) -> tuple[Home | None, Addresses | None]:
    deadline = time.monotonic() + ATTACH_TIMEOUT
    while time.monotonic() < deadline:
        home = claim(folder)
        if home is not None:
            return home, None
        addresses = read_running(folder)
        if addresses is not None:
            return None, addresses
        time.sleep(0.1)
    return None, None


def _read_secrets(folder: Path) -> Secrets:
    return Secrets(**json.loads((folder / "secrets.json").read_text(encoding="utf-8")))
