"""Wakes the dealers when a round is ready, with one pending message at a time. A lost one costs at most a second."""

import logging
from typing import Final

from celery import current_app
from celery.exceptions import OperationalError
from django.db import connection, transaction

from casino.events import wakeups

logger = logging.getLogger(__name__)

TASK: Final = "baccarat.deal_due"
TOPIC: Final = "due"


def wake_dealers_on_commit() -> None:
    """Send one wake-up to the dealers when the transaction commits."""
    if all(waiting[1] is not wake_dealers for waiting in connection.run_on_commit):
        transaction.on_commit(wake_dealers, robust=True)


def wake_dealers() -> None:
    """Send one wake-up to the dealers now, unless one is pending. An unavailable broker is not an error."""
    if not wakeups.claim_wakeup(TOPIC):
        return
    try:
        current_app.send_task(TASK, expires=5, retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.warning("No wake-up could be sent; the sweep will find the round: %s", error)
