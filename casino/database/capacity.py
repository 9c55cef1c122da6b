"""Connections to PostgreSQL: how many the web processes open, and whether the server has so many for them.

All threads of web keep a connection each. The server keeps `reserved_connections` for the other processes, whose login
may use them (`pg_use_reserved_connections`) while that of web may not: dealers and jobs can always connect.
"""

import math
import os
import sys
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import OperationalError, connection

from casino.variables import value

OTHER_THREADS: Final = 14
"""Threads of a web process with a connection, beside WEB_THREADS: 7 of staff, 5 of streams, integrity, heartbeat."""
RESERVED: Final = 40
"""Connections that the embedded server keeps for dealers, jobs, the sealer and commands; a recommendation elsewhere."""
_CPU_MAX: Final = Path("/sys/fs/cgroup/cpu.max")
_AVAILABLE: Final = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true)::int, 0)
"""


def cores(*, cpu_max: Path = _CPU_MAX) -> int:
    """Return how many cores this process may use, by its affinity and by the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = (
        cpu_max.read_text(encoding="ascii").strip().partition(" ") if cpu_max.exists() else ("max", "", "")
    )
    return allowed if quota == "max" else max(1, min(allowed, math.ceil(int(quota) / int(period))))


def web_processes() -> int:
    """Return how many processes serve the web: as many as cores, unless WEB_PROCESSES is set."""
    return int(value("WEB_PROCESSES") or cores())


def web_connections() -> int:
    """Return how many connections the web processes of one server may open."""
    return web_processes() * (int(value("WEB_THREADS")) + OTHER_THREADS)


def refuse_to_start() -> None:
    """End a web server whose connections PostgreSQL has no room for. It starts while the database is away.

    A pooler has few connections for many clients, so nothing is checked behind one.
    """
    if not settings.DATABASES or value("DATABASE_POOLER"):
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute(_AVAILABLE)
            ((available,),) = cursor.fetchall()
    except OperationalError:
        return
    finally:
        connection.close()
    if web_connections() > available:
        sys.exit(
            f"WEB_PROCESSES={web_processes()} with WEB_THREADS={value('WEB_THREADS')} may open {web_connections()}"
            f" connections, but PostgreSQL has {available} for web (max_connections less the reserved ones)."
            " Raise max_connections, or lower WEB_PROCESSES or WEB_THREADS."
        )
