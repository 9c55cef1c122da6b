"""Forge exported rounds: change them, recompute their digests, and sign them with another key."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import NoteKey, NoteSignature, SignatureType, SignedNote, TreeHead
from casino.events.hash_chain import digest
from casino.kernel import merkle
from casino.kernel.canonical_json import canonical

GOLDEN = Path(__file__).parent / "golden"
COSIGNER_PRIVATE: Final = b"\x43" * 32
COSIGNER: Final = NoteKey("witness.test/w1", SignatureType.COSIGNATURE, ed25519.public_key(COSIGNER_PRIVATE))
"""The witness that has cosigned the golden files."""
FORGER = Ed25519PrivateKey.from_private_bytes(b"forger".ljust(32, b"\0"))
ORIGIN: Final = "casino.localhost/log"
LOG: Final = FORGER.public_key().public_bytes_raw().hex()

Document = dict[str, Any]
Change = Callable[[Document], Document | bytes | None]


@dataclass(frozen=True, slots=True)
class Forgery:
    """A golden file that was tampered with, and the check that must fail."""

    name: str
    base: str
    fails: str
    change: Change

    def raw(self) -> bytes:
        """Return the bytes of the tampered file."""
        document = golden(self.base)
        changed = self.change(document)
        return changed if isinstance(changed, bytes) else encode(document if changed is None else changed)


FORGERIES: Final[list[Forgery]] = []
OTHER: Final = "ab" * 32


def forged(base: str, fails: str) -> Callable[[Change], Change]:
    """Register a way to tamper with the golden file `base`, by which the check `fails` must fail."""

    def listed(change: Change) -> Change:
        FORGERIES.append(Forgery(change.__name__, base, fails, change))
        return change

    return listed


def golden(name: str) -> Document:
    """Load a golden file to change."""
    document: Document = json.loads((GOLDEN / f"{name}.json").read_bytes())
    return document


def witness_keys(document: Document) -> list[str]:
    """Return the keys by which the witnesses of an exported round sign releases and cosign checkpoints."""
    headers = {each["data"]["header"] for each in document["events"] if each["type"] == "WitnessChainOpened"}
    cosigners = [COSIGNER.vkey] if is_cosigned(document) else []
    return [*sorted({header[-88:-24] for header in headers}), *cosigners]


def is_cosigned(document: Document) -> bool:
    return COSIGNER.name in (document["checkpoint"] or "")


def encode(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def event(document: Document, kind: str) -> Document:
    """Return the last event of a type."""
    return [each for each in document["events"] if each["type"] == kind][-1]


def event_data(document: Document, kind: str) -> Document:
    """Return the data of the last event of a type."""
    data: Document = event(document, kind)["data"]
    return data


def rewrite_rules(document: Document, **changes: object) -> None:
    """Change rules in the file and in the log, and name them by their new digest there."""
    recorded = event_data(document, "TableOpened")["rules"]
    for rules in (document["rules"], recorded["values"]):
        rules.update(changes)
    name_rules(document, sha256(canonical(recorded["values"])).hexdigest())


def name_rules(document: Document, digest: str) -> None:
    """Name the rules by this digest wherever the log and the summary do."""
    event_data(document, "TableOpened")["rules"]["digest"] = digest
    event_data(document, "RoundOpened")["rules"] = document["round"]["rules"] = digest


def reseal(document: Document) -> None:
    """Recompute every digest and the links between neighbours, as a forger who knows the format would."""
    before: Document | None = None
    for each in sorted(document["events"], key=lambda event: int(event["position"])):
        if before is not None and before["position"] + 1 == each["position"]:
            each["previous"] = before["digest"]
        before = each
        if each["data"] is None:
            continue
        moment = datetime.strptime(each["recorded_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        each["digest"] = digest(
            position=each["position"],
            event=each["id"],
            transaction=each["transaction"],
            stream=each["stream"],
            version=each["version"],
            type=each["type"],
            schema=each["schema"],
            data=canonical(each["data"]),
            metadata=canonical(each["metadata"]),
            recorded_at=moment,
            previous=bytes.fromhex(each["previous"]),
        ).hex()


def leaves_of_log(document: Document) -> list[bytes]:
    """Return the leaves of a log that has these events, and between them something."""
    size = max(each["position"] for each in document["events"])
    leaves = [merkle.leaf_hash(bytes(32))] * size
    for each in document["events"]:
        leaves[each["position"] - 1] = merkle.leaf_hash(bytes.fromhex(each["digest"]))
    return leaves


def cosign(document: Document, *, origin: str = ORIGIN) -> None:
    """Have the witness cosign a signed document's checkpoint; one of another origin is signed anew, too."""
    text, signatures = read_note(document)
    head = replace(TreeHead.parse(text), origin=origin)
    if origin != ORIGIN:
        signatures = (signed_note.sign(str(head), name=origin, private=FORGER.private_bytes_raw()),)
    line = signed_note.cosign(str(head), name=COSIGNER.name, private=COSIGNER_PRIVATE, time=1_800_000_000)
    document["checkpoint"] = str(SignedNote(str(head), (signatures[0], line)))


def read_note(document: Document) -> tuple[str, tuple[NoteSignature, ...]]:
    """Return the text and the lines of signatures of a document's checkpoint."""
    note = SignedNote.parse(document["checkpoint"])
    return note.text, note.signatures


def resign(document: Document) -> None:
    """Put the events in a tree of the forger's own and sign it under the id of the casino's key."""
    leaves = leaves_of_log(document)
    document["inclusion_proofs"] = [
        {
            "position": each["position"],
            "path": [step.hex() for step in merkle.path(leaves, each["position"] - 1)],
        }
        for each in sorted(document["events"], key=lambda event: int(event["position"]))
    ]
    head = TreeHead(ORIGIN, len(leaves), merkle.root(leaves))
    own = signed_note.sign(str(head), name=ORIGIN, private=FORGER.private_bytes_raw())
    document["checkpoint"] = str(SignedNote(str(head), (own,)))
    for key in document["keys"]:
        key["public_key"] = LOG
