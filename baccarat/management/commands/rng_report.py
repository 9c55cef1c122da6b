"""`manage.py rng_report [--json] [--plot FILE]`: test whether the shoes dealt so far agree with a fair generator."""

import json
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.management import plots
from baccarat.services import rng_monitoring
from baccarat.services.rng_statistics import AdjustedTestResult, passes


class Command(BaseCommand):
    help = "Test revealed shoes and outcomes for randomness, at 99 % in total; record a failure and exit 1."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--plot", metavar="FILE", type=Path, help="write a plot as SVG")
        parser.add_argument(
            "--shoes", type=int, default=rng_monitoring.MAX_SHOES, help="test this many of the newest shoes"
        )
        parser.add_argument(
            "--rounds", type=int, default=rng_monitoring.MAX_ROUNDS, help="test this many of the newest rounds"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        history, results = rng_monitoring.run_rng_tests(shoes=options["shoes"], rounds=options["rounds"])
        if options["plot"]:
            options["plot"].write_text(plots.draw_report(history.sample, results), encoding="utf-8")
        shoes, rounds = len(history.sample.shoes), len(history.sample.outcomes)
        if options["json"]:
            self.stdout.write(json.dumps(_document(shoes, rounds, results), indent=2))
        else:
            screen = cast("IO[str]", self.stdout)
            Console(file=screen, no_color=bool(options["no_color"]), highlight=False).print(_table(results))
            self.stdout.write(f"rng_report: {'ok' if passes(results) else 'FAILED'} shoes={shoes} rounds={rounds}")
        if not passes(results):
            raise CommandError("The outcomes are out of band.")


def _document(shoes: int, rounds: int, results: tuple[AdjustedTestResult, ...]) -> dict[str, Any]:
    return {
        "shoes": shoes,
        "rounds": rounds,
        "tests": [
            {
                "name": test.result.name,
                "measured": test.result.statistic,
                "p": test.result.p_value,
                "adjusted": test.adjusted_p_value,
                "passed": test.passed,
            }
            for test in results
        ],
        "verdict": "ok" if passes(results) else "FAILED",
    }


def _table(results: tuple[AdjustedTestResult, ...]) -> Table:
    table = Table("test", "measured", "p", "adjusted", "verdict")
    for test in results:
        performed = test.result.p_value is not None
        table.add_row(
            test.result.name,
            test.result.statistic,
            f"{test.result.p_value:.4f}" if performed else "",
            f"{test.adjusted_p_value:.4f}" if performed else "",
            ("ok" if test.passed else "FAILED") if performed else "not made",
        )
    return table
