"""A writer process of ours: each append one transaction on a new stream."""

import uuid

import django
import msgspec

from tests.nightly.bench.worker import serve

django.setup()

from casino.events.store import Append, Metadata, NewEvent, append  # noqa: E402  (needs Django's settings)

METADATA = Metadata(operator=str(uuid.uuid4()), actor="bench", causation="", correlation=str(uuid.uuid4()))
PAYLOAD = msgspec.json.encode({"cards": ["KS", "7H", "2C", "9D"], "note": "x" * 96})


def run(*, transactions: int, batch: int) -> int:
    """Append `batch` events in each of so many transactions, and return how many events that were."""
    events = tuple(NewEvent("Dealt", 1, PAYLOAD) for _ in range(batch))
    for _ in range(transactions):
        append([Append(stream=f"bench-{uuid.uuid4()}", expected_version=0, events=events, metadata=METADATA)])
    return transactions * batch


if __name__ == "__main__":
    serve({"append": run})
