"""How much is measured: enough for steady figures, or just enough to see that it runs."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from casino.stack.bench.databases import Server


@dataclass(frozen=True, slots=True)
class Size:
    """Repetitions of each side, and the amounts of one repetition."""

    repeats: int
    writers: int
    appends: int
    tables: int
    clients: int
    replayed_rounds: int
    hands: int
    turning: int
    turn: int
    turns_seconds: float
    streams: int
    marks: int


FULL = Size(
    repeats=5,
    writers=8,  # more than cores, as the threads of web and the dealers are
    appends=4000,
    tables=400,
    clients=4,
    replayed_rounds=4000,
    hands=200_000,
    turning=1000,
    turn=15,
    turns_seconds=45.0,
    streams=2000,
    marks=10,
)
TINY = Size(
    repeats=1,
    writers=1,
    appends=20,
    tables=8,
    clients=1,
    replayed_rounds=8,
    hands=500,
    turning=4,
    turn=1,
    turns_seconds=2.0,
    streams=4,
    marks=2,
)
SIZES = {"full": FULL, "tiny": TINY}


@dataclass(frozen=True, slots=True)
class Plan:
    """What every measurement is given: the size, the server and a folder for logs."""

    size: Size
    server: Server
    folder: Path

    @property
    def log(self) -> Path:
        """The file that errors of processes go to."""
        return self.folder / "bench.log"


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """This will make a folder that vanishes after the measurements."""
    return tempfile.TemporaryDirectory(prefix="casino-bench-")
