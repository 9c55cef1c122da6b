"""What each process does about itself when it starts, and every 24 hours, beside its work."""

import logging
import threading
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from casino.compliance import attestation, clocks

logger = logging.getLogger(__name__)

CHECK_INTERVAL: Final = 24 * 3600.0
RETRY_DELAY: Final = 60.0
"""Seconds until another attempt where the database did not answer."""
THOROUGH_PROCESS: Final = "sealer"
"""Who reads every file of every dependency each day: there is one at work, and a start is not held up by it."""


def start_monitoring(process: str) -> None:
    """Measure this process from now on, in a thread that ends with it; nothing where settings say so."""
    if settings.INTEGRITY_AT_START:
        threading.Thread(target=_watch, args=[process], name="integrity", daemon=True).start()


def _watch(process: str) -> None:
    done, thorough = threading.Event(), False
    while not done.wait(CHECK_INTERVAL if check_once(process, thorough=thorough) else RETRY_DELAY):
        thorough = process == THOROUGH_PROCESS


def check_once(process: str, *, thorough: bool = False) -> bool:
    """Measure once, and tell whether that could be kept."""
    try:
        attestation.record(process, thorough=thorough)
        clocks.record_reading(process)
    except (DatabaseError, InterfaceError, OSError) as trouble:
        logger.warning("Integrity could not be measured, it is tried again: %s", trouble)
        return False
    finally:
        connection.close()
    return True
