"""Short ways to write events in these tests."""

from casino.events.records import Append, Metadata, NewEvent
from casino.events.store import append

METADATA = Metadata(operator="op", actor="player:7", causation="cmd:1", correlation="corr:1", request="req:1")


def draft(number: int = 1) -> NewEvent:
    return NewEvent("ChipPlaced", 1, b'{"number":%d,"spot":"banker"}' % number)


def write(stream: str, *, expected: int = 0, count: int = 1) -> tuple[int, ...]:
    """Append `count` events to one stream and return their ids."""
    drafts = tuple(draft(expected + number) for number in range(1, count + 1))
    return append([Append(stream, expected, drafts, METADATA)])[0]
