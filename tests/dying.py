"""Run a function that is killed on the way: `with dying("module:function", environment) as dies_at: dies_at("3")`.

One process imports the function; for each moment it forks, and the fork calls the function once. A moment is the number
of the statement before which the fork dies, `commit` or `committed` (just before or after its first commit), or `done`
(after the function returns, before the parent gets its result).
"""

import contextlib
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from typing import IO, Any

import django

from casino.devstack.home import PROJECT

KILLED = -signal.SIGKILL
SURVIVED = 0


@contextlib.contextmanager
def dying(work: str, environment: Mapping[str, str]) -> Generator[Callable[[str | int], int]]:
    """Yield a function that runs the work until it dies at a moment, and returns how the process ended."""
    command = [sys.executable, __file__, work]
    variables = {**environment, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(  # noqa: S603
        command, env=variables, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        commands, results = _open(process.stdin), _open(process.stdout)

        def dies_at(moment: str | int) -> int:
            commands.write(f"{moment}\n")
            commands.flush()
            return int(results.readline())

        yield dies_at
        commands.close()


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dying_commit(moment: str, commit: Callable[[], None]) -> Callable[[], None]:
    def commit_or_die() -> None:
        if moment == "commit":
            _die()
        commit()
        if moment == "committed":
            _die()

    return commit_or_die


def _counting(moment: str) -> Callable[..., Any]:
    executed = 0

    def wrapper(execute: Callable[..., Any], *statement: Any) -> Any:
        nonlocal executed
        executed += 1
        if str(executed) == moment:
            _die()
        return execute(*statement)

    return wrapper


def _live_until(moment: str, work: Callable[[], object], connection: Any) -> None:
    connection.ensure_connection()
    connection._commit = _dying_commit(moment, connection._commit)
    with connection.execute_wrapper(_counting(moment)):
        work()
    if moment == "done":
        _die()


def _serve(path: str) -> None:
    django.setup()
    module, _, name = path.partition(":")
    work = getattr(importlib.import_module(module), name)
    connection = importlib.import_module("django.db").connection
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _live_until(line.strip(), work, connection)
            os._exit(SURVIVED)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
