"""Compare what two sources say: witnesses (URLs), or files of what a house or a player kept.

A file has a JSON object on each line, with `header` and `header_signature` of a chain, `statement` and `signature`, or
`note`, or with several of them; `path` and `request_signature` of a statement are checked if they are there, and so are
the `result` of its round and when that was closed and ended, which a house adds, as it does to a header when the first
player sat down at the table (`seated_ms`, null if nobody has). A contradiction is signed by whoever
is to blame.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

import httpx

from casino.crypto import ed25519
from casino.crypto.signed_note import MalformedNote, NoteKey, SignedNote, TreeHead, UntrustedNote
from casino.kernel import merkle
from casino.kernel.findings import Finding
from casino.witness import statements
from casino.witness.statements import (
    ChainHeader,
    ClosingKind,
    ClosingRequest,
    InvalidStatement,
    Release,
    Retirement,
    RetirementReason,
)

NOT_SIGNED: Final = "statement is not signed by its witness"
NOT_COSIGNED: Final = "checkpoint is not cosigned by its witness"
NOT_ASKED: Final = "house did not sign the request"
NOT_ACTIVATED: Final = "house did not activate the chain"
WRONG_LINK: Final = "link is not the chain's"
AFTER_RETIREMENT: Final = "link given out after its chain was retired"
HIDDEN: Final = "witness does not show what it signed"
INDEX_TWICE: Final = "index given out twice"
NUMBER_TWICE: Final = "number used twice"
MISSING: Final = "statement is missing"
BROKEN: Final = "statements do not follow one another"
ONE_SIDED: Final = "closing is not at the other"
EARLY: Final = "statement is dated before the closing"
LATE: Final = "link was given out long after the closing"
NOBODY_SAT: Final = "link was given out before anybody sat at the table"
NO_RESULT: Final = "link without a result"
FORKED: Final = "roots of one size differ"
UNREADABLE: Final = "line is not readable"

CLOCK_SECONDS: Final = 1.0
"""By how much the clocks of a house and a witness may differ."""
GRACE_SECONDS: Final = 60.0
"""How long a closing may be known to one side only, and how long it may wait for its link and that for its result."""
VOIDED: Final = "voided"
"""The only result that is not said by the kind of the closing, too."""
TIMEOUT: Final = 10.0
Numbered = dict[tuple[bytes, str, int, int], bytes]


class CannotCompare(Exception):
    """A source cannot be read; the message says why."""


class RoundResult(NamedTuple):
    """What a house says of a round that used a link: its result and when it ended, both None while it runs."""

    closed_ms: int
    ended_ms: int | None
    result: str | None


@dataclass(slots=True)
class Source:
    """What one side says, as far as it is signed."""

    name: str
    is_witness: bool
    headers: dict[bytes, ChainHeader] = field(default_factory=dict)
    statements: list[tuple[Release | Retirement, bytes]] = field(default_factory=list)
    notes: dict[tuple[str, int], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    findings: list[Finding] = field(default_factory=list)
    release_key: bytes = b""
    cosigner: NoteKey | None = None
    """The keys of the witness that is asked."""
    signed_notes: list[tuple[SignedNote, TreeHead]] = field(default_factory=list)
    results: list[tuple[Release, RoundResult]] = field(default_factory=list)
    seated: dict[UUID, int | None] = field(default_factory=dict)
    """When the first player sat down at each table, as a house says."""
    after: Mapping[int, int] = field(default_factory=dict)
    """The number of the last statement that was not asked for, by generation."""

    def add(self, line: Any) -> None:
        """Take an object of a file or an answer."""
        try:
            if "header" in line:
                self._add_header(line)
            if "statement" in line:
                self._add_statement(line)
            if "note" in line:
                self._add_note(SignedNote.parse(line["note"]))
        except (InvalidStatement, MalformedNote, ValueError, TypeError, KeyError) as error:
            self.findings.append(Finding(UNREADABLE, self.name, "what a witness signs", f"{error}"[:200]))

    def releases(self) -> Iterator[tuple[Release, ChainHeader]]:
        """Yield the releases with the headers of their chains."""
        for statement, _ in self.statements:
            if isinstance(statement, Release):
                yield statement, self.headers[statement.chain]

    def tables(self) -> set[tuple[str, bytes]]:
        return {(header.origin, header.table.bytes) for header in self.headers.values()}

    def describe_results(self) -> Iterator[str]:
        """Yield a line for each table: how its rounds ended, and how many were voided once their links were known."""
        counts: defaultdict[UUID, Counter[str]] = defaultdict(Counter)
        for release, round_ in {release.digest: (release, round_) for release, round_ in self.results}.values():
            ending = round_.result or "not ended"
            if ending == VOIDED and release.kind is not ClosingKind.VOID:
                known = (round_.ended_ms or 0) >= release.time_ms
                ending = f"{VOIDED} after their links" if known else f"{VOIDED} before their links came"
            counts[self.headers[release.chain].table][ending] += 1
        for table, endings in sorted(counts.items()):
            yield f"table {table}: {', '.join(f'{count} {ending}' for ending, count in sorted(endings.items()))}"

    def _add_header(self, line: Any) -> None:
        data = bytes.fromhex(line["header"])
        header = ChainHeader.parse(data)
        signature = bytes.fromhex(line.get("header_signature") or line["signature"])
        if ed25519.is_signed(data, signature, public=header.release_key):
            self.headers[header.chain] = header
            if "seated_ms" in line:
                self.seated[header.table] = None if line["seated_ms"] is None else int(line["seated_ms"])
            activated = bytes.fromhex(line.get("house_signature") or "")
            if self.is_witness and not ed25519.is_signed(data, activated, public=header.closing_key):
                where = f"{self.name}: chain {header.chain.hex()}"
                self.findings.append(Finding(NOT_ACTIVATED, where, "a signature of its closing key", activated.hex()))
        else:
            self.findings.append(Finding(NOT_SIGNED, f"{self.name}: chain {header.chain.hex()}", "a signature", "none"))

    def _add_statement(self, line: Any) -> None:
        data = bytes.fromhex(line["statement"])
        statement = statements.parse_statement(data)
        header, where = self.headers.get(statement.chain), f"{self.name}: {_describe(statement)}"
        if header is None or not ed25519.is_signed(data, bytes.fromhex(line["signature"]), public=header.release_key):
            self.findings.append(Finding(NOT_SIGNED, where, "a signature of the header's key", "none"))
            return
        self.statements.append((statement, data))
        self.findings.extend(_evidence(statement, header, line, where))
        if isinstance(statement, Release) and "result" in line:
            self.results.append((statement, _result(line)))

    def _add_note(self, note: SignedNote) -> None:
        head = TreeHead.parse(note.text)
        self.notes[head.origin, head.size].add(head.root)
        self.signed_notes.append((note, head))
        if self.cosigner is not None and not _is_cosigned(note, self.cosigner):
            where = f"{self.name}: {head.origin} at {head.size}"
            self.findings.append(Finding(NOT_COSIGNED, where, self.cosigner.vkey, "none of it"))


def _result(line: Any) -> RoundResult:
    """Read what a house says of a round. Raises ValueError, TypeError."""
    closed_ms, ended_ms, result = line["closed_ms"], line["ended_ms"], line["result"]
    return RoundResult(
        int(closed_ms), None if ended_ms is None else int(ended_ms), None if result is None else str(result)
    )


def _evidence(statement: Release | Retirement, header: ChainHeader, line: Any, where: str) -> Iterator[Finding]:
    """Yield what is wrong with the path of a release's link, and with the house's request, where there are any."""
    request = _request(statement)
    if request and "request_signature" in line:
        signature = line["request_signature"]
        if not ed25519.is_signed(request, bytes.fromhex(signature), public=header.closing_key):
            yield Finding(NOT_ASKED, where, "a signature of the header's closing key", signature)
    if isinstance(statement, Release) and "path" in line:
        leaf, path = statements.leaf_hash(statement.index, statement.link), [bytes.fromhex(x) for x in line["path"]]
        if not merkle.is_included(leaf, statement.index, header.size, path, header.root):
            yield Finding(WRONG_LINK, where, header.root.hex(), statement.link.hex())


def _request(statement: Release | Retirement) -> bytes:
    """Return what the house had to sign for a statement; empty if nothing."""
    if isinstance(statement, Release):
        return ClosingRequest(statement.chain, statement.index, statement.kind, statement.digest).serialize()
    return statements.retire_request(statement.chain) if statement.reason is RetirementReason.HOUSE else b""


def read_source(name: str, *, origin: str, after: Mapping[int, int] = MappingProxyType({})) -> Source:
    """Read a witness's URL or a file; of a witness the statements `after` a number of each generation.

    Raises CannotCompare.
    """
    source = Source(name, is_witness=name.startswith(("http://", "https://")), after=after)
    try:
        lines = _read_witness(source, name.rstrip("/"), origin) if source.is_witness else _read_file(Path(name))
        for line in lines:
            source.add(line)
    except (OSError, ValueError, KeyError, TypeError, httpx.HTTPError) as error:
        raise CannotCompare(f"{name}: {type(error).__name__}: {error}") from error
    return source


def compare(first: Source, second: Source, *, now: float | None = None) -> list[Finding]:
    """Return the contradictions in and between two sources."""
    findings = [*first.findings, *second.findings]
    findings += _contradictions(first, second)
    for each in (first, second):
        if each.is_witness:
            findings += _gaps(each)
    findings += _after_retirement(first, second)
    findings += [*_hidden(first, second), *_hidden(second, first)]
    moment = time.time() if now is None else now
    findings += _one_sided(first, second, moment)
    findings += _one_sided(second, first, moment)
    findings += [*_untimely(first, moment), *_untimely(second, moment)]
    findings += [*_at_empty_tables(first, second), *_at_empty_tables(second, first)]
    for origin, size in sorted(first.notes.keys() | second.notes.keys()):
        both = first.notes.get((origin, size), set()) | second.notes.get((origin, size), set())
        if len(both) > 1:
            one, other, *_ = sorted(each.hex() for each in both)
            findings.append(Finding(FORKED, f"{origin} at {size}", one, other))
    return findings


def _contradictions(first: Source, second: Source) -> Iterator[Finding]:
    """Yield indexes and numbers that stand for two different statements."""
    by_index: dict[tuple[bytes, int], bytes] = {}
    by_number: Numbered = {}
    for source in (first, second):
        for statement, data in source.statements:
            if isinstance(statement, Release):
                known = by_index.setdefault((statement.chain, statement.index), data)
                if known != data:
                    yield Finding(INDEX_TWICE, _describe(statement), known.hex(), data.hex())
            known = by_number.setdefault(_number(statement, source), data)
            if known != data:
                yield Finding(NUMBER_TWICE, _describe(statement), known.hex(), data.hex())


def _after_retirement(first: Source, second: Source) -> Iterator[Finding]:
    """Yield the links that were given out although a statement retires their chain before them."""
    both = [statement for source in (first, second) for statement, _ in source.statements]
    retired = {each.chain: each.next_index for each in both if isinstance(each, Retirement)}
    for each in dict.fromkeys(each for each in both if isinstance(each, Release)):
        if each.index >= retired.get(each.chain, each.index + 1):
            yield Finding(AFTER_RETIREMENT, _describe(each), f"below {retired[each.chain]}", str(each.index))


def _hidden(witness: Source, other: Source) -> Iterator[Finding]:
    """Yield what the other side holds with a signature of this witness, which does not show it."""
    if witness.cosigner is None:
        return
    shown = {data for _, data in witness.statements}
    for statement, data in other.statements:
        if other.headers[statement.chain].release_key == witness.release_key and data not in shown:
            yield Finding(HIDDEN, f"{witness.name}: {_describe(statement)}", data.hex(), "none")
    for note, head in other.signed_notes:
        if head.root not in witness.notes.get((head.origin, head.size), ()) and _is_cosigned(note, witness.cosigner):
            yield Finding(HIDDEN, f"{witness.name}: {head.origin} at {head.size}", head.root.hex(), "none")


def _is_cosigned(note: SignedNote, cosigner: NoteKey) -> bool:
    try:
        note.verified_by([cosigner])
    except UntrustedNote:
        return False
    return True


def _gaps(source: Source) -> Iterator[Finding]:
    """Yield where a witness's own list has gaps, or does not follow from one statement to the next."""
    listed = {_number(statement, source): (statement, data) for statement, data in source.statements}
    for key, (statement, _) in sorted(listed.items()):
        if statement.number == 1:
            expected = statements.NO_STATEMENT
        else:
            before = listed.get((*key[:3], statement.number - 1))
            if before is None and source.after.get(key[2]) == statement.number - 1:
                continue
            if before is None:
                number = str(statement.number - 1)
                yield Finding(MISSING, f"{source.name}: before {_describe(statement)}", number, "none")
                continue
            expected = statements.statement_hash(before[1])
            if before[0].time_ms > statement.time_ms:
                where = f"{source.name}: {_describe(statement)}"
                yield Finding(BROKEN, where, f"from {before[0].time_ms} ms", f"{statement.time_ms} ms")
        if statement.previous != expected:
            where = f"{source.name}: {_describe(statement)}"
            yield Finding(BROKEN, where, expected.hex(), statement.previous.hex())


def _one_sided(source: Source, other: Source, now: float) -> Iterator[Finding]:
    """Yield the closings that one side has and the other, which has chains of that table or is a house, has not."""
    if not source.is_witness:
        return
    digests, tables = {release.digest for release, _ in other.releases()}, other.tables()
    for release, header in source.releases():
        concerned = not other.is_witness or (header.origin, header.table.bytes) in tables
        if concerned and release.digest not in digests and release.time_ms / 1000 < now - GRACE_SECONDS:
            yield Finding(ONE_SIDED, f"{source.name}: {_describe(release)}", other.name, "no such closing")


def _untimely(house: Source, now: float) -> Iterator[Finding]:
    """Yield links that were given out before their closing or long after it, or have no result in time."""
    for release, round_ in house.results:
        where = f"{house.name}: {_describe(release)}"
        waited = (release.time_ms - round_.closed_ms) / 1000
        if waited > GRACE_SECONDS or waited < -CLOCK_SECONDS:
            yield Finding(LATE if waited > 0 else EARLY, where, f"closed at {round_.closed_ms} ms", f"{waited:.0f} s")
        ended = now if round_.ended_ms is None else round_.ended_ms / 1000
        if ended - release.time_ms / 1000 > GRACE_SECONDS:
            yield Finding(NO_RESULT, where, f"one in {GRACE_SECONDS:.0f} s", round_.result or "none")


def _at_empty_tables(source: Source, house: Source) -> Iterator[Finding]:
    """Yield the links of a source that were given out before anybody sat at their table, as the house says."""
    for release, header in source.releases():
        if header.table not in house.seated:
            continue
        seated = house.seated[header.table]
        if seated is None or release.time_ms < seated - CLOCK_SECONDS * 1000:
            where = f"{source.name}: {_describe(release)}, table {header.table}"
            yield Finding(
                NOBODY_SAT, where, "nobody ever sat" if seated is None else f"{seated} ms", f"{release.time_ms} ms"
            )


def _number(statement: Release | Retirement, source: Source) -> tuple[bytes, str, int, int]:
    header = source.headers[statement.chain]
    generation = statement.generation if isinstance(statement, Retirement) else header.generation
    return header.release_key, header.origin, generation, statement.number


def _describe(statement: Release | Retirement) -> str:
    if isinstance(statement, Retirement):
        return f"retirement of chain {statement.chain.hex()}, number {statement.number}"
    return f"chain {statement.chain.hex()} index {statement.index}, number {statement.number}"


def _read_file(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _read_witness(source: Source, url: str, origin: str) -> Iterator[Any]:
    """Yield headers before the statements that need them, and notes. A path or request that it withholds is wrong."""
    with httpx.Client(base_url=url, timeout=TIMEOUT) as client:
        identity = _get(client, "/")
        source.release_key, source.cosigner = (
            bytes.fromhex(identity["release_key"]),
            NoteKey.parse(identity["cosigner"]),
        )
        known: set[str] = set()
        for each in [origin] if origin else identity["origins"]:
            for generation in range(1, identity["generation"] + 1):
                asked = {"origin": each, "generation": generation}
                for row in _pages(client, "/v1/statements", "statements", source.after.get(generation, 0), **asked):
                    chain = statements.parse_statement(bytes.fromhex(row["statement"])).chain.hex()
                    if chain not in known:
                        known.add(chain)
                        yield _get(client, f"/v1/chains/{chain}")
                    yield {"path": [], "request_signature": "", **row}
            yield from _pages(client, "/v1/checkpoints", "checkpoints", origin=each)


def _pages(client: httpx.Client, path: str, name: str, after: int = 0, **query: Any) -> Iterator[Any]:
    while rows := _get(client, path, **query, after=after)[name]:
        yield from rows
        after = rows[-1]["number"]


def _get(client: httpx.Client, path: str, **query: Any) -> Any:
    return client.get(path, params=query).raise_for_status().json()
