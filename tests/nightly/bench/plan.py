"""How much is measured: enough for steady figures, or just enough to see that it runs."""

import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.nightly.bench.databases import Database, Server


@dataclass(frozen=True, slots=True)
class Size:
    """Repetitions of each side, and the amounts of one repetition."""

    repeats: int
    writers: int
    appends: int
    tables: int
    clients: int
    replayed_tables: int
    replayed_rounds: int
    mixed_lots: int
    mixed_rounds: int
    naps: int
    hands: int
    turning: int
    turn: int
    turns_seconds: float
    streams: int
    marks: int
    logins: int
    old_events: int
    grown_rounds: int
    stored_tables: int
    stored_rounds: int
    system_streams: int
    system_rates: tuple[float, ...]
    system_seconds: float
    window_seconds: float
    result_tables: int
    results: int
    desk_players: int
    desk_rounds: int
    desk_days: int
    remote_clients: int


FULL = Size(
    repeats=5,
    writers=8,  # more than cores, as the threads of web and the dealers are
    appends=4000,
    tables=400,
    clients=4,
    replayed_tables=20,  # 200 rounds each: less than an hour at a live one
    replayed_rounds=4000,
    mixed_lots=4,
    mixed_rounds=120,  # to the end of each long shoe, and into the next
    naps=1,
    hands=200_000,
    turning=1000,
    turn=15,
    turns_seconds=45.0,
    streams=2000,
    marks=10,
    logins=150,
    old_events=1_000_000,
    grown_rounds=200,
    stored_tables=100,
    stored_rounds=20_000,
    system_streams=200,
    system_rates=(40, 80, 120, 160, 200, 240, 280, 320, 360, 400, 450, 500, 600, 700, 800, 1000),
    system_seconds=8.0,
    window_seconds=60.0,
    result_tables=4,
    results=400,
    desk_players=1000,
    desk_rounds=200_000,
    desk_days=30,
    remote_clients=16,
)
TINY = Size(
    repeats=1,
    writers=1,
    appends=20,
    tables=8,
    clients=1,
    replayed_tables=8,
    replayed_rounds=8,
    mixed_lots=1,
    mixed_rounds=2,
    naps=0,
    hands=500,
    turning=4,
    turn=1,
    turns_seconds=2.0,
    streams=4,
    marks=2,
    logins=3,
    old_events=2000,
    grown_rounds=8,
    stored_tables=8,
    stored_rounds=16,
    system_streams=4,
    system_rates=(4, 8),
    system_seconds=1.0,
    window_seconds=4.0,
    result_tables=1,
    results=6,
    desk_players=3,
    desk_rounds=20,
    desk_days=2,
    remote_clients=2,
)
NIGHT = replace(
    FULL,
    repeats=3,
    appends=2000,
    tables=200,
    replayed_rounds=2000,
    mixed_rounds=60,
    turns_seconds=30.0,
    streams=1000,
    old_events=200_000,
    stored_rounds=4000,
    system_rates=FULL.system_rates[::2],
    system_seconds=5.0,
    window_seconds=30.0,
    results=200,
    desk_players=300,
    desk_rounds=20_000,
    desk_days=10,
)
"""Enough for ratios."""
SIZES = {"full": FULL, "night": NIGHT, "tiny": TINY}


@dataclass(frozen=True, slots=True)
class Plan:
    """What every measurement is given: the size, the server, a database of the newest schema and a folder for logs."""

    size: Size
    server: Server
    template: Database
    folder: Path

    @property
    def log(self) -> Path:
        """The file that errors of processes go to."""
        return self.folder / "bench.log"

    def migrated(self, word: str) -> AbstractContextManager[Database]:
        """Make a database with the newest schema and drop it at the end. Raises DevstackError."""
        return self.server.copy(self.template, word)


@contextmanager
def planned(server: Server, size: Size) -> Generator[Plan]:
    """Make what all measurements share, gone at the end. Raises DevstackError."""
    with (
        tempfile.TemporaryDirectory(prefix="casino-bench-", ignore_cleanup_errors=True) as folder,
        server.migrated("template") as template,
    ):
        yield Plan(size=size, server=server, template=template, folder=Path(folder))
