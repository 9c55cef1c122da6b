"""`manage.py integrity`: compare the running release with the approved one, or approve it."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.compliance import attestation, clocks
from casino.compliance.attestation import DIFFERS
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Measure code, dependencies, settings and rules in force, and compare them with the approved release."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--approve", action="store_true", help="approve the running release")
        parser.add_argument("--thorough", action="store_true", help="also read every file of every dependency")
        parser.add_argument("--by", default="", metavar="NAME", help="the login of the staff member who approves")
        parser.add_argument("--reason", default="", metavar="TEXT", help="which release this is, and why it may run")

    def handle(self, *_args: Any, approve: bool, by: str, reason: str, thorough: bool, **_options: Any) -> None:
        result = _approve(by, reason) if approve else attestation.record("command", thorough=thorough)
        for part in result.components.values():
            self.stdout.write(f"{part.name:<14}{len(part.items):>6} items  {part.digest}")
        self.stdout.write(f"{'clock':<14}{clocks.offset_ms():>6} ms behind the database's")
        for finding in result.findings:
            self.stdout.write(f"  {finding}")
        self.stdout.write(f"integrity: {result.verdict} findings={len(result.findings)}")
        if result.verdict == DIFFERS:
            raise SystemExit(1)


def _approve(by: str, reason: str) -> attestation.Attestation:
    staff = User.objects.filter(username=by, is_staff=True, is_active=True).first()
    if staff is None:
        raise CommandError(f"No staff member has the login {by!r}.")
    try:
        return attestation.approve(by=f"staff:{staff.pk}", reason=reason)
    except Refusal as refusal:
        raise CommandError(refusal.message()) from None
