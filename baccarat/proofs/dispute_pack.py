"""Build dispute packs and the signed links to them: everything about one round in a ZIP that anybody can check.

README.txt        what is in it, and how to check it, in plain words
round.json        the proof (`casino.round.v1`)
verifier.py       the stand-alone verifier
verification.txt  what it said of round.json when the pack was made
timeline.txt      the round, step by step
events.json wagers.json entries.json chat.json seen.json significant.json
SHA256SUMS        of all of these, for `sha256sum -c`
manifest.json     the same with sizes, the round, and when it was made
manifest.sig      Ed25519 over `casino.pack.v1`, a line feed and the manifest's bytes

The signing key is derived from SECRET_KEY for this purpose only. Checkpoints are signed with another key, which web
processes do not have.
"""

import io
import json
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core import signing
from django.template.loader import render_to_string
from django.utils import timezone

from baccarat.audit.round_replay import replay_round
from baccarat.proofs import house, pack_contents, verifier
from baccarat.proofs.export import export_round
from baccarat.proofs.loader import require_provable
from baccarat.proofs.refusals import UnknownPackUrl
from casino.api.jwks import PublishedKey
from casino.crypto.derived_keys import derive_keys
from casino.significant import recorder

FORMAT: Final = "casino.pack.v1"
LINK_SALT: Final = "casino.dispute-pack"
DEFAULT_HOURS: Final = 24
MAX_HOURS: Final = 168
"""The longest validity of a link."""
SIGNATURE_TAG: Final = b"casino.pack.v1\n"
"""Prefix of the manifest's bytes when they are signed."""
_PURPOSE: Final = b"casino.pack.v1 signing key"
_DAY_ONE: Final = (1980, 1, 1, 0, 0, 0)
"""Time of every file in the ZIP, so that equal contents give equal bytes."""


@dataclass(frozen=True, slots=True)
class PackFile:
    """The bytes of a ZIP, and its file name."""

    name: str
    content: bytes


def build_pack(*, round_: UUID, operator: UUID) -> PackFile:
    """Build the pack of an ended round, for its operator and for compliance.

    Raises UnknownRound, NothingToProve, RoundNotSealed.
    """
    proof = export_round(round_=round_, operator=operator, viewer=None)
    files = _build_files(round_, proof)
    manifest = _json(_build_manifest(proof, files))
    signature = {"key": public_keys()[0], "signature": sign_manifest(manifest).hex()}
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    listed = {**files, "SHA256SUMS": sums.encode(), "manifest.json": manifest, "manifest.sig": _json(signature)}
    return PackFile(f"round-{round_}.zip", _zip(listed))


def _build_files(round_: UUID, proof: dict[str, Any]) -> dict[str, bytes]:
    raw = _json(proof)
    events = proof["events"]
    of_round = [event for event in events if event["stream"] == f"round-{round_}"]
    since, until = (datetime.fromisoformat(of_round[place]["recorded_at"]) for place in (0, -1))
    contents = {
        "events.json": events,
        "wagers.json": pack_contents.wagers(round_),
        "entries.json": pack_contents.ledger_entries(event["id"] for event in events),
        "chat.json": pack_contents.chat_messages(table=UUID(proof["round"]["table"]), since=since, until=until),
        "seen.json": pack_contents.list_viewings(round_, of_round),
        "significant.json": pack_contents.significant_events(round_),
    }
    return {
        "README.txt": render_to_string("proofs/pack.txt", {"round": proof["round"]}).encode(),
        "round.json": raw,
        "verifier.py": Path(verifier.__file__).read_bytes(),
        "verification.txt": _verification(raw),
        "timeline.txt": pack_contents.timeline(replay_round(round_)).encode(),
        **{name: _json(value) for name, value in contents.items()},
    }


def _verification(raw: bytes) -> bytes:
    given = "verifier.py, which knows our keys and those of the witnesses that we use, says of round.json:"
    return "\n".join([given, "", *verifier.format_report(house.verify(raw)), ""]).encode()


def _build_manifest(proof: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "round": proof["round"]["id"],
        "table": proof["round"]["table"],
        "operator": proof["round"]["operator"],
        "made_at": proof["exported_at"],
        "files": [
            {"name": name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
            for name, content in files.items()
        ],
    }


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False, default=_plain).encode() + b"\n"


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _zip(files: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files.items():
            pack.writestr(zipfile.ZipInfo(name, _DAY_ONE), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def sign_manifest(manifest: bytes) -> bytes:
    return _keys()[0].sign(SIGNATURE_TAG + manifest)


def public_keys() -> list[str]:
    """List the public keys in hex: the one in use, those of SECRET_KEY_FALLBACKS, and PACK_PUBLIC_KEYS."""
    keys = [key.public_key().public_bytes_raw().hex() for key in _keys()]
    return list(dict.fromkeys([*keys, *settings.PACK_PUBLIC_KEYS]))


def published_keys() -> list[PublishedKey]:
    """Return the same keys as they are published; manifests name a key by its hex digits."""
    return [PublishedKey(bytes.fromhex(key), "dispute-pack", key) for key in public_keys()]


def _keys() -> list[Ed25519PrivateKey]:
    """Derive the private keys; a key's seed (RFC 8032) is derived for this purpose only."""
    return [Ed25519PrivateKey.from_private_bytes(seed) for seed in derive_keys(_PURPOSE)]


@dataclass(frozen=True, slots=True)
class PackUrl:
    """The last part of the link, and when it expires."""

    token: str
    expires_at: datetime


def sign_pack_url(*, round_: UUID, operator: UUID, by: str, hours: int = DEFAULT_HOURS) -> PackUrl:
    """Create a link to the pack of an ended round; `by` names its creator, as in events.

    Raises UnknownRound, NothingToProve.
    """
    require_provable(round_=round_, operator=operator)
    expires_at = timezone.now() + timedelta(hours=min(hours, MAX_HOURS))
    claim = {"round": str(round_), "operator": str(operator), "by": by, "until": int(expires_at.timestamp())}
    token = signing.dumps(claim, salt=LINK_SALT, compress=True)
    recorder.record(
        kind=recorder.SignificantEventKind.PACK_LINKED,
        operator=operator,
        subject=f"round:{round_}",
        actor=by,
        after={"expires_at": expires_at.isoformat()},
    )
    return PackUrl(token, expires_at)


def fetch_pack(*, token: str, address: str) -> PackFile:
    """Build the pack of a link, and record the download with its network address, once an hour.

    Raises UnknownPackUrl for a link that never existed, was changed or has expired; UnknownRound, RoundNotSealed.
    """
    try:
        claim = signing.loads(token, salt=LINK_SALT)
    except signing.BadSignature:
        raise UnknownPackUrl from None
    if claim["until"] < timezone.now().timestamp():
        raise UnknownPackUrl
    round_, operator = UUID(claim["round"]), UUID(claim["operator"])
    pack = build_pack(round_=round_, operator=operator)
    recorder.record(
        kind=recorder.SignificantEventKind.PACK_FETCHED,
        operator=operator,
        subject=f"round:{round_}",
        actor=claim["by"],
        address=address,
        reason="Downloaded through its link.",
        dedup_key=f"pack_fetched:{round_}:{claim['by']}:{address}:{timezone.now():%Y-%m-%dT%H}",
    )
    return pack
