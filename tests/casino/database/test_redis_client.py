"""Redis behind Sentinels: when the master dies, wake-ups and tasks go to the next one, by the same URL."""

import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
import redis

from casino import celery
from casino.database.redis_client import broker, redis_client
from casino.devstack.redis import program
from casino.devstack.system import free_port
from casino.events import wakeups
from tests.processes import begin, wait_until

QUEUE = "sentinel-test"
SECRET = "a/secret"


class Sentinels:
    """A master, a replica, and three Sentinels that watch them, all with a password."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.ports = {name: free_port(0) for name in ("first", "second", "a", "b", "c")}
        master = self.ports["first"]
        self.first = self._start("first")
        self._start("second", f"replicaof 127.0.0.1 {master}")
        for name in ("a", "b", "c"):
            self._start(
                name,
                f"sentinel monitor casino 127.0.0.1 {master} 2",
                f'sentinel auth-pass casino "{SECRET}"',
                "sentinel down-after-milliseconds casino 1000",
                "sentinel failover-timeout casino 5000",
            )
        hosts = ",".join(f"127.0.0.1:{self.ports[name]}" for name in ("a", "b", "c"))
        self.url = f"sentinel://:a%2Fsecret@{hosts}/3?master=casino"
        assert wait_until(self._is_complete, seconds=60)

    def _start(self, name: str, *lines: str) -> "subprocess.Popen[bytes]":
        config = self._folder / f"{name}.conf"
        own = [f"port {self.ports[name]}", "bind 127.0.0.1", f"dir {self._folder}", 'save ""', *lines]
        watches = name in "abc"
        if not watches:
            own += [f'requirepass "{SECRET}"', f'masterauth "{SECRET}"', "repl-diskless-sync-delay 0"]
        config.write_text("\n".join(own) + "\n", encoding="utf-8")
        command = [str(program()), str(config), *(["--sentinel"] if watches else [])]
        with (self._folder / f"{name}.log").open("wb") as log:
            process = begin(command, stdout=log, stderr=log)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def _is_complete(self) -> bool:
        """Return whether each Sentinel knows the replica and both other Sentinels."""
        try:
            for name in ("a", "b", "c"):
                with redis.Redis(port=self.ports[name]) as sentinel:
                    master: Any = sentinel.sentinel_masters()["casino"]
                if (master["num-slaves"], master["num-other-sentinels"], master["is_odown"]) != (1, 2, False):
                    return False
        except redis.RedisError:
            return False
        return True


@pytest.fixture
def sentinels(tmp_path: Path) -> Generator[Sentinels]:
    with ExitStack() as stack:
        yield Sentinels(tmp_path, stack)


def test_wake_ups_and_tasks_go_to_the_next_master(sentinels: Sentinels, settings: Any) -> None:
    settings.REDIS_URL = sentinels.url
    wakeups.forget_failures()
    address, options = broker(sentinels.url)
    app = celery.ImpatientCelery("copy", amqp=celery.SteadyAMQP, broker=address)
    app.conf.broker_transport_options = options
    assert wakeups.claim_wakeup("before")
    assert sends_and_receives(app, "before")

    sentinels.first.kill()

    assert wait_until(lambda: wakeups.claim_wakeup("after"), seconds=60)
    assert wait_until(lambda: sends_and_receives(app, "after"), seconds=60)
    with redis.Redis(port=sentinels.ports["second"], password=SECRET) as master:
        assert master.role()[0] == b"master"
    wakeups.forget_failures()


def sends_and_receives(app: celery.ImpatientCelery, text: str) -> bool:
    try:
        with app.connection_for_write() as writer, writer.SimpleQueue(QUEUE) as out:
            out.put(text)
        with app.connection_for_read() as reader, reader.SimpleQueue(QUEUE, no_ack=True) as incoming:
            return bool(incoming.get(timeout=5).payload == text)
    except (redis.RedisError, OSError, Empty):
        return False


@pytest.mark.parametrize("url", ["sentinel://127.0.0.1:26379/0", "sentinel:///0?master=casino"])
def test_a_url_without_hosts_or_master_stops_the_start(url: str) -> None:
    for read in (redis_client, broker):
        with pytest.raises(ValueError, match=r"sentinel://HOST:PORT,HOST:PORT/DATABASE\?master=NAME"):
            read(url)


def test_other_urls_go_to_one_server() -> None:
    assert broker("redis://127.0.0.1:6379/2") == ("redis://127.0.0.1:6379/2", {})
    assert broker("unix:///run/redis.sock?db=2") == ("redis+socket:///run/redis.sock?virtual_host=2", {})
