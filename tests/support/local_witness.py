"""A witness in this process, with keys, chain secrets and clock of a test's own: the same run gives the same links."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.fairness.links import SignedRelease
from casino.crypto import ed25519
from casino.witness import service
from casino.witness.cosigning import Cosigner
from casino.witness.houses import read_houses
from casino.witness.service import SignedRequest, Witness
from casino.witness.statements import ChainCreation, ChainHeader, ClosingRequest, Release
from casino.witness.store import Store
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE, HOUSES, ORIGIN, Log

BATCH = 256
START_MS = 1_790_000_000_000


@dataclass
class LocalWitness:
    """The witness's own service over its own store, as its process runs it behind HTTP."""

    witness: Witness
    cosigner: Cosigner
    now: list[int]
    log: Log = field(default_factory=Log)

    @property
    def release_private(self) -> bytes:
        return self.witness.store.identity.release_private

    def wait(self, milliseconds: int) -> None:
        self.now[0] += milliseconds

    def pin(self) -> None:
        """Cosign a new checkpoint."""
        self.log.grow()
        self.cosigner.add_checkpoint(self.log.submission())
        self.log.cosigned = len(self.log.leaves)

    def chain(self, table: UUID, *, height: int = 12, number: int = 1, origin: str = ORIGIN) -> ChainHeader:
        """Make and activate a chain of a table, and pin the log."""
        key = self.witness.store.identity.release_key
        creation = ChainCreation(key, origin, table, number, height, CLOSING_KEY, 60)
        made = self.witness.create(creation, ed25519.sign(CLOSING_PRIVATE, creation.serialize()))
        header = ChainHeader.parse(bytes.fromhex(made["header"]))
        self.witness.activate(header.chain, ed25519.sign(CLOSING_PRIVATE, header.serialize()))
        self.pin()
        return header

    def release(self, requests: Sequence[ClosingRequest], *, private: bytes = CLOSING_PRIVATE) -> list[dict[str, Any]]:
        """Ask for links in batches, with a checkpoint before each."""
        results: list[dict[str, Any]] = []
        for start in range(0, len(requests), BATCH):
            self.pin()
            items = [SignedRequest(each, ed25519.sign(private, each.serialize())) for each in requests[start:][:BATCH]]
            results += self.witness.release(items, None)
        return results

    def lines(self) -> Iterable[dict[str, Any]]:
        """Return what the witness shows to everybody, as `--compare` reads it."""
        records, origin = self.witness.records, ORIGIN
        generation, after, known = self.witness.store.epoch().generation, 0, set[str]()
        while rows := records.statements(origin, generation, after):
            for row in rows:
                chain = service.statements.parse_statement(bytes.fromhex(row["statement"])).chain
                if chain.hex() not in known:
                    known.add(chain.hex())
                    yield records.chain(chain)
                yield row
            after = rows[-1]["number"]
        yield from self.cosigner.checkpoints(origin, 0)


def open_witness(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, name: str = "witness.test/w1", houses: str = HOUSES
) -> LocalWitness:
    """Open a witness whose secrets follow from its name alone."""
    folder.mkdir(parents=True)
    chance = random.Random(name)
    for key in ("release", "cosign"):
        (folder / f"{key}.key").write_text(chance.randbytes(32).hex())
    (folder / "houses").write_text(houses)
    monkeypatch.setattr(service, "secrets", SimpleNamespace(token_bytes=chance.randbytes))
    now = [START_MS]
    store = Store(folder, name=name, clock=lambda: now[0])
    served = read_houses(folder / "houses")
    return LocalWitness(Witness(store, served), Cosigner(store, served), now)


def released(result: dict[str, Any]) -> SignedRelease:
    """Return what a house stores of an answer."""
    release = Release.parse(bytes.fromhex(result["statement"]))
    return SignedRelease(
        chain=release.chain.hex(),
        link=release.link.hex(),
        time_ms=release.time_ms,
        number=release.number,
        previous=release.previous.hex(),
        signature=result["signature"],
        path="".join(result["path"]),
    )
