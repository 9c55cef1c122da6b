"""`manage.py verify FILE`: check an exported round step by step, using only the file."""

import json
import sys
from pathlib import Path
from typing import IO, Any, Final, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.proofs import checks, verifier
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
    OverallVerdict.UNCOSIGNED: "verify: NOT COSIGNED, a log with another round would verify as well; see above",
    OverallVerdict.FORCED: "verify: FORCED, everything agrees, but a sandbox operator chose the cards, as a test",
    OverallVerdict.UNVERIFIED: "verify: NOT VERIFIED, a signature or a witness that it needs is missing; see above",
    OverallVerdict.FAILED: "verify: FAILED",
}


class Command(BaseCommand):
    help = (
        "Check an exported round: digests, log, signature, shoe, cards, rules and money; "
        "exit 1 if anything is wrong, 3 if nothing is but no trusted key has signed everything, or what you require is "
        "missing, 4 if the cards were chosen, as a test, 5 if no trusted witness has cosigned the log."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="an exported round, casino.round.v1")
        key_help = "64 hex digits, NAME+ID+KEY, or a file with it; may be repeated"
        trusted = f"a trusted public key, of checkpoints: {key_help}"
        required = f"a public key of a witness whose link the cards have to follow from: {key_help}"
        parser.add_argument("--key", dest="keys", action="append", default=[], help=trusted)
        parser.add_argument("--witness-key", dest="witness_keys", action="append", default=[], help=required)
        parser.add_argument("--require-signed", action="store_true", help="verify no round with an unsigned wager")
        receipt_help = "a receipt of a wager or a contribution, or a payout, to compare the round with; may be repeated"
        parser.add_argument("--receipt", dest="receipts", action="append", default=[], type=Path, help=receipt_help)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *_args: Any, file: Path, receipts: list[Path], **options: Any) -> None:
        try:
            raw, told = file.read_bytes(), [receipt.read_bytes() for receipt in receipts]
            keys, witness_keys = (
                [key for given in options[name] for key in parse_keys(given)] for name in ("keys", "witness_keys")
            )
        except (OSError, InvalidKey) as error:
            raise CommandError(str(error)) from error
        policy = {"witness_keys": witness_keys, "require_signed": options["require_signed"]}
        result = checks.verify(raw, keys=keys, receipts=told, **policy)
        if options["json"]:
            self.stdout.write(json.dumps(result.document(), indent=2))
        else:
            screen = cast("IO[str]", self.stdout)
            _print(result, Console(file=screen, no_color=bool(options["no_color"]), highlight=False, markup=False))
        if status := verifier.STATUS.get(result.verdict):
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
    if result.as_of is not None:
        console.print(str(result.as_of))
    if result.could_choose:
        console.print(verifier.CHOOSERS[result.could_choose])
    for caveat in result.caveats:
        console.print(f"Note: {caveat.text}.")
    console.print(SUMMARY_TEXT[result.verdict])
