"""`manage.py verify FILE`: check an exported round or a dispute pack by verifier.py, which players get."""

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.proofs import verifier


class Command(BaseCommand):
    help = (
        "Check an exported round or a dispute pack: digests, log, signature, shoe, cards, rules and money; exit 1 if "
        "anything is wrong, 2 if it can't be read, 3 if nothing is wrong but no trusted key has signed everything, or "
        "what you require is missing, 4 if the cards were chosen, as a test, 5 if no trusted witness has cosigned the "
        "log."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        verifier.add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            status, text = verifier.answer(argparse.Namespace(**options), sys.stdout.encoding or "utf-8")
        except (OSError, ValueError) as error:
            raise CommandError(str(error), returncode=verifier.UNREADABLE) from error
        self.stdout.write(text, ending="")
        if status:
            sys.exit(status)
