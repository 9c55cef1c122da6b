"""Benchmarks: the system and comparable packages, measured in turns on one machine."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from json import dumps
from pathlib import Path
from typing import Any, Final

import django
from django.core.management.base import BaseCommand

from casino.devstack import attach
from tests.nightly.bench import (
    append,
    balance,
    bet,
    databases,
    desk,
    floods,
    growth,
    page,
    remote,
    replay,
    report,
    result,
    rules,
    settle,
    storage,
    stream,
    system,
    turns,
    window,
)
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import SIZES, Plan, planned

MEASUREMENTS: Final[Mapping[str, Callable[[Plan], Iterable[Measured]]]] = {
    "append": append.measure,
    "settle": settle.measure,
    "bet": bet.measure,
    "balance": balance.measure,
    "replay": replay.measure,
    "rules": rules.measure,
    "stream": stream.measure,
    "turns": turns.measure,
    "storage": storage.measure,
    "growth": growth.measure,
    "floods": floods.measure,
    "remote": remote.measure,
    "window": window.measure,
    "result": result.measure,
    "system": system.measure,
    "page": page.measure,
    "desk": desk.measure,
}
"""In the order in which they run."""


class Command(BaseCommand):
    help = "Measure the system and its peers in turns on the same PostgreSQL; print both, the ratio and the target."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = ", ".join(MEASUREMENTS)
        parser.add_argument("names", nargs="*", metavar="NAME", choices=[*MEASUREMENTS, []], help=f"any of {names}")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write one JSON document, too")
        parser.add_argument("--size", choices=SIZES, default="full", help="tiny only checks that everything runs")

    def handle(self, *_: Any, names: list[str], json: Path | None, size: str, **__: Any) -> None:
        """Run the named measurements, all without names, each on a fresh database of its own.

        If one fails, the results so far are printed.
        """
        server = databases.server()
        machine, results = report.machine(server), list[Measured]()
        try:
            with planned(server, SIZES[size]) as plan:
                for name in names or MEASUREMENTS:
                    self.stderr.write(f"Measuring {name} ...")
                    for measured in MEASUREMENTS[name](plan):
                        self.stderr.write(f"  {report.line(measured)}")
                        results.append(measured)
        finally:
            report.show(machine, results)
            if json is not None:
                json.write_text(dumps(report.document(machine, results), indent=2), encoding="utf-8")


def _run(arguments: list[str]) -> None:
    django.setup()
    Command().run_from_argv(arguments)


if __name__ == "__main__":
    attach.main(["python -m tests", "bench", *sys.argv[1:]], run=_run)
