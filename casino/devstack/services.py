"""PostgreSQL and Redis as the rest needs them: embedded in a home, or servers that exist, given by URL."""

import contextlib
import json
import os
import sys
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT, Home, Secrets, checkpoint_keys, checkpoints_folder
from casino.devstack.postgres import Postgres
from casino.devstack.processes import defer_signals, run_to_end
from casino.devstack.redis import Redis


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the servers are. `url` is the application's database, `owner_url` the same as its owner.

    `providers` and `provider_secrets` are those of the sandbox payment provider, as the settings read them; `demo` is
    the operator whose players anybody may be, on a stack that is tried out.
    """

    url: str
    owner_url: str
    redis_url: str
    providers: str = ""
    provider_secrets: str = ""
    demo: str = ""


def external_addresses(environment: Mapping[str, str]) -> Addresses | None:
    """Read DATABASE_URL and REDIS_URL. Raises Trouble when only one of them is set."""
    url, redis_url = environment.get("DATABASE_URL"), environment.get("REDIS_URL")
    if not url and not redis_url:
        return None
    if not url or not redis_url:
        missing = "REDIS_URL" if url else "DATABASE_URL"
        raise DevstackError(
            f"Set {missing} too: the system runs on servers of yours or on its own, not on one of each."
        )
    return Addresses(url=url, owner_url=environment.get("DATABASE_OWNER_URL") or url, redis_url=redis_url)


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
    """Return where the embedded servers are."""
    return Addresses(url=postgres.url, owner_url=postgres.owner_url, redis_url=redis.url)


def environment_for(addresses: Addresses, *, secrets: Secrets | None, folder: Path | None = None) -> dict[str, str]:
    """Return the variables that a process of ours needs; secrets set outside win over the home's.

    `folder` is the home's, where checkpoints are kept outside of the database, and the keys that sign them.
    """
    found = {"DJANGO_SETTINGS_MODULE": "casino.settings", **os.environ}
    found.update(
        DATABASE_URL=addresses.url,
        DATABASE_OWNER_URL=addresses.owner_url,
        REDIS_URL=addresses.redis_url,
        PYTHONUNBUFFERED="1",
    )
    if addresses.providers:
        found.setdefault("PAYMENT_PROVIDERS", addresses.providers)
        found.setdefault("PAYMENT_SECRETS", addresses.provider_secrets)
    if addresses.demo:
        found.setdefault("DEMO_OPERATOR", addresses.demo)
        found.setdefault("INTEGRITY_AT_START", "true")  # so that the list under Compliance shows what a start measures
    if secrets is not None:
        found.setdefault("SECRET_KEY", secrets.secret_key)
        found.setdefault("SHOE_KEYS", secrets.shoe_keys)
        found.setdefault("PERSONAL_KEYS", secrets.personal_keys)
    return found if folder is None else {**checkpoint_environment(folder), **found}


def checkpoint_environment(folder: Path) -> dict[str, str]:
    """Return the variables by which a home's checkpoints are signed, kept outside, and checked."""
    kept = checkpoints_folder(folder, database=os.environ.get("DATABASE_URL", ""))
    keys = {} if "CHECKPOINT_KEYS" in os.environ else {"CHECKPOINT_KEYS_FILE": str(checkpoint_keys(folder))}
    return {"CHECKPOINT_STORAGE": kept.as_uri(), **keys}


def owner_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a process that acts as the database's owner."""
    owner_url = environment.get("DATABASE_OWNER_URL") or environment["DATABASE_URL"]
    return {**environment, "DATABASE_URL": owner_url, "DATABASE_ROLE": "owner", "DATABASE_POOL": "0"}


def migrate(environment: Mapping[str, str]) -> str:
    """Bring the database to the newest migration, as its owner. Raises Trouble with the output.

    Django's checks load every address and page, which takes longer than the migration itself: tests run them.
    """
    command = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--no-input", "--skip-checks"]
    return run_to_end(command, environment=owner_environment(environment), folder=PROJECT)


def write_running(home: Home, addresses: Addresses) -> None:
    """Leave word in the home that its servers run, for its user only."""
    draft = home.running.with_suffix(".draft")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(addresses)), encoding="utf-8")
    draft.replace(home.running)


def read_running(folder: Path) -> Addresses | None:
    """Return where the home's servers are, if its supervisor has left word."""
    try:
        return Addresses(**json.loads((folder / "running.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
