"""PostgreSQL and Redis: embedded in a home, or external servers given by URL."""

import contextlib
import json
import os
import sys
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from casino.crypto import ed25519
from casino.crypto.signing_keys import parse_keys
from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT, Home, Secrets, checkpoints_folder, log_origin, signing_keys, wallet_rsa_key
from casino.devstack.postgres import Postgres
from casino.devstack.processes import defer_signals, run_to_end
from casino.devstack.redis import Redis
from casino.observability.command_line import owner_environment
from casino.variables import TABLE, own_variables

_CASINO_ONLY = (*(each.name for each in TABLE if each.secret), "DATABASE_URL", "REDIS_URL")
"""What the sandbox payment provider and the sandbox operator may not know."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """URLs of the servers. `url` is the application's database, `owner_url` the same for its owner, `web_url` for web.

    `providers` and `provider_secrets` are the settings of the sandbox payment provider; `demo` is the operator as whose
    players anybody can play, `witnesses` the setting of that name.
    """

    url: str
    owner_url: str
    redis_url: str
    web_url: str = ""
    providers: str = ""
    provider_secrets: str = ""
    demo: str = ""
    witnesses: str = ""


def external_addresses(environment: Mapping[str, str]) -> Addresses | None:
    """Read DATABASE_URL and REDIS_URL. Raises DevstackError if only one is set."""
    url, redis_url = environment.get("DATABASE_URL"), environment.get("REDIS_URL")
    if not url and not redis_url:
        return None
    if not url or not redis_url:
        missing = "REDIS_URL" if url else "DATABASE_URL"
        raise DevstackError(
            f"Set {missing} too: the system uses either external servers or embedded ones, not one of each."
        )
    owner_url, web_url = environment.get("DATABASE_OWNER_URL") or url, environment.get("DATABASE_WEB_URL", "")
    return Addresses(url=url, owner_url=owner_url, redis_url=redis_url, web_url=web_url)


@contextlib.contextmanager
def run_embedded(home: Home) -> Generator[tuple[Postgres, Redis]]:
    """Run PostgreSQL and Redis in the home until the block ends."""
    postgres, redis = Postgres(home), Redis(home)
    try:
        postgres.start()
        redis.start()
        yield postgres, redis
    finally:
        with defer_signals():
            redis.stop()
            postgres.stop()


def embedded_addresses(postgres: Postgres, redis: Redis) -> Addresses:
    """Return the addresses of the embedded servers."""
    return Addresses(url=postgres.url, owner_url=postgres.owner_url, redis_url=redis.url, web_url=postgres.web_url)


def environment_for(addresses: Addresses, *, secrets: Secrets | None, folder: Path | None = None) -> dict[str, str]:
    """Return the environment of the stack's processes; secrets in our own environment override the home's.

    `folder` is the home, where checkpoints and the keys that sign them are stored.
    """
    environment = {"DJANGO_SETTINGS_MODULE": "casino.settings", **os.environ}
    environment.update(
        DATABASE_URL=addresses.url,
        DATABASE_OWNER_URL=addresses.owner_url,
        DATABASE_WEB_URL=addresses.web_url or addresses.url,
        REDIS_URL=addresses.redis_url,
        PYTHONUNBUFFERED="1",
    )
    if addresses.providers:
        environment.setdefault("PAYMENT_PROVIDERS", addresses.providers)
        environment.setdefault("PAYMENT_SECRETS", addresses.provider_secrets)
    if addresses.witnesses:
        environment.setdefault("WITNESSES", addresses.witnesses)
    if addresses.demo:
        environment.setdefault("DEMO_OPERATOR", addresses.demo)
        environment.setdefault("FORCED_CARDS", "true")
        environment.setdefault("INTEGRITY_AT_START", "true")  # to fill the list under Compliance
    if secrets is not None:
        environment = {**secret_environment(secrets), **environment}
    if folder is None:
        return environment
    return {**checkpoint_environment(folder), **wallet_environment(folder), **environment}


def secret_environment(secrets: Secrets) -> dict[str, str]:
    """Return the variables of a home's secrets."""
    return {
        "SECRET_KEY": secrets.secret_key,
        "SHOE_KEYS": secrets.shoe_keys,
        "PERSONAL_KEYS": secrets.personal_keys,
    }


def wallet_environment(folder: Path) -> dict[str, str]:
    """Return the variable of the key that signs a home's requests to wallets of the profile `hub88`."""
    return {} if "WALLET_RSA_KEY" in os.environ else {"WALLET_RSA_KEY_FILE": str(wallet_rsa_key(folder))}


def checkpoint_environment(folder: Path) -> dict[str, str]:
    """Return the variables for signing, storing and checking a home's checkpoints, and for signing its closings.

    The public halves are for web, which publishes them.
    """
    database = os.environ.get("DATABASE_URL", "")
    storage = checkpoints_folder(folder, database=database)
    files = {"CHECKPOINT_KEYS": "checkpoint-keys", "CLOSING_KEYS": "closing-keys"}
    keys = {f"{key}_FILE": str(signing_keys(folder, name)) for key, name in files.items() if key not in os.environ}
    public = public_keys("CHECKPOINT_KEYS", {**os.environ, **keys})
    return {
        "CHECKPOINT_STORAGE": storage.as_uri(),
        "CHECKPOINT_PUBLIC_KEYS": ",".join(f"{name}:{key.hex()}" for name, key in public),
        "LOG_ORIGIN": log_origin(folder, database=database),
        **keys,
    }


def public_keys(name: str, environment: Mapping[str, str]) -> list[tuple[str, bytes]]:
    """Return the names and public halves of the keys that a variable, or the file that it names, holds."""
    file = environment.get(f"{name}_FILE")
    text = Path(file).read_text(encoding="utf-8").strip() if file else environment.get(name, "")
    return [(key, ed25519.public_key(private)) for key, private in parse_keys(name, text)]


def process_environment(process: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of one process of the stack, without what only others may know."""
    is_stranger = process in {"provider", "operator"}
    hidden = {"DATABASE_OWNER_URL", "DATABASE_WEB_URL", *(_CASINO_ONLY if is_stranger else ())}
    if process != "provider":
        hidden.add("PROVIDER_SECRET")
    own = {name: value for name, value in environment.items() if name.removesuffix("_FILE") not in hidden}
    if process == "web" and "DATABASE_WEB_URL" in environment:
        own["DATABASE_URL"] = environment["DATABASE_WEB_URL"]
    return own if is_stranger else own_variables(process, own)


def migrate(environment: Mapping[str, str]) -> str:
    """Apply all migrations as the database's owner. Raises DevstackError with the output.

    Skips Django's checks, which load every URL and take longer than the migrations.
    """
    command = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--no-input", "--skip-checks"]
    return run_to_end(command, environment=owner_environment(environment), folder=PROJECT)


def write_running(home: Home, addresses: Addresses) -> None:
    """Save the addresses of the running servers in the home, readable by its user only."""
    draft = home.running.with_suffix(".draft")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(addresses)), encoding="utf-8")
    draft.replace(home.running)


def read_running(folder: Path) -> Addresses | None:
    """Return the addresses of the home's servers if they run."""
    try:
        return Addresses(**json.loads((folder / "running.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
