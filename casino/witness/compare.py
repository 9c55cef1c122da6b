"""Compare what two sources say: witnesses (URLs), or files of what a house or a player kept.

A file has a JSON object on each line, with `header` and `header_signature` of a chain, `statement` and `signature`, or
`note`, or with several of them. A contradiction is signed by whoever is to blame.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from casino.crypto import ed25519
from casino.crypto.signed_note import MalformedNote, SignedNote, TreeHead
from casino.kernel.findings import Finding
from casino.witness import statements
from casino.witness.statements import ChainHeader, InvalidStatement, Release, Retirement

NOT_SIGNED: Final = "statement is not signed by its witness"
INDEX_TWICE: Final = "index given out twice"
NUMBER_TWICE: Final = "number used twice"
MISSING: Final = "statement is missing"
BROKEN: Final = "statements do not follow one another"
ONE_SIDED: Final = "closing is not at the other"
FORKED: Final = "roots of one size differ"
UNREADABLE: Final = "line is not readable"

GRACE_SECONDS: Final = 60.0
"""How long a closing may be known to one side only: it has a public result by then."""
TIMEOUT: Final = 10.0
Numbered = dict[tuple[bytes, str, int, int], bytes]


class CannotCompare(Exception):
    """A source cannot be read; the message says why."""


@dataclass(slots=True)
class Source:
    """What one side says, as far as it is signed."""

    name: str
    is_witness: bool
    headers: dict[bytes, ChainHeader] = field(default_factory=dict)
    statements: list[tuple[Release | Retirement, bytes]] = field(default_factory=list)
    notes: dict[tuple[str, int], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    findings: list[Finding] = field(default_factory=list)

    def add(self, line: Any) -> None:
        """Take an object of a file or an answer."""
        try:
            if "header" in line:
                self._add_header(line)
            if "statement" in line:
                self._add_statement(bytes.fromhex(line["statement"]), bytes.fromhex(line["signature"]))
            if "note" in line:
                head = TreeHead.parse(SignedNote.parse(line["note"]).text)
                self.notes[head.origin, head.size].add(head.root)
        except (InvalidStatement, MalformedNote, ValueError, TypeError, KeyError) as error:
            self.findings.append(Finding(UNREADABLE, self.name, "what a witness signs", f"{error}"[:200]))

    def releases(self) -> Iterator[tuple[Release, ChainHeader]]:
        """Yield the releases with the headers of their chains."""
        for statement, _ in self.statements:
            if isinstance(statement, Release):
                yield statement, self.headers[statement.chain]

    def tables(self) -> set[tuple[str, bytes]]:
        return {(header.origin, header.table.bytes) for header in self.headers.values()}

    def _add_header(self, line: Any) -> None:
        data = bytes.fromhex(line["header"])
        header = ChainHeader.parse(data)
        signature = bytes.fromhex(line.get("header_signature") or line["signature"])
        if ed25519.is_signed(data, signature, public=header.release_key):
            self.headers[header.chain] = header
        else:
            self.findings.append(Finding(NOT_SIGNED, f"{self.name}: chain {header.chain.hex()}", "a signature", "none"))

    def _add_statement(self, data: bytes, signature: bytes) -> None:
        statement = statements.parse_statement(data)
        header = self.headers.get(statement.chain)
        if header is None or not ed25519.is_signed(data, signature, public=header.release_key):
            where = f"{self.name}: {_describe(statement)}"
            self.findings.append(Finding(NOT_SIGNED, where, "a signature of the header's key", "none"))
        else:
            self.statements.append((statement, data))


def read_source(name: str, *, origin: str) -> Source:
    """Read a witness's URL or a file. Raises CannotCompare."""
    source = Source(name, is_witness=name.startswith(("http://", "https://")))
    try:
        lines = _read_witness(name.rstrip("/"), origin) if source.is_witness else _read_file(Path(name))
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
    moment = time.time() if now is None else now
    findings += _one_sided(first, second, moment)
    findings += _one_sided(second, first, moment)
    for origin, size in sorted(first.notes.keys() | second.notes.keys()):
        both = first.notes.get((origin, size), set()) | second.notes.get((origin, size), set())
        if len(both) > 1:
            findings.append(Finding(FORKED, f"{origin} at {size}", *sorted(each.hex() for each in both)[:2]))
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


def _gaps(source: Source) -> Iterator[Finding]:
    """Yield where a witness's own list has gaps, or does not follow from one statement to the next."""
    listed = {_number(statement, source): (statement, data) for statement, data in source.statements}
    for key, (statement, _) in sorted(listed.items()):
        if statement.number == 1:
            expected = statements.NO_STATEMENT
        else:
            before = listed.get((*key[:3], statement.number - 1))
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


def _read_witness(url: str, origin: str) -> Iterator[Any]:
    """Yield headers before the statements that need them, and notes."""
    with httpx.Client(base_url=url, timeout=TIMEOUT) as client:
        identity = _get(client, "/")
        known: set[str] = set()
        for each in [origin] if origin else identity["origins"]:
            for generation in range(1, identity["generation"] + 1):
                for row in _pages(client, "/v1/statements", "statements", origin=each, generation=generation):
                    chain = statements.parse_statement(bytes.fromhex(row["statement"])).chain.hex()
                    if chain not in known:
                        known.add(chain)
                        yield _get(client, f"/v1/chains/{chain}")
                    yield row
            yield from _pages(client, "/v1/checkpoints", "checkpoints", origin=each)


def _pages(client: httpx.Client, path: str, name: str, **query: Any) -> Iterator[Any]:
    after = 0
    while rows := _get(client, path, **query, after=after)[name]:
        yield from rows
        after = rows[-1]["number"]


def _get(client: httpx.Client, path: str, **query: Any) -> Any:
    return client.get(path, params=query).raise_for_status().json()
