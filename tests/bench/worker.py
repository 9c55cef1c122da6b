"""Processes that do one side's work: told what to do by a line of JSON, answering with one."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.processes import parent_death_hook

SIGKILL = 9
PATIENCE = 10.0
"""Seconds that a worker may take to end once nobody talks to it."""


class Worker:
    """A module of this package in a process of its own. Raises Trouble with the end of its errors when it fails."""

    def __init__(self, module: str, *, environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", f"tests.bench.{module}"],
                env=dict(environment),
                cwd=PROJECT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                preexec_fn=parent_death_hook(SIGKILL),  # noqa: PLW1509  (no lock is taken in it)
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def tell(self, task: str, **given: object) -> None:
        """Start a task. Raises Trouble when the process is gone."""
        try:
            self._pipe(self.process.stdin).write(json.dumps({"task": task, "given": given}) + "\n")
            self._pipe(self.process.stdin).flush()
        except BrokenPipeError:
            raise self._gone() from None

    def hear(self) -> Any:
        """Wait for the answer of the task that was started. Raises Trouble when the process fails."""
        line = self._pipe(self.process.stdout).readline()
        if not line:
            raise self._gone()
        return json.loads(line)

    def ask(self, task: str, **given: object) -> Any:
        """Run a task and return its answer. Raises Trouble."""
        self.tell(task, **given)
        return self.hear()

    def _pipe(self, pipe: Any) -> TextIO:
        if pipe is None:
            raise self._gone()
        found: TextIO = pipe
        return found

    def _gone(self) -> DevstackError:
        last = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        return DevstackError("A process of the measurement ended:\n" + "\n".join(last))


@contextlib.contextmanager
def workers(module: str, count: int, *, environment: Mapping[str, str], log: Path) -> Generator[list[Worker]]:
    """Run `count` equal workers until the block ends, each ready before the first task."""
    with contextlib.ExitStack() as exits:
        found = [exits.enter_context(Worker(module, environment=environment, log=log)) for _ in range(count)]
        ask_all(found, "ready", [{} for _ in found])
        yield found


def ask_all(found: Sequence[Worker], task: str, given: Sequence[Mapping[str, object]]) -> list[Any]:
    """Run a task on all workers at once and return their answers when the last has answered."""
    for worker, words in zip(found, given, strict=True):
        worker.tell(task, **words)
    return [worker.hear() for worker in found]


def serve(tasks: Mapping[str, Callable[..., Any]]) -> None:
    """Answer tasks until nobody asks any more. What a task prints goes to the log, not into the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        asked = json.loads(line)
        done = True if asked["task"] == "ready" else tasks[asked["task"]](**asked["given"])
        answers.write(json.dumps(done, default=str) + "\n")
        answers.flush()
