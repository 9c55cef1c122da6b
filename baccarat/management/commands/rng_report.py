"""`manage.py rng_report [--json] [--plot FILE]`: test whether the shoes dealt so far agree with a fair generator."""

import json
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.domain.rng_tests.suite import AdjustedTestResult, passes
from baccarat.queries import rng_sample
from baccarat.services import rng_monitoring


class Command(BaseCommand):
    help = "Test revealed shoes and dealt outcomes for chance, together at 99 %; exit 1 and record it if they fail."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--plot", metavar="FILE", help="write a picture: PNG, SVG or PDF by its name")
        parser.add_argument("--shoes", type=int, default=rng_sample.MAX_SHOES, help="the newest so many shoes")
        parser.add_argument("--rounds", type=int, default=rng_sample.MAX_ROUNDS, help="the newest so many rounds")

    def handle(self, *_args: Any, **options: Any) -> None:
        history, judged = rng_monitoring.run_rng_tests(shoes=options["shoes"], rounds=options["rounds"])
        if options["plot"]:
            from baccarat.management import plots

            plots.draw_report(history.sample, judged, options["plot"])
        shoes, rounds = len(history.sample.shoes), len(history.sample.outcomes)
        if options["json"]:
            self.stdout.write(json.dumps(_document(shoes, rounds, judged), indent=2))
        else:
            screen = cast("IO[str]", self.stdout)
            Console(file=screen, no_color=bool(options["no_color"]), highlight=False).print(_table(judged))
            self.stdout.write(f"rng_report: {'ok' if passes(judged) else 'FAILED'} shoes={shoes} rounds={rounds}")
        if not passes(judged):
            raise CommandError("The outcomes are out of band.")


def _document(shoes: int, rounds: int, judged: tuple[AdjustedTestResult, ...]) -> dict[str, Any]:
    return {
        "shoes": shoes,
        "rounds": rounds,
        "tests": [
            {
                "name": each.result.name,
                "measured": each.result.statistic,
                "p": each.result.p_value,
                "adjusted": each.adjusted_p_value,
                "passed": each.passed,
            }
            for each in judged
        ],
        "verdict": "ok" if passes(judged) else "FAILED",
    }


def _table(judged: tuple[AdjustedTestResult, ...]) -> Table:
    table = Table("test", "measured", "p", "adjusted", "verdict")
    for each in judged:
        made = each.result.p_value is not None
        table.add_row(
            each.result.name,
            each.result.statistic,
            f"{each.result.p_value:.4f}" if made else "",
            f"{each.adjusted_p_value:.4f}" if made else "",
            ("ok" if each.passed else "FAILED") if made else "not made",
        )
    return table
