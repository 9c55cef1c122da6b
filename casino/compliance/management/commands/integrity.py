"""`manage.py integrity`: compare the running release with the approved one, or approve it.

With a live operator it requests the approval, which two persons confirm in the admin.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.compliance import attestation, clocks
from casino.compliance.attestation import DIFFERS
from casino.kernel.errors import Refusal
from casino.operators import memberships, notices


class Command(BaseCommand):
    help = "Measure code, dependencies, settings and rules in force, and compare them with the approved release."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--approve", action="store_true", help="approve the running release")
        parser.add_argument("--thorough", action="store_true", help="also read every file of every dependency")
        parser.add_argument("--reason", default="", metavar="TEXT", help="which release this is, and why it may run")

    def handle(self, *_args: Any, approve: bool, reason: str, thorough: bool, **_options: Any) -> None:
        if approve:
            self._approve(reason)
        result = attestation.measure() if approve else attestation.record("command", thorough=thorough)
        for part in result.components.values():
            self.stdout.write(f"{part.name:<14}{len(part.items):>6} items  {part.digest}")
        self.stdout.write(f"{'clock':<14}{clocks.offset_ms():>6} ms behind the database's")
        for finding in result.findings:
            self.stdout.write(f"  {finding}")
        self.stdout.write(f"integrity: {result.verdict} findings={len(result.findings)}")
        if result.verdict == DIFFERS:
            raise SystemExit(1)

    def _approve(self, reason: str) -> None:
        try:
            change = attestation.approve(by=memberships.shell_actor(), reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        if change is not None:
            self.stdout.write(f"integrity: {notices.format_request(change)}")
