"""`manage.py verify FILE`: check an exported round step by step, using only the file."""

import json
import sys
from pathlib import Path
from typing import IO, Any, Final, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.proofs import checks
from baccarat.proofs.checks import InvalidKey, parse_keys
from baccarat.proofs.results import CheckVerdict, OverallVerdict, Verification

VERDICT_TEXT: Final = {
    CheckVerdict.OK: "ok",
    CheckVerdict.NOT_CHECKABLE: "not checkable yet",
    CheckVerdict.NOT_APPLICABLE: "does not apply",
    CheckVerdict.FAILED: "FAILED",
}
SUMMARY_TEXT: Final = {
    OverallVerdict.VERIFIED: "verify: ok, everything was recomputed and agrees",
    OverallVerdict.PARTLY: "verify: ok as far as this file allows; some checks are not possible yet, see above",
    OverallVerdict.UNVERIFIED: "verify: NOT VERIFIED, no checkpoint under a trusted key covers all of it; see above",
    OverallVerdict.FAILED: "verify: FAILED",
}
EXIT_STATUS: Final = {OverallVerdict.FAILED: 1, OverallVerdict.UNVERIFIED: 3}


class Command(BaseCommand):
    help = (
        "Check an exported round: digests, log, signature, shoe, cards, rules and money; "
        "exit 1 if anything is wrong, 3 if nothing is but no trusted key has signed everything."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="an exported round, casino.round.v1")
        parser.add_argument("--key", help="the trusted public key of checkpoints: 64 hex digits, or a file with it")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *_args: Any, file: Path, key: str | None, **options: Any) -> None:
        try:
            raw = file.read_bytes()
            trusted = parse_keys(key) if key else ()
        except (OSError, InvalidKey) as error:
            raise CommandError(str(error)) from error
        result = checks.verify(raw, keys=trusted)
        if options["json"]:
            self.stdout.write(json.dumps(result.document(), indent=2))
        else:
            screen = cast("IO[str]", self.stdout)
            _print(result, Console(file=screen, no_color=bool(options["no_color"]), highlight=False, markup=False))
        if status := EXIT_STATUS.get(result.verdict):
            sys.exit(status)


def _print(result: Verification, console: Console) -> None:
    table = Table("check", "verdict", "why", title=f"Round {result.round}", title_justify="left")
    table.columns[2].overflow = "fold"
    for check in result.checks:
        table.add_row(check.name, VERDICT_TEXT[check.verdict], check.text)
        if check.verdict is CheckVerdict.FAILED:
            table.add_row("", "expected", check.expected)
            table.add_row("", "found", check.actual)
    console.print(table)
    if (as_of := result.as_of) is not None:
        console.print(f"As of checkpoint {as_of.number} of {as_of.made_at}; a later void would not show here.")
    console.print(SUMMARY_TEXT[result.verdict])
