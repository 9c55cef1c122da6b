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
from casino.operators.key_models import SigningKey
from casino.operators.signing_keys import parse_public
from wallet.conformance import report
from wallet.conformance.cases import CASES
from wallet.conformance.kit import ConformanceCase, run_cases
from wallet.conformance.probe import CaseFailed, Probe
from wallet.funding.events import WalletProfile
from wallet.remote.client import NotAnswered


class Command(BaseCommand):
    help = "Try an operator's own wallet by all cases of the conformance kit; exit 1 unless all of them pass."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", help="where the wallet is asked, without /v1")
        parser.add_argument(
            "--key", metavar="JWK", help="the public Ed25519 key that signs its answers as standard, or a file of it"
        )
        profiles = [profile.value for profile in WalletProfile]
        parser.add_argument("--profile", choices=profiles, default="standard", help="how it is asked")
        parser.add_argument("--player", required=True, type=UUID, help="a player of its, who does not play meanwhile")
        parser.add_argument("--currency", default="EUR", help="of the player's balance; default: EUR")
        parser.add_argument("--only", metavar="WORD", help="the cases with this in their name or group alone")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the signed report with all bytes")

    def handle(self, *_args: Any, url: str, **options: Any) -> None:
        profile, currency = WalletProfile(options["profile"]), options["currency"]
        all_cases = [case for case in CASES if profile in case.profiles]
        cases = _chosen(all_cases, options["only"])
        try:
            money.exponent(currency)
            signer = _key(options["key"]) if profile is WalletProfile.STANDARD else None
            with Probe(url.rstrip("/"), signer, options["player"], currency, profile) as probe:
                run = run_cases(probe, cases, lambda result: self.stdout.write(report.line_of(result)))
        except (Refusal, OSError) as error:
            raise CommandError(f"{error}") from None
        except CaseFailed as error:
            raise CommandError(f"The wallet cannot be tried: {error}") from None
        except NotAnswered as error:  # not for want of an answer, but of what signs the question
            raise CommandError(f"{error}") from None
        self.stdout.write(f"\n{report.summary_of(run)}")
        if options["junit"]:
            options["junit"].write_bytes(report.to_junit(run))
        if options["json"]:
            options["json"].write_bytes(report.to_json(run, complete=len(cases) == len(all_cases)))
        if run.failed:
            sys.exit(1)


def _key(text: str | None) -> SigningKey:
    if not text:
        raise CommandError("The profile standard needs --key.")
    return parse_public(text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8"))


def _chosen(cases: Sequence[ConformanceCase], word: str | None) -> Sequence[ConformanceCase]:
    chosen = [case for case in cases if word is None or word in case.name or word == case.group]
    if not chosen:
        raise CommandError(f"No case has {word!r} in its name.")
    return chosen
