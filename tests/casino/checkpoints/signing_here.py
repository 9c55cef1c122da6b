"""Logs of some length for tests of checkpoints."""

from casino.events import sealer
from tests.casino.events.writing import write


def log_of(count, *, stream="round-1", expected=0):
    """Write and seal that many events."""
    write(stream, expected=expected, count=count)
    sealer.seal_all()
