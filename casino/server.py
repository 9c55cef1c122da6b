"""`python -m casino.server --port 8000`: serve the web application by granian, in as many processes as there are cores.

The application is loaded once and its processes are forked, so that one that dies is replaced at once. They survive the
first process by some seconds, so that a process manager can start it again unnoticed. SIGHUP replaces them one by one,
without a failed request and with the code that was loaded; SIGTERM ends them.
"""

import multiprocessing
import resource
from argparse import ArgumentParser
from importlib import import_module
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

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
        end_with_parent(after=ORPHAN_SECONDS, grace=GRACE_SECONDS)
        process_started("web")
        return application

    Server(
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
        workers_kill_timeout=GRACE_SECONDS,
    ).serve(target_loader=start_process)


if __name__ == "__main__":
    main()
