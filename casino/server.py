"""`python -m casino.server --port 8000`: serve the web application by granian, in as many processes as there are cores.

The application is loaded once and its processes are forked, so that one that dies is replaced at once. They survive the
first process by some seconds, so that a process manager can start it again unnoticed. SIGHUP replaces them one by one,
without a failed request and with the code that was loaded; SIGTERM ends them.
"""

import asyncio
import multiprocessing
import os
import resource
import signal
import socket
from argparse import ArgumentParser
from importlib import import_module
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer, WorkerProcess

from casino.database import capacity
from casino.observability.process import end_with_parent, process_started

APPLICATION: Final = "casino.asgi:application"
CONNECTIONS: Final = 4096
"""Connections of one process, open streams among them; more wait for the operating system to accept them."""
IDLE_SECONDS: Final = 65
"""Seconds after which a connection without a complete request's headers is closed.

This is also how long a connection is kept alive between requests: longer than proxies keep theirs, so that no proxy
sends a request on a connection that is being closed. One limit serves both: a client that sends its headers slowly
holds a connection for as long, unless a proxy refuses it sooner.
"""
GRACE_SECONDS: Final = 5
"""Seconds to finish requests at the end; streams that are open then are cut off and resumed elsewhere."""

ORPHAN_SECONDS: Final = 10
"""Seconds for which processes serve whose first process was killed: as long as a new one may take to load the code."""
START_SECONDS: Final = 5
"""Seconds that a new process has to start at SIGHUP, before the one that it replaces ends, on a busy machine, too."""
RETIREMENT_SECONDS: Final = 1
"""Seconds in which a process that was replaced reads what comes on new connections, before it closes idle ones."""


class CasinoServer(MPServer):
    """Gives each process a listening socket that its replacements inherit, where granian lets each open its own.

    Connections that nobody has accepted yet are then not reset when a process ends; they wait for the next one.
    """

    _ssp: Any
    _shd: Any

    def listening(self) -> int:
        """Return the file descriptor on which this process accepts connections, and close those of the others."""
        for each in self._sockets:
            if each is not self._shd:
                os.close(each.get_fd())
        return int(self._shd.get_fd())

    def _init_shared_socket(self) -> None:
        super()._init_shared_socket()  # type: ignore[no-untyped-call]
        self._sockets = [self._ssp.build() for _ in range(self.workers)]

    def _spawn_worker(self, idx: int, *arguments: Any, **options: Any) -> WorkerProcess:
        self._shd = self._sockets[idx]
        return super()._spawn_worker(idx, *arguments, **options)

    def _drop_shared_socket(self) -> None:
        """Let nobody connect any more, and end the processes at once: nothing replaces them."""
        for each in self._sockets:
            os.close(each.get_fd())
        for worker in self.wrks:
            worker.interrupt_by_parent = True
            if worker.inner.is_alive():
                os.kill(worker.inner.pid, signal.SIGINT)


async def retire(listening: int) -> None:
    """End this process at SIGTERM: accept no connection, answer what came on the last ones, then let granian end it.

    Granian by itself would close connections that were accepted a moment ago, before their first request is read.
    """
    replaced = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, replaced.set)
    await replaced.wait()
    with socket.socket(socket.AF_UNIX) as unconnected:
        unconnected.bind("")  # an address that nobody knows
        unconnected.listen()
        unconnected.settimeout(0)
        os.dup2(unconnected.fileno(), listening, inheritable=False)
    await asyncio.sleep(RETIREMENT_SECONDS)
    signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Serve until a signal ends it."""
    parser = ArgumentParser(description="Serve the API, the table page, live streams and the admin over HTTP.")
    parser.add_argument("application", nargs="?", default=APPLICATION)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument(
        "--idle-seconds", type=int, default=IDLE_SECONDS, help="longer than the proxy keeps connections"
    )
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    module, _, name = options.application.partition(":")
    application = getattr(import_module(module), name)
    capacity.refuse_to_start()
    multiprocessing.set_start_method("fork")

    def start_process(_target: str) -> Any:
        end_with_parent(after=ORPHAN_SECONDS, grace=RETIREMENT_SECONDS + GRACE_SECONDS)
        tasks.add(asyncio.get_event_loop().create_task(retire(server.listening())))
        process_started("web")
        return application

    tasks: set[asyncio.Task[None]] = set()
    server = CasinoServer(
        options.application,
        address=options.host,
        port=options.port,
        interface=Interfaces.ASGINL,
        workers=capacity.web_processes(),
        http=HTTPModes.http1,
        websockets=False,
        backlog=1024,
        backpressure=CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=options.idle_seconds * 1000),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        respawn_interval=START_SECONDS,
        workers_kill_timeout=RETIREMENT_SECONDS + GRACE_SECONDS,
    )
    server.serve(target_loader=start_process)


if __name__ == "__main__":
    main()
