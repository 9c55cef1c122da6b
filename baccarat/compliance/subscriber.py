"""Subscriber that reads the sealed log in batches and records significant events, one transaction per batch."""

from collections.abc import Sequence
from typing import Final

from baccarat.compliance import enrichment, large_transactions, mapping
from casino.events import subscriptions
from casino.events.records import SealedEvent
from casino.significant import recorder

SUBSCRIBER: Final = "significant"
BATCH: Final = 1000
MAX_BATCHES: Final = 20
"""Maximum batches per call; the next call continues."""


def record_new_events() -> int:
    """Record the significant events sealed since the last call. Returns the number of events read.

    The checkpoint moves in the same transaction, so each event is processed exactly once.
    """
    read = 0
    for _ in range(MAX_BATCHES):
        count = subscriptions.run_once(SUBSCRIBER, record_batch, limit=BATCH)
        read += count
        if count < BATCH:
            break
    return read


def record_batch(batch: Sequence[SealedEvent]) -> None:
    """Record the significant events of a batch."""
    events = [one for sealed in batch for one in enrichment.enrich(sealed, list(mapping.map_event(sealed)))]
    recorder.record_many([*events, *large_transactions.find_large_transactions(batch)])
