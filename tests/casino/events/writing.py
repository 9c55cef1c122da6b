"""Helpers that write events."""

from casino.events.records import Append, Metadata, NewEvent
from casino.events.store import append

METADATA = Metadata(operator="op", actor="player:7", causation="cmd:1", correlation="corr:1", request="req:1")


def new_event(number: int = 1) -> NewEvent:
    return NewEvent("ChipPlaced", 1, b'{"number":%d,"spot":"banker"}' % number)


def write(stream: str, *, expected: int = 0, count: int = 1) -> tuple[int, ...]:
    """Append `count` events to one stream and return their ids."""
    events = tuple(new_event(expected + number) for number in range(1, count + 1))
    return append([Append(stream, expected, events, METADATA)])[0]
