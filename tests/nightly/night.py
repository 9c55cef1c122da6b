"""A night: parts run one after the other, what came of each is kept, and a stopped night goes on."""

import json
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from casino.devstack.home import PROJECT
from tests.nightly.parts import FOLDER, Part

STATE: Final = FOLDER / "state.json"
GRACE: Final = 90
"""Seconds to clean up in."""


@dataclass(slots=True)
class Outcome:
    """What came of a part. `short` says what fell short."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: int = 0
    core_seconds: int = 0
    short: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Night:
    """The outcomes so far, of one version of the code."""

    version: str
    seed: int
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def keep(self) -> None:
        """Write the state."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        STATE.write_text(json.dumps(asdict(self), indent=2), encoding="utf-8")


def version() -> str:
    """Name the code that is tried."""
    words = ["git", "describe", "--always", "--dirty"]
    with suppress(OSError):
        done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)  # noqa: S603
        return done.stdout.strip() or "unknown"
    return "unknown"


def seed() -> int:
    """Return SEED, or draw one."""
    return int(os.environ.get("SEED") or random.randrange(10**6))


def begin(parts: tuple[Part, ...], *, again: bool) -> Night:
    """Return the night that was stopped, or a new one: after one that ended, for other code, or `again`."""
    new = Night(version(), seed())
    if again or not STATE.exists():
        return new
    kept = json.loads(STATE.read_text(encoding="utf-8"))
    outcomes = {name: Outcome(**outcome) for name, outcome in kept["outcomes"].items()}
    if kept["version"] != new.version or all(part.name in outcomes for part in parts):
        return new
    return Night(kept["version"], kept["seed"], outcomes)


def run(part: Part, seed: int) -> Outcome:
    """Run a part to its end or to its limit. Its processes are gone afterwards, also when this one is interrupted."""
    if not part.command:
        return Outcome(skipped=1, skips=[part.otherwise])
    part.results.unlink(missing_ok=True)
    used, began = _used(), time.monotonic()
    with part.output.open("wb") as output, _group(part, seed, output) as process:
        try:
            status: int | None = process.wait(part.limit)
        except subprocess.TimeoutExpired:
            status = None
    outcome = read(part, status)
    outcome.seconds, outcome.core_seconds = round(time.monotonic() - began), round(_used() - used)
    return outcome


@contextmanager
def _group(part: Part, seed: int, output: Any) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(  # noqa: S603
        part.words(seed), env=part.variables(seed), cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        for number in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE)
        with suppress(ProcessLookupError):  # what it left behind
            os.killpg(process.pid, signal.SIGKILL)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(part: Part, status: int | None) -> Outcome:
    """Read what a part that ended with this status, or was stopped, says."""
    outcome = Outcome()
    text = part.output.read_text(encoding="utf-8", errors="replace")
    if part.results.exists():
        (_add_tests if part.results.suffix == ".xml" else _add_measurements)(outcome, part.results)
    if status is None:
        outcome.short.append(f"It was stopped after {part.limit // 60} minutes.")
    elif status and not outcome.failed:
        outcome.short.append(f"It ended with status {status}: {text.strip().rpartition(chr(10))[2][:200]}")
    return outcome


def _add_tests(outcome: Outcome, results: Path) -> None:
    for case in ET.parse(results).iter("testcase"):  # noqa: S314  (pytest wrote it)
        name = f"{case.get('classname', '').replace('.', '/')}::{case.get('name')}"
        bad = next((child for child in case if child.tag in {"failure", "error"}), None)
        skip = case.find("skipped")
        if bad is not None:
            outcome.failed += 1
            outcome.short.append(f"`{name}`: {_message(bad.get('message', ''))}")
        elif skip is not None:
            outcome.skipped += 1
            outcome.skips.append(skip.get("message", ""))
        else:
            outcome.passed += 1


def _message(message: str) -> str:
    """Return the first line of a message, and the diff in it."""
    first, _, rest = message.partition("\n")
    return f"{first[:300]}\n\n```diff\n{rest.strip()}\n```" if rest.startswith("--- ") else first[:300]


def _add_measurements(outcome: Outcome, results: Path) -> None:
    for one in json.loads(results.read_text(encoding="utf-8"))["measurements"]:
        if one["reached"] is False:
            outcome.failed += 1
            reached = one["ours"] if one["ratio"] is None or one["target_is_most"] else one["ratio"]
            bound = "at most" if one["target_is_most"] else "at least"
            outcome.short.append(
                f"{one['name']}: {reached:.2f}, {bound} {one['target']:g} is the target ({one['unit']})"
            )
        else:
            outcome.passed += 1
