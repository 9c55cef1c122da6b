"""Kinds of tampering with what witnesses signed for a house: links, statements, chains, indexes and checkpoints.

The whole chain of the log is computed again after each. Every kind has a table of its own with a witness. Where it says
so, the attacker has the keys of the house or the witness, too.
"""

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit import engine
from baccarat.domain.fairness.links import SignedRelease, statement_of
from baccarat.services import dealing, witness_chains
from casino.crypto import ed25519
from casino.witness.statements import ChainHeader, ClosingKind
from tests.baccarat.audit.playing import rechain, sit
from tests.baccarat.audit.test_kinds_of_tampering import remove_protection
from tests.baccarat.services.witnessing import pin, witnessing
from tests.casino.witness.running import CLOSING_PRIVATE
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database, until

OTHER: Final = "ab" * 32
STATEMENT, CHAIN, TERMS, CLOSING = (
    "witness's statement differs", "witness's chain differs", "terms differ", "closing differs",
)  # fmt: skip
NO_LINKS: Final = "cards without the witnesses' links"
ROUNDS: Final = 2


@dataclass
class Table:
    """A table's last two rounds, which have links, seen by a superuser; `witness` is its private key of releases."""

    owner: "psycopg.Connection[Any]"
    table: str
    rounds: list[str]
    other: str
    witness: bytes

    def data(self, kind: str, *, round_: int = 1, stream: str = "") -> Any:
        return self._event(kind, round_, stream)[1]

    def change(self, kind: str, change: Callable[[Any], object], *, round_: int = 1, stream: str = "") -> None:
        event, data = self._event(kind, round_, stream)
        change(data)
        self.owner.execute("UPDATE events_event SET data = %s::jsonb WHERE id = %s", [json.dumps(data), event])

    def release(self, **changes: object) -> None:
        self.change("LinksReleased", lambda data: data["releases"][0].update(changes))

    def sign(self, **changes: object) -> None:
        """Change the statement, and have the witness sign it."""
        given, closing = self.data("LinksReleased")["releases"][0], self.data("BettingClosed")["closing"]
        (place,) = self.data("RoundOpened")["witnesses"]
        made = SignedRelease(**{**given, **changes})
        data = statement_of(made, index=place["index"], kind=ClosingKind.PLAYED, digest=closing["digest"])
        self.release(**changes, signature=ed25519.sign(self.witness, data).hex())

    def chain(self, **changes: object) -> None:
        self.change("WitnessChainOpened", lambda data: data.update(changes), stream=f"table-{self.table}")

    def sign_header(self, **changes: object) -> None:
        """Change the chain's header, and have both sign it."""
        opened = self.data("WitnessChainOpened", stream=f"table-{self.table}")
        data = replace(ChainHeader.parse(bytes.fromhex(opened["header"])), **changes).serialize()
        keys = {"signature": self.witness, "house_signature": CLOSING_PRIVATE}
        self.chain(header=data.hex(), **{name: ed25519.sign(key, data).hex() for name, key in keys.items()})

    def _event(self, kind: str, round_: int, stream: str) -> Any:
        where = [stream or f"round-{self.rounds[round_]}", kind]
        query = "SELECT id, data FROM events_event WHERE stream = %s AND type = %s ORDER BY version LIMIT 1"
        return self.owner.execute(query, where).fetchone()


def given_before(table: Table) -> None:
    """Show the links of the round before."""
    before = table.data("LinksReleased", round_=0)["releases"]
    table.change("LinksReleased", lambda data: data.update(releases=before))


def given_elsewhere(table: Table) -> None:
    """Show the links of another table."""
    elsewhere = table.data("LinksReleased", stream=f"round-{table.other}")["releases"]
    table.change("LinksReleased", lambda data: data.update(releases=elsewhere))


def opened_elsewhere(table: Table) -> None:
    """Use a chain that was made for another table."""
    (other,) = table.owner.execute(
        "SELECT data FROM events_event WHERE type = 'WitnessChainOpened' AND stream <> %s LIMIT 1",
        [f"table-{table.table}"],
    ).fetchone() or [{}]
    table.chain(**other)


def opened_by_another_house(table: Table) -> None:
    table.sign_header(closing_key=ed25519.public_key(b"\x13" * 32))


def index(number: int) -> Callable[[Table], None]:
    def change(table: Table) -> None:
        table.change("RoundOpened", lambda data: data["witnesses"][0].update(index=number))

    return change


def opened(**changes: object) -> Callable[[Table], None]:
    return lambda table: table.change("RoundOpened", lambda data: data.update(changes))


def closing(**changes: object) -> Callable[[Table], None]:
    return lambda table: table.change("BettingClosed", lambda data: data["closing"].update(changes))


KINDS: Final[dict[str, tuple[Callable[[Table], object], str]]] = {
    "a link replaced": (lambda t: t.release(link=OTHER), STATEMENT),
    "a signature of a statement replaced": (lambda t: t.release(signature="ab" * 64), STATEMENT),
    "a signature of a statement removed": (lambda t: t.release(signature=""), STATEMENT),
    "a statement of another time": (lambda t: t.release(time_ms=1), STATEMENT),
    "a statement of another number": (lambda t: t.release(number=99), STATEMENT),
    "a statement after another one": (lambda t: t.release(previous=OTHER), STATEMENT),
    "a path of a link replaced": (lambda t: t.release(path=OTHER * 8), STATEMENT),
    "a path of a link cut off": (lambda t: t.release(path=""), STATEMENT),
    "a statement said to be of another chain": (lambda t: t.release(chain=OTHER), STATEMENT),
    "a statement removed": (lambda t: t.change("LinksReleased", lambda data: data.update(releases=[])), STATEMENT),
    "the statement of the round before": (given_before, STATEMENT),
    "the statement of another table": (given_elsewhere, STATEMENT),
    "a link that the witness made up and signed": (lambda t: t.sign(link=OTHER), STATEMENT),
    "a statement that the witness dated before its closing": (lambda t: t.sign(time_ms=1), STATEMENT),
    "a chain with another header": (lambda t: t.chain(header=""), CHAIN),
    "a chain that the witness did not sign": (lambda t: t.chain(signature="ab" * 64), CHAIN),
    "a chain that the house did not sign": (lambda t: t.chain(house_signature="ab" * 64), CHAIN),
    "the chain of another table": (opened_elsewhere, CHAIN),
    "another root that both signed": (lambda t: t.sign_header(root=b"\x13" * 32), CHAIN),
    "a chain of a generation that both signed again": (lambda t: t.sign_header(generation=9), CHAIN),
    "a chain that is another house's": (opened_by_another_house, CHAIN),
    "a round that names no witness": (opened(witnesses=[]), TERMS),
    "a round that uses a later link": (index(200), TERMS),
    "a round that uses the link of another chain": (opened(witnesses=[{"chain": OTHER, "index": 1}]), TERMS),
    "a closing that saw another cosigned log": (closing(cosigned={"size": 1, "root": OTHER}), CLOSING),
    "a closing that saw no cosigned log": (closing(cosigned=None), CLOSING),
    "a closing that the witness was not asked for": (closing(blind=OTHER), CLOSING),
}
"""By name: the change, and the finding that names it, in the table or its last round."""


@pytest.fixture
def database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    with fresh_database(services, django_db_blocker) as database:
        yield database


def test_tampering_with_what_witnesses_signed_is_named(
    database: Database, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        tables = [sit("mini") for _ in KINDS]
        pin()
        while witness_chains.open_chains(height=8):
            pass
        for _ in range(ROUNDS):
            pin()
            for seated in tables:
                seated.bet(banker=2500)
                dealing.deal_due()
        until(lambda: not dealing.release_due())
        pin()
        assert engine.run_audit(max_wait=3600).findings == ()
        key = bytes.fromhex((tmp_path / "witness" / "release.key").read_text())
        with database.owner() as owner:
            remove_protection(owner)
            rounds = {str(seated.table): rounds_of(owner, seated.table) for seated in tables}
            names = list(rounds)
            for (change, _), table, other in zip(KINDS.values(), names, [*names[1:], names[0]], strict=True):
                change(Table(owner, table, rounds[table], rounds[other][1], key))
        rechain(database)
        found = [(each.kind, each.location) for each in engine.run_audit(max_wait=3600).findings]
    for (name, (_, finding)), table in zip(KINDS.items(), names, strict=True):
        places = [place for kind, place in found if kind == finding]
        ids = (table, *rounds[table])
        assert any(each in place for place in places for each in ids), (name, finding, of_table(found, ids))


def rounds_of(owner: "psycopg.Connection[Any]", table: object) -> list[str]:
    """Return the last two settled rounds of a table, in their order."""
    query = "SELECT id FROM baccarat_round WHERE table_id = %s AND phase = 'settled' ORDER BY number DESC LIMIT 2"
    return [str(key) for (key,) in reversed(owner.execute(query, [table]).fetchall())]


def of_table(found: list[tuple[str, str]], ids: tuple[str, ...]) -> list[tuple[str, str]]:
    return [each for each in found if any(key in each[1] for key in ids)]
