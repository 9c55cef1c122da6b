"""The reader: takes the sealed log a batch at a time and records what is significant, a batch in one transaction."""

from collections.abc import Sequence
from typing import Final

from baccarat.compliance import enrichment, large_transactions, mapping
from casino.events import subscriptions
from casino.events.records import Sealed
from casino.significant import recorder

SUBSCRIBER: Final = "significant"
BATCH: Final = 1000
MOST_BATCHES: Final = 20
"""Batches of one call: the next call goes on."""


def note_new() -> int:
    """Record what is significant in the events sealed since the last call, and return how many it read.

    Its checkpoint moves in the transaction of what is recorded: nothing is missed, and nothing told twice.
    """
    read = 0
    for _ in range(MOST_BATCHES):
        count = subscriptions.run_once(SUBSCRIBER, note, limit=BATCH)
        read += count
        if count < BATCH:
            break
    return read


def note(batch: Sequence[Sealed]) -> None:
    """Record what is significant in these events."""
    told = [one for sealed in batch for one in enrichment.completed(sealed, list(mapping.tell(sealed)))]
    recorder.record_many([*told, *large_transactions.found(batch)])
