"""When nothing was heard of the service for long: told once it is back (GLI-19 2.8.8, significant unavailability)."""

from datetime import timedelta

from django.conf import settings

from casino.compliance.integrity_models import ClockReading
from casino.significant import recorder


def record_outage(last: ClockReading | None, now: ClockReading) -> None:
    """Record SERVICE_UNAVAILABLE where the reading before this one is older than UNAVAILABLE_SECONDS.

    Workers read their clocks every five minutes, so that a gap is a time without workers, beat or database.
    """
    if last is None or now.at - last.at <= timedelta(seconds=settings.UNAVAILABLE_SECONDS):
        return
    minutes = round((now.at - last.at).total_seconds() / 60)
    recorder.record(
        kind=recorder.SignificantEventKind.SERVICE_UNAVAILABLE,
        operator=None,
        subject="service",
        actor="system",
        reason=f"Nothing was heard of the service's workers for {minutes} minutes",
        before={"last_heard_of": last.at.isoformat(), "process": last.process},
        after={"heard_of_again": now.at.isoformat(), "process": now.process},
        dedup_key=f"unavailable:{last.pk}",
    )
