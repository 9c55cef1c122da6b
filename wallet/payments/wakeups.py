"""Wake the payment processor, with one message for all concurrent requests.

A lost message delays a payment by one poll interval.
"""

import logging
from typing import Final

from celery import current_app
from celery.exceptions import OperationalError
from django.db import connection, transaction

from casino.events import wakeups

logger = logging.getLogger(__name__)

TASK: Final = "wallet.process_payments"
TOPIC: Final = "payments"


def on_commit() -> None:
    """Send one wake-up when the transaction commits."""
    if all(waiting[1] is not _wake for waiting in connection.run_on_commit):
        transaction.on_commit(_wake, robust=True)


def _wake() -> None:
    if not wakeups.claim_wakeup(TOPIC):
        return
    try:
        current_app.send_task(TASK, expires=5, retry=False, ignore_result=True)
    except (OperationalError, OSError) as trouble:
        logger.warning("No wake-up could be sent; the poll will find the payment: %s", trouble)
