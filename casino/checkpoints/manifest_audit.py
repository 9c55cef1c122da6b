"""Inventories against the tables they speak of, against one another, and against their copies outside."""

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from casino.checkpoints import manifests, records, replicas, storage, table_digests
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.manifest import TableManifest, TableRange, fingerprint, parse, signed_bytes
from casino.kernel.findings import Finding

BROKEN: Final = "manifest chain broken"
FORGED: Final = "manifest signature is wrong"
DIFFER: Final = "rows differ from their manifest"
MISSING_IN_DATABASE: Final = "manifest is not in the database"
MAX_COMPARED_AGE: Final = timedelta(days=3650)
"""Rows of some of the tables may be purged when they are older."""
COPY_DEADLINE: Final = timedelta(hours=1)
"""A copy is made at once, or at one of the next looks where its place did not answer."""


def check(unknown_copies: Mapping[int, bytes], *, now: datetime) -> list[Finding]:
    """Find what contradicts, on the caller's snapshot; `beyond` are copies that were seen before it."""
    findings: list[Finding] = []
    sound = list(_sound(findings))
    last = max((number for number, _ in sound), default=0)
    _judge_copies({number for number, each in sound if each is not None and _age(each, now) < COPY_DEADLINE}, findings)
    alone = sorted(number for number in unknown_copies if number > last)
    findings.extend(
        Finding(MISSING_IN_DATABASE, f"inventory {number}", "a row", "a copy outside alone") for number in alone
    )
    kept = [inventory for _, inventory in sound if inventory is not None and _age(inventory, now) < MAX_COMPARED_AGE]
    has = table_digests.columns()
    for (table, columns), lots in table_digests.group_by_columns(
        each for inventory in kept for each in inventory.lots
    ).items():
        kinds = has.get(table, {})
        if set(columns) <= kinds.keys():
            findings.extend(_compare(table, {name: kinds[name] for name in columns}, lots))
        else:
            findings.append(Finding(DIFFER, table, f"a table with {', '.join(columns)}", ", ".join(kinds) or "none"))
    return findings


def _sound(findings: list[Finding]) -> Iterator[tuple[int, TableManifest | None]]:
    """Each inventory in the database, None where it says nothing that can be believed."""
    number, before, covered = 0, "", dict[str, int]()
    while page := manifests.list_since(number):
        for found, text in page:
            inventory = _believed(found, text, findings)
            if inventory is not None:
                _judge_place(inventory, number=number + 1, before=before, covered=covered, findings=findings)
                covered = dict(inventory.covered)
            number, before = found, fingerprint(text)
            yield found, inventory


def _believed(number: int, text: bytes, findings: list[Finding]) -> TableManifest | None:
    where = f"inventory {number}"
    try:
        inventory = parse(text)
        public = checkpoint_keyring().public.get(inventory.key, b"")
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(inventory.signature), signed_bytes(inventory))
    except (ValueError, InvalidSignature) as trouble:
        findings.append(Finding(FORGED, where, "signed by a key of ours", str(trouble) or "a signature that differs"))
        return None
    if (inventory.number, inventory.log) != (number, records.log_id()):
        found = f"number {inventory.number} of log {inventory.log}"
        findings.append(Finding(FORGED, where, f"number {number} of log {records.log_id()}", found))
        return None
    return inventory


def _judge_place(
    inventory: TableManifest, *, number: int, before: str, covered: Mapping[str, int], findings: list[Finding]
) -> None:
    where = f"inventory {inventory.number}"
    if inventory.number != number:
        findings.append(Finding(BROKEN, where, f"number {number}", f"number {inventory.number}"))
    elif inventory.previous != before:
        findings.append(Finding(BROKEN, where, before, inventory.previous))
    elif any(each.after != covered.get(each.table, 0) for each in inventory.lots):
        found = ", ".join(each.description for each in inventory.lots)
        findings.append(Finding(BROKEN, where, "lots that follow on those before", found))


def _judge_copies(young: Container[int], findings: list[Finding]) -> None:
    """Copies are made at once and in order: only the last may be on their way. Each is the text in the database."""
    missing: list[int] = []
    try:
        for number, text, copy in _copies():
            if copy is None:
                missing.append(number)
                continue
            findings.extend(map(_missing, missing))
            missing.clear()
            if copy != text:
                findings.append(Finding(replicas.COPY_DIFFERS, f"inventory {number}", _words(text), _words(copy)))
        findings.extend(_missing(number) for number in missing if number not in young)
    except storage.StorageUnavailable as trouble:
        findings.append(Finding(replicas.COPIES_UNREADABLE, "the place of inventories", "an answer", str(trouble)))


def _missing(number: int) -> Finding:
    return Finding(replicas.COPY_MISSING, f"inventory {number}", "a copy outside", "none")


def _copies() -> Iterator[tuple[int, bytes, bytes | None]]:
    """Each inventory with what stands outside under its number. Raises Away."""
    place, number = storage.configured_storage(), 0
    while place is not None and (page := manifests.list_since(number)):
        yield from ((found, text, place.read(manifests.object_name(found))) for found, text in page)
        number = page[-1][0]


def _age(inventory: TableManifest, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(inventory.made_at)


def _compare(table: str, kinds: Mapping[str, str], lots: Sequence[TableRange]) -> Iterator[Finding]:
    """Counts and digests the rows again. Columns that came later are in later lots."""
    found = table_digests.digests(table, kinds, [(each.after, each.upto) for each in lots])
    for each, (rows, digest) in zip(lots, found, strict=True):
        if (rows, digest) != (each.rows, each.digest):
            yield Finding(DIFFER, each.description, f"{each.rows} rows, {each.digest}", f"{rows} rows, {digest}")


def _words(text: bytes) -> str:
    return text.decode(errors="replace").strip()[:2000]
