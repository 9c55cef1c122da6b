"""The reader: takes the sealed log a batch at a time and records what is significant, a batch in one transaction."""

from collections.abc import Sequence
from typing import Final

from baccarat.compliance import enrichment, large_transactions, mapping
from casino.events import subscriptions
from casino.events.records import SealedEvent
from casino.significant import recorder

SUBSCRIBER: Final = "significant"
BATCH: Final = 1000
MAX_BATCHES: Final = 20
"""Batches of one call: the next call goes on."""


def record_new_events() -> int:
    """Record what is significant in the events sealed since the last call, and return how many it read.

    Its checkpoint moves in the transaction of what is recorded: nothing is missed, and nothing events twice.
    """
    read = 0
    for _ in range(MAX_BATCHES):
        count = subscriptions.run_once(SUBSCRIBER, record_batch, limit=BATCH)
        read += count
        if count < BATCH:
            break
    return read


def record_batch(batch: Sequence[SealedEvent]) -> None:
    """Record what is significant in these events."""
    events = [one for sealed in batch for one in enrichment.enrich(sealed, list(mapping.map_event(sealed)))]
    recorder.record_many([*events, *large_transactions.find_large_transactions(batch)])
