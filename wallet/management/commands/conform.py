"""`manage.py conform`: try an operator's own wallet by named cases. It needs no database."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators.signing_keys import parse_public
from wallet.conformance import report
from wallet.conformance.cases import CASES
from wallet.conformance.kit import ConformanceCase, run_cases
from wallet.conformance.probe import CaseFailed, Probe


class Command(BaseCommand):
    help = "Try an operator's own wallet by all cases of the conformance kit; exit 1 unless all of them pass."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", help="where the wallet is asked, without /v1")
        parser.add_argument(
            "--key", required=True, metavar="JWK", help="the public Ed25519 key that signs its answers, or a file of it"
        )
        parser.add_argument("--player", required=True, type=UUID, help="a player of its, who does not play meanwhile")
        parser.add_argument("--currency", default="EUR", help="of the player's balance; default: EUR")
        parser.add_argument("--only", metavar="WORD", help="the cases with this in their name or group alone")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the signed report with all bytes")

    def handle(self, *_args: Any, url: str, key: str, **options: Any) -> None:
        cases, currency = _chosen(options["only"]), options["currency"]
        try:
            money.exponent(currency)
            signer = parse_public(Path(key).read_text(encoding="utf-8") if not key.lstrip().startswith("{") else key)
            with Probe(url.rstrip("/"), signer, options["player"], currency) as probe:
                run = run_cases(probe, cases, lambda result: self.stdout.write(report.line_of(result)))
        except (Refusal, OSError) as error:
            raise CommandError(f"{error}") from None
        except CaseFailed as error:
            raise CommandError(f"The wallet cannot be tried: {error}") from None
        self.stdout.write(f"\n{report.summary_of(run)}")
        if options["junit"]:
            options["junit"].write_bytes(report.to_junit(run))
        if options["json"]:
            options["json"].write_bytes(report.to_json(run, complete=len(cases) == len(CASES)))
        if run.failed:
            sys.exit(1)


def _chosen(word: str | None) -> Sequence[ConformanceCase]:
    chosen = [case for case in CASES if word is None or word in case.name or word == case.group]
    if not chosen:
        raise CommandError(f"No case has {word!r} in its name.")
    return chosen
