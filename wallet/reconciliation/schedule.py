"""Find and compare the days that are due; days missed while no worker ran are still due later."""

import logging
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from casino.events.sql import execute, fetch
from casino.kernel.errors import Refusal
from wallet.payments.providers import ProviderUnavailable
from wallet.reconciliation.services import reconcile

logger = logging.getLogger(__name__)

# Days of the last week that ended an hour ago: those never compared, and once a day those with open discrepancies.
# Operators' own wallets of other profiles than `standard` list nothing.
_DUE: Final = """
    SELECT method.operator_id, method.provider, days.day
      FROM (SELECT operator_id, provider, min(created_at) AS since
              FROM wallet_deposit_method GROUP BY operator_id, provider
            UNION ALL SELECT operator_id, 'wallet', since FROM wallet_funding
             WHERE funding = 'seamless' AND wallet_profile = 'standard') method
      JOIN operators_operator operator ON operator.id = method.operator_id
     CROSS JOIN LATERAL (
           SELECT ((clock_timestamp() - interval '1 hour') AT TIME ZONE operator.time_zone)::date - back AS day
             FROM generate_series(1, 7) AS back) days
      LEFT JOIN wallet_reconciliation_try tried
        ON (tried.operator_id, tried.provider, tried.day) = (method.operator_id, method.provider, days.day)
     WHERE days.day >= (method.since AT TIME ZONE operator.time_zone)::date
       AND method.provider = ANY (%s::text[])
       AND (tried.day IS NULL
            OR (tried.last_error <> '' AND tried.tried_at < clock_timestamp() - interval '30 minutes')
            OR (tried.tried_at < clock_timestamp() - interval '1 day' AND EXISTS (
                SELECT FROM wallet_discrepancy open
                 WHERE (open.operator_id, open.provider, open.day) = (method.operator_id, method.provider, days.day)
                   AND open.status IN ('open', 'assigned'))))
     ORDER BY days.day, method.operator_id, method.provider LIMIT %s
"""
_TRIED: Final = """
    INSERT INTO wallet_reconciliation_try (operator_id, provider, day, last_error) VALUES (%s, %s, %s, %s)
    ON CONFLICT (operator_id, provider, day)
    DO UPDATE SET tried_at = clock_timestamp(), last_error = EXCLUDED.last_error,
        tries = wallet_reconciliation_try.tries + 1
"""


@dataclass(frozen=True, slots=True)
class DueDay:
    """A day of an operator with a provider."""

    operator: UUID
    provider: str
    day: date


def list_due_days(*, providers: list[str], limit: int) -> list[DueDay]:
    """List the days that are due, oldest first."""
    return [DueDay(*row) for row in fetch(_DUE, [providers, limit])]


def reconcile_due(*, providers: list[str], limit: int = 20) -> int:
    """Compare the days that are due, each by itself, and return how many succeeded."""
    return sum(attempt_reconciliation(each) == "" for each in list_due_days(providers=providers, limit=limit))


def attempt_reconciliation(due: DueDay) -> str:
    """Compare a day and record the attempt; returns the error, or an empty string."""
    message = ""
    try:
        reconcile(operator=due.operator, provider=due.provider, day=due.day)
    except ProviderUnavailable as error:
        message = f"no answer: {error}"[:200]
    except Refusal as refusal:
        message = refusal.code
    except Exception as error:
        # One provider's malformed records do not block the others; the day is retried in half an hour.
        logger.exception("%s of %s with %s could not be compared.", due.day, due.operator, due.provider)
        message = f"failed here: {type(error).__name__}"
    execute(_TRIED, [due.operator, due.provider, due.day, message])
    return message
