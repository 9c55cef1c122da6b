"""The measurements by name, in the order in which they run."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.bench import append, bet, replay, rules, settle, stream, turns
from tests.bench.measure import Measured
from tests.bench.plan import Plan

MEASUREMENTS: Final[Mapping[str, Callable[[Plan], list[Measured]]]] = {
    "append": append.measure,
    "settle": settle.measure,
    "bet": bet.measure,
    "replay": replay.measure,
    "rules": rules.measure,
    "stream": stream.measure,
    "turns": turns.measure,
}
