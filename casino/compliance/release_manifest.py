"""Digests of what this process runs: every released file, installed dependency and relevant setting.

Source: GLI-19 2.3.2 and B.2.6 (critical components verified at start, every 24 hours and on demand, by a digest of 128
bits or more).
"""

import csv
import hashlib
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDERS: Final = ("casino", "baccarat", "wallet")
COMPILED: Final = "__pycache__"
"""Excluded: Python creates these from the sources. Compiled modules elsewhere run by themselves and are included."""
Items = Mapping[str, str]
"""Digests by name."""


@dataclass(frozen=True, slots=True)
class Component:
    """A component of the release: its items and one digest over them."""

    name: str
    items: Items
    digest: str


def code(root: Path) -> Component:
    """Digest every released file of the project."""
    return make_component("code", {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in _files(root)})


def dependencies() -> Component:
    """Digest the RECORD file of every installed distribution: it lists the distribution's files with their hashes."""
    items: dict[str, str] = {}
    for folder in site_folders():
        for path in folder.glob("*.dist-info"):
            record = path / "RECORD"
            digest = hashlib.sha256(record.read_bytes()).hexdigest() if record.is_file() else ""
            items[path.name.removesuffix(".dist-info").lower()] = digest
    return make_component("dependencies", items)


def site_folders() -> set[Path]:
    """Return the folders in which dependencies are installed."""
    return {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}


def find_altered_files(folders: Collection[Path]) -> list[str]:
    """Return a finding for each installed file that differs from its distribution's RECORD.

    Reads all files, which takes seconds. Source: PyPA specification "Recording installed projects".
    """
    findings: list[str] = []
    for folder in sorted(folders):
        for path in sorted(folder.glob("*.dist-info/RECORD")):
            with path.open(newline="", encoding="utf-8") as record:
                for name, recorded, *_ in csv.reader(record):
                    kind, _, digest = recorded.partition("=")
                    if kind == "sha256" and _digest_of(folder / name) != digest:
                        findings.append(f"dependencies: {name} is not what was installed")
    return findings


def _digest_of(path: Path) -> str:
    """Return the digest in the format of RECORD; empty for an unreadable file."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return ""
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def configuration(values: Mapping[str, Any]) -> Component:
    """Digest each setting, so that values are compared and never shown."""
    return make_component(
        "settings", {name: hashlib.sha256(repr(value).encode()).hexdigest() for name, value in values.items()}
    )


def make_component(name: str, items: Items) -> Component:
    """Create a component with a digest over its items in order of their names."""
    lines = "".join(f"{item}\x00{items[item]}\n" for item in sorted(items))
    return Component(name, items, hashlib.sha256(f"casino.integrity.{name}.v1\n{lines}".encode()).hexdigest())


def differences(approved: Items, actual: Items, *, component: str) -> list[str]:
    """Return a sentence for each item that was changed, added or removed."""
    common = sorted(approved.keys() & actual.keys())
    findings = [f"{component}: {name} was changed" for name in common if approved[name] != actual[name]]
    findings += [f"{component}: {name} was added" for name in sorted(actual.keys() - approved.keys())]
    findings += [f"{component}: {name} is missing" for name in sorted(approved.keys() - actual.keys())]
    return findings


def _files(root: Path, folders: Collection[str] = FOLDERS) -> Iterator[tuple[str, Path]]:
    yield "manage.py", root / "manage.py"
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if COMPILED not in path.parts and path.is_file():
                yield path.relative_to(root).as_posix(), path
