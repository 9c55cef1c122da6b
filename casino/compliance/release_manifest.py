"""What this process runs, as digests: every released file, every installed dependency, every setting that matters.

Source: GLI-19 2.3.2 and B.2.6 (critical components verified at start, every 24 hours and on demand, by a digest of 128
bits or more).
"""

import csv
import hashlib
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDERS: Final = ("casino", "baccarat", "wallet")
COMPILED: Final = "__pycache__"
"""What Python makes of sources is left out; compiled modules anywhere else run by themselves, and are not."""
Items = Mapping[str, str]
"""Names with digests or versions."""


@dataclass(frozen=True, slots=True)
class Component:
    """One part of what runs: its items, and one digest of all of them."""

    name: str
    items: Items
    digest: str


def code(root: Path) -> Component:
    """Digest every released file under a folder of the project."""
    return make_component("code", {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in _files(root)})


def dependencies() -> Component:
    """Name every installed distribution with its version, and digest its list of files with their hashes."""
    found: dict[str, str] = {}
    for folder in site():
        for path in folder.glob("*.dist-info"):
            listed = path / "RECORD"
            files = hashlib.sha256(listed.read_bytes()).hexdigest() if listed.is_file() else ""
            found[path.name.removesuffix(".dist-info").lower()] = files
    return make_component("dependencies", found)


def site() -> set[Path]:
    """Return where dependencies are installed."""
    return {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}


def find_altered_files(folders: Collection[Path]) -> list[str]:
    """Name each installed file that is not, or not any more, what its distribution's RECORD says of it.

    It reads all of them, which takes seconds. Source: the PyPA's specification "Recording installed projects".
    """
    told: list[str] = []
    for folder in sorted(folders):
        for listed in sorted(folder.glob("*.dist-info/RECORD")):
            with listed.open(newline="", encoding="utf-8") as record:
                for name, noted, *_ in csv.reader(record):
                    kind, _, digest = noted.partition("=")
                    if kind == "sha256" and _digest_of(folder / name) != digest:
                        told.append(f"dependencies: {name} is not what was installed")
    return told


def _digest_of(path: Path) -> str:
    """As a RECORD writes it; nothing for a file that can't be read."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return ""
    return urlsafe_b64encode(found).rstrip(b"=").decode()


def configuration(values: Mapping[str, Any]) -> Component:
    """Digest settings one by one, so that a value is compared and never shown."""
    return make_component(
        "settings", {name: hashlib.sha256(repr(value).encode()).hexdigest() for name, value in values.items()}
    )


def make_component(name: str, items: Items) -> Component:
    """Make a part of items, in the order of their names."""
    lines = "".join(f"{item}\x00{items[item]}\n" for item in sorted(items))
    return Component(name, items, hashlib.sha256(f"casino.integrity.{name}.v1\n{lines}".encode()).hexdigest())


def differences(approved: Items, actual: Items, *, component: str) -> list[str]:
    """Name what was changed, added or removed, a sentence each."""
    told = [f"{component}: {name} was changed" for name in _both(approved, actual) if approved[name] != actual[name]]
    told += [f"{component}: {name} was added" for name in sorted(actual.keys() - approved.keys())]
    told += [f"{component}: {name} is missing" for name in sorted(approved.keys() - actual.keys())]
    return told


def _both(one: Items, other: Items) -> Iterable[str]:
    return sorted(one.keys() & other.keys())


def _files(root: Path, folders: Collection[str] = FOLDERS) -> Iterator[tuple[str, Path]]:
    yield "manage.py", root / "manage.py"
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if COMPILED not in path.parts and path.is_file():
                yield path.relative_to(root).as_posix(), path
