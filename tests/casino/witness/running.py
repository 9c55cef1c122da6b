"""A witness in a process of its own, a house's keys, and checkpoints of its log."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from uuid import UUID

import httpx

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.devstack.system import free_port
from casino.kernel import merkle
from casino.witness import command
from casino.witness.addresses import WitnessAddress, parse_addresses
from casino.witness.client import Released, ReleaseItem, SignedHeader, Unreleased, WitnessClient
from casino.witness.cosigning import CheckpointSubmission
from casino.witness.statements import ClosingKind, ClosingRequest
from tests.processes import forked

ORIGIN = "casino.test/log"
TABLE = UUID("0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10")
LOG_PRIVATE, CLOSING_PRIVATE = b"\x41" * 32, b"\x42" * 32
LOG_KEY = NoteKey(ORIGIN, SignatureType.NOTE, ed25519.public_key(LOG_PRIVATE))
CLOSING_KEY = ed25519.public_key(CLOSING_PRIVATE)
HTTP = httpx.Client(limits=httpx.Limits(max_keepalive_connections=0))
HOUSES = f"# one house\n{LOG_KEY.vkey} {CLOSING_KEY.hex()}\n"


@dataclass
class Log:
    """A log of events that only grows, and its checkpoints."""

    leaves: list[bytes] = field(default_factory=list)
    cosigned: int = 0

    def grow(self, count: int = 1) -> None:
        self.leaves += [merkle.leaf_hash(f"event {len(self.leaves) + each}".encode()) for each in range(count)]

    def submission(self, *, old: int | None = None, private: bytes = LOG_PRIVATE, origin: str = ORIGIN) -> str:
        """Return the body of a request to cosign the present head."""
        since = self.cosigned if old is None else old
        head = TreeHead(origin, len(self.leaves), merkle.root(self.leaves))
        note = SignedNote(str(head), (signed_note.sign(str(head), name=origin, private=private),))
        proof = merkle.consistency(self.leaves, since) if since <= len(self.leaves) else []
        return CheckpointSubmission(since, tuple(proof), note, head).serialize()


class WaitingClient(WitnessClient):
    """A client that waits for the answers."""

    def release(self, items: Sequence[ReleaseItem]) -> list[Released | Unreleased]:
        """Ask all witnesses, and return a result for each item, in order."""
        results = {}
        for sent in self.send(items):
            results.update(zip(sent.places, sent.results.result(), strict=True))
        return [results[place] for place in range(len(items))]


@dataclass
class RunningWitness:
    """A started process, and clients of it."""

    folder: Path
    port: int
    process: ForkServerProcess
    log: Log = field(default_factory=Log)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> WitnessAddress:
        identity = HTTP.get(self.url).json()
        return parse_addresses(f"{self.url} {identity['cosigner']} {identity['release_key']}")[0]

    @contextlib.contextmanager
    def client(self, keys: Sequence[bytes] = (CLOSING_PRIVATE,)) -> Generator[WaitingClient]:
        client = WaitingClient([self.address], keys)
        try:
            yield client
        finally:
            client.close()

    def pin(self, count: int = 1) -> httpx.Response:
        """Have a new checkpoint cosigned."""
        self.log.grow(count)
        response = HTTP.post(f"{self.url}/add-checkpoint", content=self.log.submission())
        if response.status_code == 200:
            self.log.cosigned = len(self.log.leaves)
        return response

    def kill(self) -> None:
        """Kill all its processes at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # if it has no group yet
        self.process.join()


def start(
    folder: Path, *arguments: str, port: int | None = None, program: Callable[[list[str]], None] = command.main
) -> RunningWitness:
    """Start a witness with an empty environment, and wait until it answers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "houses").write_text(HOUSES, encoding="utf-8")
    port = port or free_port(0)
    options = ["--data", str(folder), "--port", str(port), "--name", "witness.test/w1", *arguments]
    log = folder.with_name(f"{folder.name}.log")
    process = forked(program, *options, log=log)
    witness = RunningWitness(folder, port, process)
    deadline = time.monotonic() + 60
    while True:
        try:
            HTTP.get(witness.url)
        except httpx.TransportError:
            if not process.is_alive() or time.monotonic() > deadline:
                witness.kill()
                raise AssertionError(log.read_text()) from None
            time.sleep(0.05)
        else:
            return witness


@contextlib.contextmanager
def running(
    folder: Path, *arguments: str, log: Log | None = None, program: Callable[[list[str]], None] = command.main
) -> Generator[RunningWitness]:
    """Run a witness until the block ends."""
    witness = start(folder, *arguments, program=program)
    witness.log = log or witness.log
    try:
        yield witness
    finally:
        witness.kill()


def item(
    chain: SignedHeader, index: int, digest: bytes = b"\x51" * 32, kind: ClosingKind = ClosingKind.PLAYED
) -> ReleaseItem:
    return ReleaseItem(chain, ClosingRequest(chain.header.chain, index, kind, digest))


def active_chain(
    witness: RunningWitness, client: WitnessClient, *, number: int = 1, table: UUID = TABLE, height: int = 8
):
    """Make and activate a chain, with a checkpoint that pins it."""
    chain = client.create_chain(witness.address, origin=ORIGIN, table=table, number=number, height=height)
    client.activate_chain(chain.signed.header)
    if not witness.log.leaves:
        assert witness.pin().status_code == 200
    return chain.signed
