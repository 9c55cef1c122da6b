"""Damage files, as disks, networks and people who wish a reader ill do: rounds, and packs that hold them."""

import io
import json
import zipfile
from hashlib import sha256
from random import Random
from typing import Any, Final

from tests.baccarat.proofs.forging import FORGER, GOLDEN, LOG

AMBIGUOUS: Final = (
    '{"a":1,"a":1}', "1.0", "1e3", "9007199254740992", "01", '"\\ud800"', '"\\u0000"', '"\t"', "{} {}", "[1,]", "",
    "\ufeff{}", "nul", '"', "-", "[" * 200,
)  # fmt: skip
"""JSON that two programs may read differently, or none."""
VALUES: Final = (None, True, 0, -1, 2**53 - 1, 2**70, 0.5, "", "\ud800", "\0", "\x1b[2K", [], {}, [[]], {"": None})
WAYS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
FLAGS: Final = {b"PK\x03\x04": 6, b"PK\x01\x02": 8}
"""Where the flags are after the mark of each of a ZIP's headers; two bytes later is how the file is compressed."""


def packed(base: str, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a pack of a golden file, signed by the forger."""
    raw = (GOLDEN / f"{base}.json").read_bytes()
    digest, round_ = sha256(raw).hexdigest(), json.loads(raw)["round"]["id"]
    listed = {"round": round_, "made_at": "now", "files": [{"name": "round.json", "sha256": digest}]}
    manifest = json.dumps(listed).encode()
    signature = {"key": LOG, "signature": FORGER.sign(b"casino.pack.v1\n" + manifest).hex()}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", how) as pack:
        pack.writestr("round.json", raw)
        pack.writestr("SHA256SUMS", f"{digest}  round.json\n")
        pack.writestr("manifest.json", manifest)
        pack.writestr("manifest.sig", json.dumps(signature))
    return archive.getvalue()


def with_flags(pack: bytes, flags: int, *, how: int | None = None) -> bytes:
    """Return a pack with these flags in each header, and perhaps another way of compression."""
    changed = bytearray(pack)
    for mark, after in FLAGS.items():
        place = -1
        while (place := pack.find(mark, place + 1)) >= 0:
            changed[place + after] |= flags
            if how is not None:
                changed[place + after + 2] = how
    return bytes(changed)


def damaged(raw: bytes, random: Random) -> bytes:
    """Return bytes with some changed, left out, doubled or cut off; of a pack often in its headers."""
    changed = bytearray(raw)
    for _ in range(random.choice((1, 1, 2, 8))):
        place, length = random.randrange(len(changed) + 1), random.choice((1, 1, 2, 4, 1000))
        header = raw.find(random.choice(tuple(FLAGS)), place)
        if header >= 0 and random.random() < 0.7:
            place = header + random.randrange(46)
        match random.randrange(7):
            case 0:
                del changed[place : place + length]
            case 1:
                changed[place:place] = changed[place : place + length]
            case 2:
                del changed[place:]
            case _:
                changed[place : place + length] = random.randbytes(length)
    return bytes(changed)


def replaced(document: Any, random: Random) -> Any:
    """Return a document with a value of any kind in the place of one of its own, however deep."""
    inside = list(document) if isinstance(document, dict) else []
    if isinstance(document, list):
        inside = list(range(len(document)))
    if not inside or random.random() < 0.1:
        return random.choice(VALUES)
    name, changed = random.choice(inside), document.copy()
    changed[name] = replaced(document[name], random)
    return changed


def any_file(seed: str) -> bytes:
    """Return the file of a seed: a pack or a round that was damaged, or JSON of another shape."""
    random = Random(seed)
    base = random.choice(("mini", "cosigned/settled", "witnesses/shoe-running", "voided-as-its-player-sees-it"))
    if random.random() < 0.5:
        pack = packed(base, random.choice(WAYS))
        if random.random() < 0.2:
            pack = with_flags(pack, 1 << random.randrange(8), how=random.choice((None, 0, 1, 8, 9, 12, 14, 99)))
        return damaged(pack, random)
    raw = (GOLDEN / f"{base}.json").read_bytes()
    if random.random() < 0.3:
        return damaged(raw, random)
    document = json.loads(raw)
    for _ in range(random.choice((1, 1, 3))):
        document = replaced(document, random)
    return json.dumps(document, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
