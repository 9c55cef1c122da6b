"""What each process does about itself when it starts, and every 24 hours, beside its work."""

import logging
import threading
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from casino.compliance import attestation, clocks

logger = logging.getLogger(__name__)

EVERY: Final = 24 * 3600.0
AGAIN: Final = 60.0
"""Seconds until another attempt where the database did not answer."""
THOROUGH: Final = "sealer"
"""Who reads every file of every dependency each day: there is one at work, and a start is not held up by it."""


def begin(process: str) -> None:
    """Measure this process from now on, in a thread that ends with it; nothing where settings say so."""
    if settings.INTEGRITY_AT_START:
        threading.Thread(target=_watch, args=[process], name="integrity", daemon=True).start()


def _watch(process: str) -> None:
    done, thorough = threading.Event(), False
    while not done.wait(EVERY if look(process, thorough=thorough) else AGAIN):
        thorough = process == THOROUGH


def look(process: str, *, thorough: bool = False) -> bool:
    """Measure once, and tell whether that could be kept."""
    try:
        attestation.record(process, thorough=thorough)
        clocks.read(process)
    except (DatabaseError, InterfaceError, OSError) as trouble:
        logger.warning("Integrity could not be measured, it is tried again: %s", trouble)
        return False
    finally:
        connection.close()
    return True
