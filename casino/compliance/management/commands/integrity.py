"""`manage.py integrity [--thorough] [--approve --by NAME --reason TEXT]`: what runs here against what was approved."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.compliance import attestation, clocks
from casino.compliance.attestation import DIFFERS
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Measure code, dependencies, settings and rules in force, and hold them against what was approved."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--approve", action="store_true", help="approve what runs here from now on")
        parser.add_argument("--thorough", action="store_true", help="read every file of every dependency, too")
        parser.add_argument("--by", default="", metavar="NAME", help="the login of the member of staff who approves")
        parser.add_argument("--reason", default="", metavar="TEXT", help="which release this is, and why it may run")

    def handle(self, *_args: Any, approve: bool, by: str, reason: str, thorough: bool, **_options: Any) -> None:
        found = _approve(by, reason) if approve else attestation.record("command", thorough=thorough)
        for part in found.components.values():
            self.stdout.write(f"{part.name:<14}{len(part.items):>6} items  {part.digest}")
        self.stdout.write(f"{'clock':<14}{clocks.offset_ms():>6} ms behind the database's")
        for finding in found.findings:
            self.stdout.write(f"  {finding}")
        self.stdout.write(f"integrity: {found.verdict} findings={len(found.findings)}")
        if found.verdict == DIFFERS:
            raise SystemExit(1)


def _approve(by: str, reason: str) -> attestation.Attestation:
    staff = User.objects.filter(username=by, is_staff=True, is_active=True).first()
    if staff is None:
        raise CommandError(f"No member of staff logs in as {by!r}.")
    try:
        return attestation.approve(by=f"staff:{staff.pk}", reason=reason)
    except Refusal as refusal:
        raise CommandError(refusal.message()) from None
