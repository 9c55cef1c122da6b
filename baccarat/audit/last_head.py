"""Keeps the last sound head of the log in a file outside the database, to detect a truncated log."""

import json
import os
from pathlib import Path
from typing import Final

from django.conf import settings

from casino.events.sql import fetch
from casino.events.verification import Head

_DATABASE: Final = """
SELECT system_identifier, oid FROM pg_control_system(), pg_database WHERE datname = current_database()
"""


class UnreadableHead(Exception):
    """The file does not contain a head."""


def default_path() -> Path:
    """Return the path for this database, named after its server and its number there."""
    server, number = fetch(_DATABASE)[0]
    folder = Path(os.environ.get("CASINO_HOME") or Path(settings.BASE_DIR) / ".casino")
    return folder / "heads" / f"{server}-{number}.json"


def load_head(file: Path) -> Head | None:
    """Read the head of the last audit; None on the first audit. Raises UnreadableHead."""
    if not file.exists():
        return None
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return Head(int(kept["position"]), bytes.fromhex(kept["digest"]))
    except (ValueError, KeyError, TypeError) as trouble:
        raise UnreadableHead(f"{file} does not hold the head of a log: {trouble}") from trouble


def save_head(file: Path, *, position: int, digest: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({"position": position, "digest": digest}) + "\n", encoding="utf-8")
    draft.replace(file)
