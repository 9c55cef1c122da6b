"""What exists before the fuzzing, and that no request brings about: run by `manage.py shell` on the fuzzed system."""

import json
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from casino.compliance import cases
from casino.compliance.models import CaseKind
from tests.baccarat.api.people import sandbox_tenant, tenant
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation import services
from wallet.reconciliation.comparison import TheirPayment, compare
from wallet.reconciliation.sources import ReconciliationDay

COUNT: Final = 50
PERSONS: Final = ("agent-17", "agent-3")
"""Who requests, and who decides."""


def prepare() -> None:
    """Create a sandbox operator with open cases and discrepancies, and a live one; print their ids and keys."""
    sandbox, live = sandbox_tenant("fuzz"), tenant("live")
    for person in PERSONS:
        live.person(person)
    for number in range(COUNT):
        details = {"report": "revenue", "day": "2026-11-20"}
        cases.open_case(
            operator=UUID(sandbox.id), kind=CaseKind.WAGER_RECONCILIATION, subject=f"table:{number}", details=details
        )
    until = datetime.now(UTC)
    day = ReconciliationDay(UUID(sandbox.id), "sandbox", until.date(), until - timedelta(days=1), until)
    theirs = [
        TheirPayment(PaymentKind.DEPOSIT, f"payment-{number}", "tx", ProviderStatus.COMPLETED, 900, "EUR")
        for number in range(COUNT)
    ]
    services._record(day, "EUR", compare([], theirs))
    print(json.dumps({"sandbox": [sandbox.id, sandbox.credential], "live": [live.id, live.credential]}))
