"""`manage.py reconcile`: compare a day's payments with the providers' records."""

import sys
from argparse import ArgumentParser
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from casino.reports.intervals import day_of
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.payments import methods
from wallet.payments.providers import ProviderUnavailable
from wallet.reconciliation.services import ReconciliationResult, reconcile
from wallet.remote.statements import PROVIDER


class Command(BaseCommand):
    help = "Compare a day with the providers' records of it; exit 1 if anything differs or a provider gives no answer."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--date", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the day; default: yesterday")
        parser.add_argument("--operator", metavar="SLUG", help="one operator; default: all")

    def handle(self, *_args: Any, operator: str | None, **options: Any) -> None:
        operators = Operator.objects.order_by("slug")
        if operator is not None:
            operators = operators.filter(slug=operator)
            if not operators:
                raise CommandError(f"There is no operator {operator!r}.")
        matched = [self._reconcile(each, options["date"]) for each in operators]
        if not all(matched):
            sys.exit(1)

    def _reconcile(self, operator: Operator, day: date | None) -> bool:
        day = day or day_of(timezone.now(), operator.time_zone) - timedelta(days=1)
        matched = True
        providers = {method.offer.provider for method in methods.list_methods(operator=operator.id)}
        if funding.current(operator.id) is Funding.SEAMLESS:
            providers.add(PROVIDER)
        for provider in sorted(providers):
            try:
                results = reconcile(operator=operator.id, provider=provider, day=day)
            except (Refusal, ProviderUnavailable) as error:
                self.stderr.write(f"reconcile: operator={operator.slug} provider={provider} day={day}: {error}")
                matched = False
                continue
            for result in results:
                self._print(operator, provider, day, result)
                matched = matched and not result.outcome.discrepancies
        return matched

    def _print(self, operator: Operator, provider: str, day: date, result: ReconciliationResult) -> None:
        outcome = result.outcome
        amount = money.format_amount(outcome.amount, result.currency)
        self.stdout.write(
            f"reconcile: operator={operator.slug} provider={provider} day={day} currency={result.currency} "
            f"ours={outcome.ours} theirs={outcome.theirs} matched={outcome.matched} amount={amount} "
            f"discrepancies={len(outcome.discrepancies)}"
        )
        for each in outcome.discrepancies:
            side = each.ours or each.theirs
            if side is not None:
                self.stdout.write(f"  {each.type}: {side.kind} {side.payment}")
