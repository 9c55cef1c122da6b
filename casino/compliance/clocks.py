"""Clock readings: the offset of this process's clock from PostgreSQL's, the only one that decides anything.

Workers read their clocks every five minutes, so a gap between readings is a time without workers or database.
"""

import logging
import math
import socket
import time
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.compliance.models import ClockReading
from casino.events.sql import fetch
from casino.significant import recorder

logger = logging.getLogger(__name__)

SAMPLES: Final = 3
"""Readings, of which the one with the shortest round trip counts."""


def offset_ms() -> int:
    """Return by how many milliseconds PostgreSQL's clock is ahead, measured at the middle of a round trip."""
    return round(_measure()[0] * 1000)


def check_clock() -> str:
    """Return `ok` if this process's clock is surely no further from PostgreSQL's than CLOCK_TOLERANCE_MS."""
    offset, uncertainty = _measure()
    if (abs(offset) - uncertainty) * 1000 <= settings.CLOCK_TOLERANCE_MS:
        return "ok"
    return f"the clock of {socket.gethostname()} is {offset:.1f} s from PostgreSQL's"


def _measure() -> tuple[float, float]:
    """Return the offset of the quickest reading, and by how much it may be wrong, in seconds."""
    best: tuple[float, float] = 0.0, math.inf
    for _ in range(SAMPLES):
        before = time.time()
        (seconds,) = fetch("SELECT extract(epoch FROM clock_timestamp())::float8")[0]
        after = time.time()
        if (after - before) / 2 < best[1]:
            best = seconds - (before + after) / 2, (after - before) / 2
    return best


def record_reading(process: str) -> ClockReading:
    """Store a reading; record CLOCK_CHANGED when it leaves settings.CLOCK_TOLERANCE_MS, and an outage before it."""
    offset, host, tolerance = offset_ms(), socket.gethostname(), settings.CLOCK_TOLERANCE_MS
    with transaction.atomic():
        last_of_any_host = ClockReading.objects.order_by("-id").first()
        last = ClockReading.objects.filter(host=host).order_by("-id").first()
        reading = ClockReading.objects.create(
            process=process, host=host, offset_ms=offset, out_of_tolerance=abs(offset) > tolerance
        )
        if reading.out_of_tolerance and (
            last is None or not last.out_of_tolerance or abs(offset - last.offset_ms) > tolerance
        ):
            logger.critical("ALERT the clock of %s is %s ms from the database's", host, offset)
            recorder.record(
                kind=recorder.SignificantEventKind.CLOCK_CHANGED,
                operator=None,
                subject=f"clock:{host}",
                actor="system",
                reason=f"{offset} ms from the database's clock, {tolerance} allowed",
                before=None if last is None else {"offset_ms": last.offset_ms},
                after={"offset_ms": offset, "process": process},
            )
        reading.refresh_from_db(fields=["at"])
        _record_outage(last_of_any_host, reading)
    return reading


def _record_outage(last: ClockReading | None, now: ClockReading) -> None:
    """Record SERVICE_UNAVAILABLE if the last reading is older than settings.OUTAGE_SECONDS (GLI-19 2.8.8)."""
    if last is None or now.at - last.at <= timedelta(seconds=settings.OUTAGE_SECONDS):
        return
    minutes = round((now.at - last.at).total_seconds() / 60)
    recorder.record(
        kind=recorder.SignificantEventKind.SERVICE_UNAVAILABLE,
        operator=None,
        subject="service",
        actor="system",
        reason=f"No worker reported for {minutes} minutes",
        before={"last_heard_of": last.at.isoformat(), "process": last.process},
        after={"heard_of_again": now.at.isoformat(), "process": now.process},
        dedup_key=f"unavailable:{last.pk}",
    )
