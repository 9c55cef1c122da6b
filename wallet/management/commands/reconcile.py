"""`manage.py reconcile`: a day's payments beside the providers' records of it."""

import sys
from argparse import ArgumentParser
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from wallet.payments import methods
from wallet.payments.provider import ProviderUnavailable
from wallet.reconciliation import days
from wallet.reconciliation.services import ReconciliationResult, reconcile


class Command(BaseCommand):
    help = "Compare a day with the providers' records of it; exit 1 if anything differs or a provider gives no answer."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be chosen."""
        parser.add_argument("--date", type=_day, metavar="YYYY-MM-DD", help="the day; yesterday when left out")
        parser.add_argument("--operator", metavar="SLUG", help="one operator; all when left out")

    def handle(self, *_args: Any, operator: str | None, **options: Any) -> None:
        """Compare, and print a line for each currency."""
        chosen = Operator.objects.order_by("slug")
        if operator is not None:
            chosen = chosen.filter(slug=operator)
            if not chosen:
                raise CommandError(f"There is no operator {operator!r}.")
        fine = [self._one(each, options["date"]) for each in chosen]
        if not all(fine):
            sys.exit(1)

    def _one(self, operator: Operator, day: date | None) -> bool:
        day = day or days.day_of(timezone.now(), operator.time_zone) - timedelta(days=1)
        fine = True
        for provider in sorted({method.offer.provider for method in methods.list_methods(operator=operator.id)}):
            try:
                compared = reconcile(operator=operator.id, provider=provider, day=day)
            except (Refusal, ProviderUnavailable) as trouble:
                self.stderr.write(f"reconcile: operator={operator.slug} provider={provider} day={day}: {trouble}")
                fine = False
                continue
            for one in compared:
                self._print(operator, provider, day, one)
                fine = fine and not one.outcome.discrepancies
        return fine

    def _print(self, operator: Operator, provider: str, day: date, one: ReconciliationResult) -> None:
        found = one.outcome
        agreed = money.format_amount(found.amount, one.currency)
        self.stdout.write(
            f"reconcile: operator={operator.slug} provider={provider} day={day} currency={one.currency} "
            f"ours={found.ours} theirs={found.theirs} matched={found.matched} amount={agreed} "
            f"differences={len(found.discrepancies)}"
        )
        for each in found.discrepancies:
            side = each.ours or each.theirs
            if side is not None:
                self.stdout.write(f"  {each.type}: {side.kind} {side.payment}")


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    day.replace(year=day.year + 1, day=1)  # a day can follow it, or a ValueError says that it is none
    return day
