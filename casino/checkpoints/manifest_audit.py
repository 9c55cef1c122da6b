"""Audit of manifests: against the tables that they cover, against one another, and against their copies."""

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings

from casino.checkpoints import manifests, replicas, storage, table_digests
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.manifests import TableManifest, fingerprint, parse, signed_bytes
from casino.checkpoints.table_digests import TableRange
from casino.events.netting import in_parts, net
from casino.events.sql import fetch
from casino.kernel.findings import Finding, Findings

BROKEN: Final = "manifest chain broken"
FORGED: Final = "manifest signature is wrong"
DIFFER: Final = "rows differ from their manifest"
MISSING_IN_DATABASE: Final = "manifest is not in the database"
NOT_LOGGED: Final = "manifest differs from its event"
MAX_COMPARED_AGE: Final = timedelta(days=3650)
"""Rows of some tables may be purged when they are older."""
_UNLIKE_EVENTS: Final = """
SELECT coalesce(version, number), coalesce(made.digest, 'no event'), coalesce(stored.digest, 'no manifest')
FROM (SELECT version, data ->> 'digest' AS digest FROM events_event WHERE stream = %s) AS made
FULL JOIN (SELECT number, encode(sha256(convert_to(text, 'UTF8')), 'hex') AS digest FROM checkpoints_manifest) AS stored
ON number = version WHERE made.digest IS DISTINCT FROM stored.digest ORDER BY 1
"""
_COVERED: Final = """
SELECT coalesce(max(version), 0) FROM events_event JOIN events_seal ON event_id = id
 WHERE stream = %s AND position <= %s
"""
COPY_DEADLINE: Final = timedelta(hours=1)
"""Copies are made at once, or retried while the storage is unavailable."""


def check(unknown_copies: Mapping[int, bytes], *, now: datetime, audited: int) -> list[Finding]:
    """Return the contradictions on the caller's snapshot; `unknown_copies` were read before it was taken.

    Rows are compared with the manifests that the log names above the `audited` positions; signatures, order and copies
    with all of them.
    """
    findings = Findings()
    stored = list(_read_manifests(findings))
    findings.extend(
        Finding(NOT_LOGGED, f"manifest {number}", logged, actual)
        for number, logged, actual in fetch(_UNLIKE_EVENTS, [manifests.STREAM])
    )
    last = max((number for number, _ in stored), default=0)
    valid = [manifest for _, manifest in stored if manifest is not None]
    with net(findings, "copies of manifests"):
        _check_copies({manifest.number for manifest in valid if _age(manifest, now) < COPY_DEADLINE}, findings)
    findings.extend(
        Finding(MISSING_IN_DATABASE, f"manifest {number}", "a row", "only a copy")
        for number in sorted(unknown_copies)
        if number > last
    )
    covered = fetch(_COVERED, [manifests.STREAM, audited])[0][0]
    compared = [each for each in valid if each.number > covered and _age(each, now) < MAX_COMPARED_AGE]
    ranges = [each for manifest in compared for each in manifest.ranges]
    types_by_table = table_digests.column_types()
    for (table, columns), group in table_digests.group_by_columns(ranges).items():
        types = types_by_table.get(table, {})
        if set(columns) <= types.keys():
            own = {name: types[name] for name in columns}
            findings.extend(in_parts(group, partial(_compare_rows, table, own), str))
        else:
            findings.append(Finding(DIFFER, table, f"a table with {', '.join(columns)}", ", ".join(types) or "none"))
    return findings


def _read_manifests(findings: list[Finding]) -> Iterator[tuple[int, TableManifest | None]]:
    """Yield each manifest in the database with its number, None in place of an invalid one."""
    number, previous, covered = 0, "", dict[str, int]()
    while page := manifests.list_after(number):
        for stored_number, text in page:
            manifest = _validate(stored_number, text, findings)
            if manifest is not None:
                _check_chain(manifest, number=number + 1, previous=previous, covered=covered, findings=findings)
                covered = dict(manifest.covered)
            number, previous = stored_number, fingerprint(text)
            yield stored_number, manifest


def _validate(number: int, text: bytes, findings: list[Finding]) -> TableManifest | None:
    where = f"manifest {number}"
    try:
        manifest = parse(text)
        public = checkpoint_keyring().public.get(manifest.key, b"")
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(manifest.signature), signed_bytes(manifest))
    except Exception as error:  # noqa: BLE001  (one manifest ends no audit)
        findings.append(Finding(FORGED, where, "signed by a trusted key", str(error) or "another signature"))
        return None
    if (manifest.number, manifest.log) != (number, settings.LOG_ORIGIN):
        actual = f"number {manifest.number} of log {manifest.log}"
        findings.append(Finding(FORGED, where, f"number {number} of log {settings.LOG_ORIGIN}", actual))
        return None
    return manifest


def _check_chain(
    manifest: TableManifest, *, number: int, previous: str, covered: Mapping[str, int], findings: list[Finding]
) -> None:
    where = f"manifest {manifest.number}"
    if manifest.number != number:
        findings.append(Finding(BROKEN, where, f"number {number}", f"number {manifest.number}"))
    elif manifest.previous != previous:
        findings.append(Finding(BROKEN, where, previous, manifest.previous))
    elif any(each.after != covered.get(each.table, 0) for each in manifest.ranges):
        actual = ", ".join(map(str, manifest.ranges))
        findings.append(Finding(BROKEN, where, "ranges that continue the previous ones", actual))


def _check_copies(recent: Container[int], findings: list[Finding]) -> None:
    """Compare the copies. They are made in order, so only the last ones, if `recent`, may be missing."""
    missing: list[int] = []
    try:
        for number, text, copy in _read_copies():
            if copy is None:
                missing.append(number)
                continue
            findings.extend(map(_missing_copy, missing))
            missing.clear()
            if copy != text:
                findings.append(Finding(replicas.COPY_DIFFERS, f"manifest {number}", _excerpt(text), _excerpt(copy)))
        findings.extend(_missing_copy(number) for number in missing if number not in recent)
    except storage.StorageUnavailable as error:
        findings.append(Finding(replicas.COPIES_UNREADABLE, "storage of manifests", "an answer", str(error)))


def _missing_copy(number: int) -> Finding:
    return Finding(replicas.COPY_MISSING, f"manifest {number}", "a copy", "none")


def _read_copies() -> Iterator[tuple[int, bytes, bytes | None]]:
    """Yield each manifest with its copy. Raises StorageUnavailable."""
    source, last = storage.configured_storage(), 0
    while source is not None and (page := manifests.list_after(last)):
        yield from ((number, text, source.read(manifests.object_name(number))) for number, text in page)
        last = page[-1][0]


def _age(manifest: TableManifest, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(manifest.made_at)


def _compare_rows(table: str, types: Mapping[str, str], ranges: Sequence[TableRange]) -> Iterator[Finding]:
    """Count and digest the rows again. Columns that were added later are in later ranges only."""
    actual = table_digests.digests(table, types, [(each.after, each.upto) for each in ranges])
    for each, (rows, digest) in zip(ranges, actual, strict=True):
        if (rows, digest) != (each.rows, each.digest):
            yield Finding(DIFFER, str(each), f"{each.rows} rows, {each.digest}", f"{rows} rows, {digest}")


def _excerpt(text: bytes) -> str:
    return text.decode(errors="replace").strip()[:2000]
