"""A witness of a measurement's tables: a process of its own on this machine, over loopback, with one fsync a batch."""

import contextlib
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import free_port, is_responding
from casino.devstack.witness import HOST, LocalWitness, prepare_witness
from casino.witness.compare import read_source
from tests.nightly.bench.databases import Database

ORIGIN: Final = "bench.casino.localhost/log"


@dataclass(frozen=True, slots=True)
class Witness:
    """What a witness knows, in a folder, and how it is started."""

    folder: Path
    keys: Mapping[str, str]
    local: LocalWitness
    log: Path

    def environment(self, database: Database) -> dict[str, str]:
        """Return the variables of a process of ours whose tables get chains of this witness."""
        files = {f"{name}_FILE" for name in self.keys}
        inherited = {name: value for name, value in database.environment.items() if name not in files}
        return {
            **inherited,
            **self.keys,
            "WITNESSES": self.local.setting,
            "LOG_ORIGIN": ORIGIN,
            "TABLE_WITNESSES": "1",
        }

    @contextlib.contextmanager
    def running(self) -> Generator["Witness"]:
        """Run it until the block ends. Raises DevstackError."""
        child = Child(name="witness", command=self.local.command, environment={}, log=self.log, folder=PROJECT)
        try:
            child.start()
            child.wait_until(lambda: is_responding(port=self.local.port, path="/"))
            yield self
        finally:
            child.stop()

    @contextlib.contextmanager
    def copy(self) -> Generator["Witness"]:
        """Run a copy of one that does not run, as a database is copied: it knows all that this one had said."""
        with tempfile.TemporaryDirectory(prefix="casino-witness-") as place:
            folder = Path(place) / self.folder.name
            shutil.copytree(self.folder, folder)
            shutil.copy(_generation(self.folder), _generation(folder))
            local = prepare_witness(folder, port=self.local.port, origin=ORIGIN, environment=self.keys)
            with Witness(folder, self.keys, local, self.log).running() as copied:
                yield copied

    def warm_up(self) -> None:
        """Have it compute the trees of its chains' links, as one that runs has done: a round in 256 needs a new one."""
        read_source(f"http://{HOST}:{self.local.port}", origin=ORIGIN)

    def stored_bytes(self) -> int:
        """Return how much it stores."""
        with contextlib.closing(sqlite3.connect(self.folder / "witness.sqlite3")) as database:
            query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return int(database.execute(query).fetchone()[0])


@contextlib.contextmanager
def prepared(log: Path) -> Generator[Witness]:
    """Make the keys and the folder of a witness, gone at the end. Raises DevstackError."""
    with tempfile.TemporaryDirectory(prefix="casino-witness-") as place:
        keys = {name: f"bench:{secrets.token_hex(32)}" for name in ("CHECKPOINT_KEYS", "CLOSING_KEYS")}
        folder = Path(place) / "witness"
        local = prepare_witness(folder, port=free_port(0), origin=ORIGIN, environment=keys)
        yield Witness(folder, keys, local, log)


def _generation(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.generation")
