"""Has checkpoints cosigned: a thread of each worker-background, one of which acts at a time, by a lease.

It looks every second, so that one is signed and cosigned at most once a second, and within a few seconds of an event.
One is committed before it is sent, and a cosignature when it has come: whoever dies in between leaves what the next one
continues. While nothing happens the newest one is cosigned again, because witnesses give out links only while a
checkpoint is recent.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from django.conf import settings

from casino.checkpoints import records, signing, tasks, tree
from casino.checkpoints.records import SignedCheckpoint
from casino.checkpoints.signing import CannotSign, HistoryDiffers
from casino.checkpoints.tree import IncompleteTree
from casino.crypto.signed_note import MalformedNote, SignedNote, TreeHead, UntrustedNote
from casino.jobs.leases import Lease
from casino.kernel.merkle import consistency_ranges
from casino.observability import loop
from casino.witness.addresses import WitnessAddress
from casino.witness.client import WitnessClient, configured_client
from casino.witness.cosigning import CheckpointSubmission
from casino.witness.transport import WitnessAnswer, WitnessAway

logger = logging.getLogger(__name__)

INTERVAL_SECONDS: Final = 1.0
REFRESH_SECONDS: Final = 15.0
"""How often the newest checkpoint is cosigned again while nothing happens; below the limit in headers of chains."""
LONGEST_PAUSE: Final = 8.0
LEASE: Final = "cosigning"


class WitnessObjects(CannotSign):
    """A witness has cosigned what this log does not continue: history was changed, or is an old copy."""


class Cosigning:
    """Sends checkpoints to the witnesses and stores what they answer."""

    def __init__(self, client: WitnessClient) -> None:
        self._client, self._lease = client, Lease(LEASE)
        self._sent: dict[str, float] = {}
        self._away: set[str] = set()
        self._size = 0

    def run_once(self) -> int:
        """Sign a checkpoint if there is something new, have it cosigned, and return the number of new cosignatures.

        The first is signed once a witness has seen the one before. Returns 0 while another process does it. Call it
        outside any transaction. Raises CannotSign, IncompleteTree.
        """
        if not self._lease.is_held():
            return 0
        known, added = records.latest(), 0
        if known is not None and not self._sent:
            added = self._cosign(known)  # a database that was restored from a backup is behind its witnesses
        if (0 if known is None else known.size) < self._size:
            raise HistoryDiffers(f"The newest checkpoint is older than one of size {self._size} that was signed here.")
        if known is None or self._sent:
            signing.sign_new()
        latest = records.latest()
        if latest is None:
            return added
        self._size = latest.size
        return added + self._cosign(latest)

    def _cosign(self, checkpoint: SignedCheckpoint) -> int:
        note = SignedNote.parse(checkpoint.note)
        head = TreeHead.parse(note.text)
        now, pending = time.monotonic(), list[tuple[WitnessAddress, int, Future[WitnessAnswer]]]()
        for address in self._client.addresses:
            old = min(records.cosigned_size(address.name), head.size)
            if old < head.size or now - self._sent.get(address.name, -REFRESH_SECONDS) >= REFRESH_SECONDS:
                pending.append((address, old, self._submit(address, old, note, head)))
        results = [self._finish(address, old, future, note, head) for address, old, future in pending]
        return sum(results)

    def _submit(self, address: WitnessAddress, old: int, note: SignedNote, head: TreeHead) -> Future[WitnessAnswer]:
        proof = tuple(tree.hashes(consistency_ranges(old, head.size)))
        return self._client.submit_checkpoint(address, CheckpointSubmission(old, proof, note, head))

    def _finish(
        self, address: WitnessAddress, old: int, future: Future[WitnessAnswer], note: SignedNote, head: TreeHead
    ) -> int:
        """Take an answer, ask again from the size that the witness says it has, and return 1 for a new cosignature."""
        try:
            answer = future.result()
            if answer.status == 409:
                answer = self._submit(address, _size(answer, address, head), note, head).result()
        except WitnessAway as error:
            self._log_once(address, str(error))
            return 0
        if answer.status == 422:
            raise WitnessObjects(f"{address.name} does not accept the log at size {head.size} as continued from {old}.")
        if answer.status != 200:
            self._log_once(address, f"{address.name} answered with status {answer.status}: {answer.members}")
            return 0
        line = _verified_line(answer, address, note)
        self._sent[address.name] = time.monotonic()
        self._away.discard(address.name)
        if old == head.size:
            return 0
        records.add_cosignature(head.size, address.name, line)
        return 1

    def _log_once(self, address: WitnessAddress, message: str) -> None:
        if address.name not in self._away:
            self._away.add(address.name)
            logger.error("ALERT checkpoints are not cosigned: %s", message)


def start(process: str) -> None:
    """Start the thread in worker-background, if there are witnesses and a key that signs."""
    if process == "worker-background" and settings.WITNESSES and settings.CHECKPOINT_KEYS != "none":
        loop.start(_cosigning(Cosigning(configured_client())), threading.Event(), work="cosigning")


def _cosigning(cosigning: Cosigning) -> Callable[[], float]:
    def step() -> float:
        try:
            cosigning.run_once()
        except (CannotSign, IncompleteTree, MalformedNote) as error:
            logger.exception("No checkpoint can be cosigned")
            tasks.record_failure(error)
            return LONGEST_PAUSE
        return INTERVAL_SECONDS

    return step


def _size(answer: WitnessAnswer, address: WitnessAddress, head: TreeHead) -> int:
    """Return the size that the witness cosigned last. Raises WitnessObjects if this log is shorter."""
    try:
        size = int(answer.body)
    except ValueError:
        raise WitnessAway(f"{address.name} did not say its size.") from None
    if not 0 <= size <= head.size:
        raise WitnessObjects(f"{address.name} has cosigned size {size}; this log has {head.size}.")
    return size


def _verified_line(answer: WitnessAnswer, address: WitnessAddress, note: SignedNote) -> str:
    """Return the witness's own line of its answer. Raises WitnessObjects if it has not cosigned."""
    try:
        lines = SignedNote.parse(f"{note.text}\n{answer.body.decode()}")
        ((_, signature),) = lines.verified_by([address.cosigner])
    except (MalformedNote, UntrustedNote, ValueError) as error:
        raise WitnessObjects(f"{address.name} answered with what is not its cosignature: {error}") from error
    return str(signature)
