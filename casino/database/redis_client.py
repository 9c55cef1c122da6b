"""Redis at one address, or the present master of those that Sentinels watch.

`sentinel://[:PASSWORD@]HOST:PORT,HOST:PORT,.../DATABASE?master=NAME` names Sentinels; `sentinel_password=` is theirs.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import redis
from redis.sentinel import Sentinel

SENTINEL_PORT = 26379


@dataclass(frozen=True, slots=True)
class _Sentinels:
    """What a sentinel:// URL says."""

    hosts: tuple[tuple[str, int], ...]
    database: int
    master: str
    password: str | None
    sentinel_password: str | None


def redis_client(url: str, **options: Any) -> redis.Redis:
    """Return a client with redis-py's options, such as timeouts. Raises ValueError for a URL that is none."""
    if not url.startswith("sentinel://"):
        return redis.Redis.from_url(url, **options)
    said = _parse(url)
    sentinels = Sentinel(  # type: ignore[no-untyped-call]
        said.hosts, sentinel_kwargs={"password": said.sentinel_password, **options}, password=said.password, **options
    )
    client: redis.Redis = sentinels.master_for(said.master, db=said.database)  # type: ignore[no-untyped-call]
    return client


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's address for a Redis URL, and the transport's options that the URL asks for."""
    if not url.startswith("sentinel://"):
        # Celery has its own syntax for a socket's database number, and silently uses number 0 for any other.
        return url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host="), {}
    said = _parse(url)
    user = "" if said.password is None else f":{quote(said.password, safe='')}@"
    addresses = ";".join(f"sentinel://{user}{host}:{port}/{said.database}" for host, port in said.hosts)
    return addresses, {
        "master_name": said.master,
        "sentinel_kwargs": {"password": said.sentinel_password, "socket_timeout": 2},
    }


def _parse(url: str) -> _Sentinels:
    parts = urlsplit(url)
    credentials, _, hosts = parts.netloc.rpartition("@")
    query = parse_qs(parts.query)
    if not hosts or "master" not in query:
        raise ValueError("REDIS_URL: write sentinel://HOST:PORT,HOST:PORT/DATABASE?master=NAME.")
    password = credentials.partition(":")[2]
    return _Sentinels(
        hosts=tuple(_host(each) for each in hosts.split(",")),
        database=int(parts.path.strip("/") or 0),
        master=query["master"][0],
        password=unquote(password) or None,
        sentinel_password=query.get("sentinel_password", [None])[0],
    )


def _host(text: str) -> tuple[str, int]:
    host, _, port = text.partition(":")
    return host, int(port or SENTINEL_PORT)
