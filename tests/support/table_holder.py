"""A process that locks a table and is frozen while it holds it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from typing import Final

from casino.devstack.home import PROJECT

_SCRIPT: Final = """
import sys
from uuid import UUID
import django
django.setup()
from django.db import transaction
from baccarat.storage import repository
print("ready", flush=True)
sys.stdin.readline()
with transaction.atomic():
    repository.lock_table(table=UUID(sys.argv[1]), operator=UUID(sys.argv[2]))
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def table_holder(table: object, operator: object, environment: Mapping[str, str]) -> Generator[Callable[[], None]]:
    """Start the process, with the timeouts of one that players wait for; yield what lets it lock and freezes it."""
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", _SCRIPT, str(table), str(operator)],
        env={**environment, "DATABASE_TIMEOUTS": "short", "PYTHONPATH": str(PROJECT)},
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"

            def freeze() -> None:
                process.stdin.write(b"\n")
                process.stdin.flush()
                assert process.stdout.readline() == b"locked\n"
                os.kill(process.pid, signal.SIGSTOP)

            yield freeze
        finally:
            process.kill()
            os.kill(process.pid, signal.SIGCONT)
