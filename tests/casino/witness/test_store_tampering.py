"""Kinds of tampering with a witness's own store, and how `--compare` with what a house kept names each.

The attacker has the file; where it says so, the witness's private keys, too.
"""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import SignedNote, TreeHead
from casino.witness import compare, statements
from casino.witness.statements import ChainHeader, Release
from tests.casino.witness.running import LOG_PRIVATE, ORIGIN, RunningWitness, active_chain, item, running


@dataclass
class Attacker:
    """A connection to the store of a witness whose triggers are dropped, and its keys."""

    database: sqlite3.Connection
    folder: Path

    def do(self, statement: str, *parameters: object) -> None:
        assert self.database.execute(statement, parameters).rowcount, statement

    def key(self, name: str) -> bytes:
        return bytes.fromhex((self.folder / f"{name}.key").read_text().strip())

    def release(self, number: int) -> Release:
        (body,) = self.database.execute("SELECT body FROM statement WHERE number = ?", [number]).fetchone()
        return Release.parse(body)

    def put(self, number: int, release: Release, *, signed: bool) -> None:
        """Replace a statement, with the old signature or one of the witness's key."""
        body = release.serialize()
        self.do("UPDATE statement SET body = ? WHERE number = ?", body, number)
        if signed:
            signature = ed25519.sign(self.key("release"), body)
            self.do("UPDATE statement SET signature = ? WHERE number = ?", signature, number)


def sign_again(attacker: Attacker, **changes: object) -> None:
    """Change statement 2, and sign it and those after it again, each with the hash of the one before."""
    before = replace(attacker.release(2), **changes)
    attacker.put(2, before, signed=True)
    after = replace(attacker.release(3), previous=statements.statement_hash(before.serialize()))
    attacker.put(3, after, signed=True)


def cosign_another_root(attacker: Attacker) -> None:
    """Replace the newest note by one of another root, which the log has signed, too, cosigned again."""
    size, name = attacker.database.execute("SELECT max(size), (SELECT name FROM meta) FROM checkpoint").fetchone()
    head = str(TreeHead(ORIGIN, size, b"\x99" * 32))
    note = SignedNote(head, (signed_note.sign(head, name=ORIGIN, private=LOG_PRIVATE),))
    cosignature = signed_note.cosign(head, name=name, private=attacker.key("cosign"), time=1_800_000_000)
    attacker.do("UPDATE checkpoint SET note = ? WHERE size = ?", f"{note}{cosignature}", size)


def note_of_another_log(attacker: Attacker) -> None:
    head = str(TreeHead(ORIGIN, 1, b"\x99" * 32))
    note = SignedNote(head, (signed_note.sign(head, name=ORIGIN, private=LOG_PRIVATE),))
    attacker.do("UPDATE checkpoint SET note = ?", str(note))


def sign_header_again(attacker: Attacker) -> None:
    """Change when the chain was made, and sign the header again."""
    (data,) = attacker.database.execute("SELECT header FROM chain").fetchone()
    header = replace(ChainHeader.parse(data), created_ms=1).serialize()
    attacker.do("UPDATE chain SET header = ?, signature = ?", header, ed25519.sign(attacker.key("release"), header))


KINDS: dict[str, tuple[Callable[[Attacker], object], str]] = {
    "a statement removed": (lambda a: a.do("DELETE FROM statement WHERE number = 2"), compare.MISSING),
    "the last statement removed": (lambda a: a.do("DELETE FROM statement WHERE number = 3"), compare.HIDDEN),
    "the first statement removed": (lambda a: a.do("DELETE FROM statement WHERE number = 1"), compare.MISSING),
    "all statements removed": (lambda a: a.do("DELETE FROM statement"), compare.HIDDEN),
    "a statement of another closing": (
        lambda a: a.put(2, replace(a.release(2), digest=b"\x77" * 32), signed=False),
        compare.NOT_SIGNED,
    ),
    "a statement of another time": (
        lambda a: a.put(2, replace(a.release(2), time_ms=1), signed=False),
        compare.NOT_SIGNED,
    ),
    "a signature of a statement replaced": (
        lambda a: a.do("UPDATE statement SET signature = zeroblob(64) WHERE number = 2"),
        compare.NOT_SIGNED,
    ),
    "a request that the house did not sign": (
        lambda a: a.do("UPDATE statement SET request_signature = zeroblob(64) WHERE number = 2"),
        compare.NOT_ASKED,
    ),
    "another closing signed by the witness's key": (
        lambda a: sign_again(a, digest=b"\x77" * 32),
        compare.INDEX_TWICE,
    ),
    "another closing that the house did not ask for": (
        lambda a: sign_again(a, digest=b"\x77" * 32),
        compare.NOT_ASKED,
    ),
    "another link signed by the witness's key": (lambda a: sign_again(a, link=b"\x77" * 32), compare.WRONG_LINK),
    "another time signed by the witness's key": (lambda a: sign_again(a, time_ms=1), compare.BROKEN),
    "another number signed by the witness's key": (lambda a: sign_again(a, number=9), compare.MISSING),
    "another hash of the statement before": (lambda a: sign_again(a, previous=b"\x77" * 32), compare.BROKEN),
    "statements given to another log": (
        lambda a: a.do("UPDATE statement SET origin = 'casino.other/log'"),
        compare.HIDDEN,
    ),
    "statements moved to a later generation": (
        lambda a: a.do("UPDATE statement SET generation = generation + 5"),
        compare.HIDDEN,
    ),
    "the secret of a chain replaced": (lambda a: a.do("UPDATE chain SET secret = zeroblob(32)"), compare.WRONG_LINK),
    "a header changed": (lambda a: a.do("UPDATE chain SET header = zeroblob(length(header))"), compare.UNREADABLE),
    "a signature of a header replaced": (
        lambda a: a.do("UPDATE chain SET signature = zeroblob(64)"),
        compare.NOT_SIGNED,
    ),
    "another header signed by the witness's key": (sign_header_again, compare.NOT_SIGNED),
    "a chain that the house did not activate": (
        lambda a: a.do("UPDATE chain SET house_signature = NULL"),
        compare.NOT_ACTIVATED,
    ),
    "an activation by somebody else": (
        lambda a: a.do("UPDATE chain SET house_signature = zeroblob(64)"),
        compare.NOT_ACTIVATED,
    ),
    "a note removed": (lambda a: a.do("DELETE FROM checkpoint"), compare.HIDDEN),
    "a note that the witness did not cosign": (note_of_another_log, compare.NOT_COSIGNED),
    "another root cosigned by the witness's key": (cosign_another_root, compare.FORKED),
}
"""By name: the change, and the finding that names it."""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[RunningWitness, Path]]:
    """Run a witness that gave out three links, and keep what its house got."""
    folder = tmp_path_factory.mktemp("witness")
    with running(folder / "data") as witness, witness.client() as client:
        chain = active_chain(witness, client)
        results = client.release([item(chain, index) for index in range(3)])
        lines = [{"header": chain.header.serialize().hex(), "header_signature": chain.signature.hex()}]
        lines += [{"statement": each.statement.hex(), "signature": each.signature.hex()} for each in results]
        with contextlib.closing(sqlite3.connect(folder / "data" / "witness.sqlite3")) as database:
            lines += [{"note": note} for (note,) in database.execute("SELECT note FROM checkpoint")]
        kept = folder / "kept.jsonl"
        kept.write_text("\n".join(map(json.dumps, lines)))
        yield witness, kept


@contextlib.contextmanager
def tampered(witness: RunningWitness) -> Generator[Attacker]:
    """Yield the store for a change, and put it back at the end."""
    file = witness.folder / "witness.sqlite3"
    with contextlib.closing(sqlite3.connect(file)) as database, contextlib.closing(sqlite3.connect(":memory:")) as copy:
        database.backup(copy)
        try:
            for (trigger,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                database.execute(f"DROP TRIGGER {trigger}")
            yield Attacker(database, witness.folder)
        finally:
            database.rollback()
            copy.backup(database)


def findings(witness: RunningWitness, kept: Path) -> set[str]:
    sources = [compare.read_source(name, origin=ORIGIN) for name in (witness.url, str(kept))]
    return {finding.kind for finding in compare.compare(*sources)}


def test_an_untouched_store_agrees_with_what_its_house_kept(attacked: tuple[RunningWitness, Path]) -> None:
    assert findings(*attacked) == set()


@pytest.mark.parametrize("name", KINDS)
def test_tampering_with_a_witnesss_store_is_named(attacked: tuple[RunningWitness, Path], name: str) -> None:
    witness, kept = attacked
    change, expected = KINDS[name]
    with tampered(witness) as attacker:
        change(attacker)
        attacker.database.commit()
        assert expected in findings(witness, kept)
