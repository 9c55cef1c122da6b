"""How far this process's clock is from PostgreSQL's, the only one that decides anything."""

import logging
import socket
import time
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.compliance import outages
from casino.compliance.integrity_models import ClockReading
from casino.events.sql import fetch
from casino.significant import recorder

logger = logging.getLogger(__name__)

SAMPLES: Final = 3
"""Readings, of which the one with the shortest way there and back counts."""


def offset_ms() -> int:
    """Measure by how many milliseconds PostgreSQL's clock is ahead of ours, mid-way there and back."""
    best: tuple[float, float] | None = None
    for _ in range(SAMPLES):
        before = time.time()
        (seconds,) = fetch("SELECT extract(epoch FROM clock_timestamp())::float8")[0]
        after = time.time()
        if best is None or after - before < best[0]:
            best = after - before, seconds - (before + after) / 2
    return 0 if best is None else round(best[1] * 1000)


def record_reading(process: str) -> ClockReading:
    """Keep a reading; one beyond settings.CLOCK_TOLERANCE_MS that the last one was not is CLOCK_CHANGED.

    One that comes long after the last of any host is SERVICE_UNAVAILABLE.
    """
    found, host, most = offset_ms(), socket.gethostname(), settings.CLOCK_TOLERANCE_MS
    with transaction.atomic():
        heard = ClockReading.objects.order_by("-id").first()
        last = ClockReading.objects.filter(host=host).order_by("-id").first()
        kept = ClockReading.objects.create(
            process=process, host=host, offset_ms=found, out_of_tolerance=abs(found) > most
        )
        if kept.out_of_tolerance and (last is None or not last.out_of_tolerance or abs(found - last.offset_ms) > most):
            logger.critical("ALERT the clock of %s is %s ms from the database's", host, found)
            recorder.record(
                kind=recorder.SignificantEventKind.CLOCK_CHANGED,
                operator=None,
                subject=f"clock:{host}",
                actor="system",
                reason=f"{found} ms from the database's clock, {most} allowed",
                before=None if last is None else {"offset_ms": last.offset_ms},
                after={"offset_ms": found, "process": process},
            )
        kept.refresh_from_db(fields=["at"])
        outages.record_outage(heard, kept)
    return kept
