"""The dispute pack: everything about one round in one ZIP, which anybody can check without us.

README.txt        what is in it, and how to check it, in plain words
round.json        the proof (`casino.round.v1`)
verifier.py       the stand-alone verifier
verification.txt  what the house's own check of round.json said
timeline.txt      the round in words
events.json wagers.json entries.json chat.json seen.json significant.json
SHA256SUMS        of all of these, for `sha256sum -c`
manifest.json     the same with sizes, the round, and when it was made
manifest.sig      Ed25519 over `casino.pack.v1`, a line feed and the manifest's bytes
"""

import io
import json
import zipfile
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.template.loader import render_to_string

from baccarat.audit.round_replay import replay_round
from baccarat.proofs import checks, pack_access, pack_keys, pack_parts
from baccarat.proofs.export import export_round
from casino.checkpoints import records

FORMAT: Final = "casino.pack.v1"
VERIFIER: Final = Path(__file__).with_name("verifier.py")
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
    files = _files(round_, proof)
    manifest = _json(_manifest(proof, files))
    signature = {"key": pack_keys.public_keys()[0], "signature": pack_keys.sign_manifest(manifest).hex()}
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    listed = {**files, "SHA256SUMS": sums.encode(), "manifest.json": manifest, "manifest.sig": _json(signature)}
    return PackFile(f"round-{round_}.zip", _zipped(listed))


def _files(round_: UUID, proof: dict[str, Any]) -> dict[str, bytes]:
    raw = _json(proof)
    events = proof["events"]
    of_round = [event for event in events if event["stream"] == f"round-{round_}"]
    since, until = (datetime.fromisoformat(of_round[place]["recorded_at"]) for place in (0, -1))
    told = {
        "events.json": events,
        "wagers.json": pack_parts.wagers(round_),
        "entries.json": pack_parts.ledger_entries(event["id"] for event in events),
        "chat.json": pack_parts.chat_messages(table=UUID(proof["round"]["table"]), since=since, until=until),
        "seen.json": pack_access.list_viewings(round_, of_round),
        "significant.json": pack_access.significant_events(round_),
    }
    return {
        "README.txt": render_to_string("proofs/pack.txt", {"round": proof["round"]}).encode(),
        "round.json": raw,
        "verifier.py": VERIFIER.read_bytes(),
        "verification.txt": _verification(raw),
        "timeline.txt": pack_parts.timeline(replay_round(round_)).encode(),
        **{name: _json(value) for name, value in told.items()},
    }


def _verification(raw: bytes) -> bytes:
    keys = [str(key["public"]) for key in records.published_keys()]
    result = checks.verify(raw, keys=keys)
    lines = [f"{check.name:<12} {check.verdict:<7} {check.text}" for check in result.checks]
    return "\n".join([*lines, "", f"verdict: {result.verdict}", ""]).encode()


def _manifest(proof: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
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


def _zipped(files: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(zipfile.ZipInfo(name, _DAY_ONE), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()
