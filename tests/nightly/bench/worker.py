"""Worker processes of measurements: a task is a line of JSON, and so is its answer."""

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
from casino.observability.process import keep_loaded

SIGKILL = 9
EXIT_TIMEOUT = 10.0
"""Seconds that a worker may take to exit after its input is closed."""


class Worker:
    """Runs a module of this package in a process. Raises DevstackError with the end of its log when it fails."""

    def __init__(self, module: str, *, environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", f"tests.nightly.bench.{module}"],
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
            self.process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def start(self, task: str, **arguments: object) -> None:
        """Start a task. Raises DevstackError when the process is gone."""
        try:
            self._pipe(self.process.stdin).write(json.dumps({"task": task, "arguments": arguments}) + "\n")
            self._pipe(self.process.stdin).flush()
        except BrokenPipeError:
            raise self._gone() from None

    def wait(self) -> Any:
        """Wait for the answer of the task that was started. Raises DevstackError when the process fails."""
        line = self._pipe(self.process.stdout).readline()
        if not line:
            raise self._gone()
        return json.loads(line)

    def run(self, task: str, **arguments: object) -> Any:
        """Run a task and return its answer. Raises DevstackError."""
        self.start(task, **arguments)
        return self.wait()

    def _pipe(self, pipe: Any) -> TextIO:
        if pipe is None:
            raise self._gone()
        text: TextIO = pipe
        return text

    def _gone(self) -> DevstackError:
        last = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        return DevstackError("A process of the measurement ended:\n" + "\n".join(last))


@contextlib.contextmanager
def workers(module: str, count: int, *, environment: Mapping[str, str], log: Path) -> Generator[list[Worker]]:
    """Run `count` equal workers until the block ends, each ready before the first task."""
    with contextlib.ExitStack() as exits:
        started = [exits.enter_context(Worker(module, environment=environment, log=log)) for _ in range(count)]
        run_all(started, "ready", [{} for _ in started])
        yield started


def run_all(started: Sequence[Worker], task: str, arguments: Sequence[Mapping[str, object]]) -> list[Any]:
    """Run a task on all workers at once and return their answers."""
    for worker, each in zip(started, arguments, strict=True):
        worker.start(task, **each)
    return [worker.wait() for worker in started]


def serve(tasks: Mapping[str, Callable[..., Any]]) -> None:
    """Run tasks until the input is closed, as a process that has started. What a task prints goes to the log."""
    keep_loaded()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        request = json.loads(line)
        answer = True if request["task"] == "ready" else tasks[request["task"]](**request["arguments"])
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()
