"""What a witness has made and said, as it is stored and as it is published: only what was given out."""

import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from casino.witness import statements
from casino.witness.houses import Refused
from casino.witness.links import ChainSecret, LinkTrees
from casino.witness.statements import ChainCreation
from casino.witness.store import Store

MAX_LIST: Final = 500
_CHAIN_COLUMNS: Final = (
    "id, origin, game_table, size, closing_key, max_unpinned_s, header, signature, secret, block_roots, "
    "house_signature, next_index, retired"
)
_GIVEN: Final = "SELECT generation, number, body, signature, request_signature FROM statement"
_LISTED: Final = "SELECT generation, number, body, signature, request_signature, chain, link_index FROM statement {}"


@dataclass(frozen=True, slots=True)
class Chain:
    """A row of a chain."""

    id: bytes
    origin: str
    table: bytes
    size: int
    closing_key: bytes
    max_unpinned_s: int
    header: bytes
    signature: bytes
    secret: bytes
    block_roots: bytes
    house_signature: bytes | None
    next_index: int
    retired: int


class PublicRecords:
    """Reads for everybody."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._trees = LinkTrees()

    def chain(self, chain_id: bytes) -> dict[str, Any]:
        """Return a chain as it is published. Raises Refused."""
        return self.present_chain(get_chain(self.store.read(), chain_id))

    def chains(self, origin: str, table: bytes) -> list[dict[str, Any]]:
        """Return the chains of a table, newest first."""
        condition = "WHERE origin = ? AND game_table = ? ORDER BY number DESC LIMIT ?"
        statement = f"SELECT {_CHAIN_COLUMNS} FROM chain {condition}"  # noqa: S608
        rows = self.store.read().execute(statement, [origin, table, MAX_LIST])
        return [self.present_chain(Chain(*row)) for row in rows]

    def statement(self, chain_id: bytes, index: int) -> dict[str, Any]:
        """Return the statement that gave out a link. Raises Refused."""
        database = self.store.read()
        chain = get_chain(database, chain_id)
        row = database.execute(f"{_GIVEN} WHERE chain = ? AND link_index = ?", [chain.id, index]).fetchone()
        if row is None:
            raise Refused(404, "not_given_out", "The link of this index was not given out.")
        return self.present_given(chain, index, row)

    def statements(self, origin: str, generation: int, after: int) -> list[dict[str, Any]]:
        """Return statements of a generation after a number, releases with the paths of their links."""
        condition = "WHERE origin = ? AND generation = ? AND number > ? ORDER BY number LIMIT ?"
        database, listed = self.store.read(), []
        chains: dict[bytes, Chain] = {}
        for *row, chain, index in database.execute(_LISTED.format(condition), [origin, generation, after, MAX_LIST]):
            if index is None:
                listed.append(_present_statement(tuple(row)))
                continue
            if chain not in chains:
                chains[chain] = get_chain(database, chain)
            listed.append(self.present_given(chains[chain], index, tuple(row)))
        return listed

    def refusals(self, origin: str, after: int) -> list[dict[str, Any]]:
        """Return refused requests, which the house had signed, after a number."""
        statement = "SELECT number, code, request, signature, received_ms FROM refusal WHERE origin = ? AND number > ?"
        rows = self.store.read().execute(f"{statement} ORDER BY number LIMIT ?", [origin, after, MAX_LIST])
        return [
            {"number": number, "code": code, "request": request.hex(), "signature": signature.hex(), "time_ms": time_ms}
            for number, code, request, signature, time_ms in rows
        ]

    def present_chain(self, chain: Chain) -> dict[str, Any]:
        state = "retired" if chain.retired else "new" if chain.house_signature is None else "active"
        return {
            "chain": chain.id.hex(),
            "header": chain.header.hex(),
            "signature": chain.signature.hex(),
            "house_signature": None if chain.house_signature is None else chain.house_signature.hex(),
            "state": state,
            "next_index": chain.next_index,
        }

    def present_given(self, chain: Chain, index: int, row: tuple[Any, ...]) -> dict[str, Any]:
        path = self._trees.path(ChainSecret(chain.secret, chain.block_roots), index)
        return {**_present_statement(row), "path": [each.hex() for each in path]}


def find_number(database: sqlite3.Connection, creation: ChainCreation) -> Chain | None:
    """Return the chain that the same request made. Raises Refused if the number belongs to another one."""
    row = database.execute(
        f"SELECT {_CHAIN_COLUMNS} FROM chain WHERE origin = ? AND game_table = ? AND number = ?",  # noqa: S608
        [creation.origin, creation.table.bytes, creation.number],
    ).fetchone()
    if row is None:
        return None
    chain = Chain(*row)
    terms = (creation.closing_key, 1 << creation.height, creation.max_unpinned_s)
    if (chain.closing_key, chain.size, chain.max_unpinned_s) != terms:
        raise Refused(409, "number_passed", "The table has another chain of this number.")
    return chain


def get_chain(database: sqlite3.Connection, chain_id: bytes) -> Chain:
    row = database.execute(f"SELECT {_CHAIN_COLUMNS} FROM chain WHERE id = ?", [chain_id]).fetchone()  # noqa: S608
    if row is None:
        raise Refused(404, "unknown_chain", "This witness has no such chain.")
    return Chain(*row)


def current_generation(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT generation FROM meta").fetchone()[0])


def next_number(database: sqlite3.Connection, origin: str) -> tuple[int, bytes]:
    """Return the number of an origin's next statement, and the hash of the one before."""
    row = database.execute(
        "SELECT number, body FROM statement WHERE origin = ? AND generation = (SELECT generation FROM meta) "
        "ORDER BY number DESC LIMIT 1",
        [origin],
    ).fetchone()
    return (1, statements.NO_STATEMENT) if row is None else (row[0] + 1, statements.statement_hash(row[1]))


def list_open(database: sqlite3.Connection) -> list[Chain]:
    """Return every chain that is not retired."""
    rows = database.execute(f"SELECT {_CHAIN_COLUMNS} FROM chain WHERE NOT retired ORDER BY origin, number").fetchall()  # noqa: S608
    return [Chain(*row) for row in rows]


def find_given(database: sqlite3.Connection, chain: Chain, index: int) -> tuple[Any, ...] | None:
    """Return the statement that gave out a link, or None."""
    row: tuple[Any, ...] | None = database.execute(
        f"{_GIVEN} WHERE chain = ? AND link_index = ?", [chain.id, index]
    ).fetchone()
    return row


def _present_statement(row: tuple[Any, ...]) -> dict[str, Any]:
    generation, number, body, signature, request_signature = row
    return {
        "generation": generation,
        "number": number,
        "statement": body.hex(),
        "signature": signature.hex(),
        "request_signature": request_signature.hex(),
    }
