"""Compare the whole schema with what migrations make, and with what it was when `migrate` ended.

What migrations make is described in a file for each major version of PostgreSQL (`manage.py schema`). What only an
installation knows, such as its roles and their settings, is in the event that `migrate` records; so is a digest of each
object, by which an older release knows the objects of a newer one.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.db import OperationalError, transaction

from casino.events import store
from casino.events.codec import EventRegistry, EventType, MalformedEvent, UnknownEvent
from casino.events.immutability import app_role
from casino.events.rebuild import REPLACED, SHADOWS
from casino.events.sql import fetch
from casino.events.store import Append, Metadata
from casino.kernel.findings import Finding

MISSING: Final = "schema lacks what migrations made"
UNEXPECTED: Final = "schema has what no migration made"
DIFFERS: Final = "schema differs from the migrations"
CHANGED: Final = "schema changed since migrate"
UNFINISHED: Final = "migrate did not end"
NEVER_RECORDED: Final = "roles, settings and extensions, as no `migrate` has recorded them"
STREAM: Final = "schema"
CHECK_AFTER: Final = 60.0
"""Seconds for which a schema that was right is taken to be so."""

Properties = Mapping[str, str]
Objects = Mapping[str, Properties]
"""The properties of each object by their names."""

_OBJECTS: Final = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
_LIST: Final = f"{_OBJECTS} SELECT of_installation, object, name, value FROM described"  # noqa: S608
_DIGEST: Final = f"""{_OBJECTS}
    SELECT sha256(convert_to(string_agg(
        concat(object, E'\\n', name, E'\\n', value, E'\\n'), '' ORDER BY object COLLATE "C", name COLLATE "C"
    ), 'UTF8')) FROM described WHERE NOT of_installation
"""  # noqa: S608  (a file of ours)
_MAJOR: Final = "SELECT current_setting('server_version_num')::integer / 10000"
_USE_PATH: Final = "SELECT current_setting('search_path'), set_config('search_path', %s, true)"
_NEWEST: Final = """
    SELECT type, schema, data::text FROM events_event
     WHERE stream = %s AND type = ANY (%s) ORDER BY version DESC LIMIT 1
"""
_VERSION: Final = "SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s"
_HAS: Final = "SELECT to_regclass(%s) IS NOT NULL"
_PERMISSIONS: Final = """
    SELECT app_label || '.' || codename, string_agg(permission.id::text, ', ' ORDER BY permission.id)
      FROM public.auth_permission AS permission
      JOIN public.django_content_type AS content_type ON content_type.id = content_type_id GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class SchemaChanging:
    """A release begins to migrate; until it ends the schema is neither the old nor the new one."""

    release: str


@dataclass(frozen=True, slots=True)
class SchemaRecorded:
    """What `migrate` of a release found at its end: its server's major version, each object's digest, and the rest."""

    release: str
    server: int
    objects: dict[str, str]
    installation: dict[str, dict[str, str]]


SCHEMA_EVENTS: Final = EventRegistry(map(EventType, (SchemaChanging, SchemaRecorded)))


class Schema(NamedTuple):
    """What a database consists of: what migrations make, and what belongs to the installation."""

    objects: Objects
    installation: Objects


class SchemaCheck(NamedTuple):
    """What differs, and what could not be compared."""

    findings: list[Finding]
    not_compared: tuple[str, ...] = ()


class _Descriptions:
    """The folder with a description for each major version, such as `18.txt`."""

    folder: Path | None = None


def describe_in(folder: Path) -> None:
    """Register the folder of descriptions, which the uppermost app has."""
    _Descriptions.folder = folder


def folder_of_descriptions() -> Path:
    if _Descriptions.folder is None:
        raise LookupError("No app has registered descriptions of the schema.")
    return _Descriptions.folder


@cache
def description(major: int) -> Objects | None:
    """Return what the migrations of this release make under a major version of PostgreSQL, None if nobody knows."""
    file = folder_of_descriptions() / f"{major}.txt"
    return parse(file.read_text(encoding="utf-8")) if file.exists() else None


@cache
def release() -> str:
    """Return a digest of what this release's migrations make."""
    files = sorted(folder_of_descriptions().glob("*.txt"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:32]


def parse(text: str) -> Objects:
    """Read a description."""
    objects: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(" "):
            name, _, value = line.strip().partition(": ")
            current[name] = value
        else:
            current = objects[line] = {}
    return objects


def serialize(objects: Objects) -> str:
    """Write a description: a line for each object, and indented ones for its properties."""
    return "".join(
        f"{name}\n" + "".join(f"    {key}: {value}\n" for key, value in sorted(objects[name].items()))
        for name in sorted(objects)
    )


def major_version() -> int:
    return int(fetch(_MAJOR)[0][0])


def read() -> Schema:
    """Return what the connected database consists of."""
    objects: dict[str, dict[str, str]] = {}
    installation: dict[str, dict[str, str]] = {}
    for of_installation, name, key, value in _ask(_LIST):
        part = installation if of_installation else objects
        part.setdefault(name, {})[key] = value
    if _has("auth_permission"):  # rows that `migrate` makes, too: roles have them by their numbers
        installation["permissions"] = dict(fetch(_PERMISSIONS))
    return Schema(objects, installation)


def _has(table: str) -> bool:
    return bool(fetch(_HAS, [f"public.{table}"])[0][0])


def _ask(query: str) -> list[tuple[Any, ...]]:
    """Ask for objects by their whole names, whatever the search path is."""
    with transaction.atomic():
        before = fetch(_USE_PATH, ["pg_catalog"])[0][0]
        rows = fetch(query, {"app": app_role(), "own_schemas": ["information_schema", SHADOWS, REPLACED]})
        fetch(_USE_PATH, [before])
    return rows


def check() -> SchemaCheck:
    """Compare the connected database with this release's description and with the newest record."""
    found, recorded = read(), newest_record()
    described, notes = description(major_version()), list[str]()
    if described is None:
        notes.append("what this release makes under this version of PostgreSQL, only what the last `migrate` found")
    if recorded is None:
        notes.append(NEVER_RECORDED)
    findings = [*_unfinished(), *_compare(found, described, recorded)]
    return SchemaCheck(findings, tuple(f"the schema: {note}" for note in notes))


def _unfinished() -> Iterator[Finding]:
    if isinstance(newest := _newest(*SCHEMA_EVENTS.events), SchemaChanging):
        yield Finding(UNFINISHED, STREAM, "a schema that is recorded", f"a migration by release {newest.release}")


def _compare(found: Schema, described: Objects | None, recorded: SchemaRecorded | None) -> Iterator[Finding]:
    if described is not None and (recorded is None or recorded.release == release()):
        yield from differences(described, found.objects)
    elif recorded is not None:
        yield from _compare_with_record(found.objects, described or {}, recorded)
    if recorded is not None:
        for finding in differences(recorded.installation, found.installation):
            yield Finding(CHANGED, finding.location, finding.expected, finding.actual)


def _compare_with_record(found: Objects, described: Objects, recorded: SchemaRecorded) -> Iterator[Finding]:
    """Compare digests; where one differs, tell how the object differs from what this release makes, if it does."""
    for name in sorted({*found, *recorded.objects}):
        actual = digest(found[name]) if name in found else "none"
        expected = recorded.objects.get(name, "none")
        if actual != expected:
            known = name in described or name not in recorded.objects
            told = list(differences(_only(described, name), _only(found, name))) if known else []
            yield from told or [Finding(CHANGED, name, expected, actual)]


def _only(objects: Objects, name: str) -> Objects:
    return {name: objects[name]} if name in objects else {}


def differences(expected: Objects, found: Objects) -> Iterator[Finding]:
    """Name each object, or property of an object, that is missing, unexpected or another."""
    for name in sorted({*expected, *found}):
        if name not in found:
            yield Finding(MISSING, name, "there", "none")
        elif name not in expected:
            yield Finding(UNEXPECTED, name, "none", _shown(found[name]))
        elif expected[name] != found[name]:
            yield from _of_object(name, expected[name], found[name])


def _of_object(name: str, expected: Properties, found: Properties) -> Iterator[Finding]:
    for key in sorted({*expected, *found}):
        if key not in found:
            yield Finding(MISSING, f"{name}, {key}", expected[key], "none")
        elif key not in expected:
            yield Finding(UNEXPECTED, f"{name}, {key}", "none", found[key])
        elif expected[key] != found[key]:
            yield Finding(DIFFERS, f"{name}, {key}", expected[key], found[key])


def _shown(properties: Properties) -> str:
    return "; ".join(f"{key}: {value}" for key, value in sorted(properties.items()))[:300]


def digest(properties: Properties) -> str:
    """Return a digest of an object."""
    return sha256("\n".join(f"{key}\n{value}" for key, value in sorted(properties.items())).encode()).hexdigest()[:32]


def newest_record() -> SchemaRecorded | None:
    """Return what the last `migrate` found, None if none has ended."""
    newest = _newest(SchemaRecorded)
    return newest if isinstance(newest, SchemaRecorded) else None


def _newest(*kinds: type) -> object:
    rows = fetch(_NEWEST, [STREAM, [kind.__name__ for kind in kinds]])
    try:
        return SCHEMA_EVENTS.decode(*rows[0]) if rows else None
    except (MalformedEvent, UnknownEvent):  # the audit of the log tells which event it is
        return None


def begin() -> None:
    """Record that migrations begin, if there is an event store already."""
    if _has("events_unsealed"):
        _append(SchemaChanging(release()))


def record() -> None:
    """Record the schema as it is, if there is an event store and its newest record says anything else."""
    if not _has("events_unsealed"):
        return
    found = read()
    objects = {name: digest(properties) for name, properties in found.objects.items()}
    installation = {name: dict(properties) for name, properties in found.installation.items()}
    recorded = SchemaRecorded(release(), major_version(), objects, installation)
    if recorded != _newest(*SCHEMA_EVENTS.events):
        _append(recorded)


def _append(event: SchemaChanging | SchemaRecorded) -> None:
    metadata = Metadata(operator="", actor="system:migrate", causation="migrate")
    with transaction.atomic():
        store.append([Append(STREAM, fetch(_VERSION, [STREAM])[0][0], (SCHEMA_EVENTS.encode(event),), metadata)])


class Readiness:
    """Whether what this release needs is there, asked of the database once a minute."""

    def __init__(self) -> None:
        self._right_until = 0.0

    def __call__(self) -> str:
        """Return `ok`, also while a newer release migrates, or that something is missing or differs.

        What is there beside it, such as another index, is for the audit to tell. Raises OperationalError.
        """
        if time.monotonic() >= self._right_until:
            try:
                is_right = self._is_right()
            except OperationalError:
                if not self._right_until:
                    raise
                is_right = True  # a busy server is asked again later; that it is there is a check of its own
            if not is_right:
                return "differs from the migrations"
            self._right_until = time.monotonic() + CHECK_AFTER
        return "ok"

    def _is_right(self) -> bool:
        described = description(major_version())
        if described is not None and bytes(_ask(_DIGEST)[0][0]) == _digest_of(described):
            return True
        if any(_unfinished()):
            return True
        found = read()
        compared = _compare(found._replace(installation={}), described, _without_installation(newest_record()))
        return all(finding.kind == UNEXPECTED for finding in compared)


def _without_installation(recorded: SchemaRecorded | None) -> SchemaRecorded | None:
    return None if recorded is None else SchemaRecorded(recorded.release, recorded.server, recorded.objects, {})


def _digest_of(objects: Objects) -> bytes:
    lines = (f"{name}\n{key}\n{value}\n" for name in sorted(objects) for key, value in sorted(objects[name].items()))
    return sha256("".join(lines).encode()).digest()


readiness: Final = Readiness()
