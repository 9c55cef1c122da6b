"""Cosigns checkpoints of the houses' logs as C2SP's tlog-witness says: each extends the one cosigned before."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from casino.crypto import signed_note
from casino.crypto.signed_note import MalformedNote, SignedNote, TreeHead, UntrustedNote
from casino.kernel import merkle
from casino.witness.houses import House, Refused
from casino.witness.store import ClockBehind, Store

MAX_PROOF_LINES: Final = 63
MAX_LIST: Final = 500
SIZE_TYPE: Final = "text/x.tlog.size"
_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})", re.ASCII)
_LATEST: Final = "SELECT size, root, note FROM checkpoint WHERE origin = ? ORDER BY number DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class CheckpointSubmission:
    """The body of a request: the size that the witness cosigned last, a consistency proof, and the checkpoint."""

    old: int
    proof: tuple[bytes, ...]
    note: SignedNote
    head: TreeHead

    def serialize(self) -> str:
        lines = [f"old {self.old}", *(b64encode(each).decode() for each in self.proof)]
        return "\n".join([*lines, "", str(self.note)])

    @classmethod
    def parse(cls, body: str) -> "CheckpointSubmission":
        """Parse a request's body. Raises MalformedNote."""
        lines, separator, note = body.partition("\n\n")
        first, *proof = lines.split("\n")
        old = _OLD.fullmatch(first)
        if not separator or old is None or len(proof) > MAX_PROOF_LINES:
            raise MalformedNote("The body is a line with the old size, up to 63 lines of a proof, and a checkpoint.")
        hashes = tuple(map(signed_note.decode_base64, proof))
        if any(len(each) != 32 for each in hashes):
            raise MalformedNote("A hash has 32 bytes.")
        signed = SignedNote.parse(note)
        return cls(int(old[1]), hashes, signed, TreeHead.parse(signed.text))


class Cosigner:
    """Cosigns for the houses, by origin."""

    def __init__(self, store: Store, houses: Mapping[str, House]) -> None:
        self._store = store
        self._houses = houses

    def add_checkpoint(self, body: str) -> str:
        """Check and store a checkpoint, and return the line of its cosignature. Raises Refused.

        A repeat is cosigned again, at a new time. A refused checkpoint that the log has signed and that contradicts an
        earlier one is kept with its proof.
        """
        try:
            submission = CheckpointSubmission.parse(body)
        except MalformedNote as error:
            raise Refused(400, "malformed", str(error)) from error
        head = submission.head
        house = self._houses.get(head.origin)
        if house is None:
            raise Refused(404, "unknown_origin", "This witness does not cosign for that origin.")
        try:
            verified = submission.note.verified_by(house.log_keys)
        except UntrustedNote as error:
            raise Refused(403, "untrusted_checkpoint", str(error)) from error
        if submission.old > head.size:
            raise Refused(400, "old_size_above_new", "The old size is above the checkpoint's.")
        note = SignedNote(submission.note.text, tuple(signature for _, signature in verified))
        with self._store.transaction() as database:
            row = database.execute(_LATEST, [head.origin]).fetchone()
            size, root = (0, merkle.EMPTY) if row is None else row[:2]
            refusal = self._refusal(submission, size, root)
            if refusal is None:
                now = self._now_ms(database)
                cosignature = self._cosign(note.text, now // 1000)
                cosigned = f"{note}{cosignature}"
                database.execute(
                    "INSERT INTO checkpoint (origin, size, root, note, cosigned_ms) VALUES (?, ?, ?, ?, ?)",
                    [head.origin, head.size, head.root, cosigned, now],
                )
                return cosignature
            if refusal.status == 422 or _contradicts(database, head):
                database.execute(
                    "INSERT INTO refused_checkpoint (origin, request, received_ms) VALUES (?, ?, ?) "
                    "ON CONFLICT DO NOTHING",
                    [head.origin, submission.serialize(), self._now_ms(database)],
                )
        raise refusal

    def latest(self, origin_hash: str) -> str:
        """Return the newest checkpoint of the origin with that SHA-256 in hex, cosigned. Raises Refused."""
        for origin in self._houses:
            if sha256(origin.encode()).hexdigest() == origin_hash:
                row = self._store.read().execute(_LATEST, [origin]).fetchone()
                if row is not None:
                    return str(row[2])
        raise Refused(404, "no_checkpoint", "This witness has cosigned no checkpoint of that origin.")

    def checkpoints(self, origin: str, after: int) -> list[dict[str, Any]]:
        """Return cosigned checkpoints after a number."""
        return self._list("SELECT number, note, cosigned_ms FROM checkpoint", origin, after)

    def refused_checkpoints(self, origin: str, after: int) -> list[dict[str, Any]]:
        """Return refused checkpoints, with their proofs, after a number."""
        return self._list("SELECT number, request, received_ms FROM refused_checkpoint", origin, after)

    def _list(self, statement: str, origin: str, after: int) -> list[dict[str, Any]]:
        condition = "WHERE origin = ? AND number > ? ORDER BY number LIMIT ?"
        rows = self._store.read().execute(f"{statement} {condition}", [origin, after, MAX_LIST])
        return [{"number": number, "note": note, "time_ms": time_ms} for number, note, time_ms in rows]

    def _cosign(self, text: str, time: int) -> str:
        identity = self._store.identity
        return str(signed_note.cosign(text, name=identity.name, private=identity.cosign_private, time=time))

    def _now_ms(self, database: Any) -> int:
        try:
            return self._store.now_ms(database)
        except ClockBehind as error:
            raise Refused(503, "clock_behind", str(error)) from error

    def _refusal(self, submission: CheckpointSubmission, size: int, root: bytes) -> Refused | None:
        head, old, proof = submission.head, submission.old, submission.proof
        if old != size:
            return Refused(409, "other_size", f"{size}\n")
        is_empty_root = head.size > 0 or head.root == merkle.EMPTY
        if not is_empty_root or not merkle.is_consistent(old, head.size, root, head.root, proof):
            return Refused(422, "inconsistent", "The checkpoint does not extend the one that was cosigned before.")
        return None


def _contradicts(database: Any, head: TreeHead) -> bool:
    """Return whether another root of that size was cosigned."""
    condition = "origin = ? AND size = ? AND root <> ?"
    row = database.execute(
        f"SELECT 1 FROM checkpoint WHERE {condition} LIMIT 1",  # noqa: S608
        [head.origin, head.size, head.root],
    ).fetchone()
    return row is not None
