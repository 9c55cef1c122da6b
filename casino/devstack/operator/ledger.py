"""The sandbox operator's money: players' balances and transactions in a SQLite file, each id once, with tombstones.

Every call is one transaction of the database. Amounts are minor units.
"""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from casino.kernel import money

Answer = dict[str, Any]
PAGE: Final = 500
_SCHEMA: Final = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS player (
        id TEXT PRIMARY KEY, reference TEXT NOT NULL, currency TEXT NOT NULL, balance INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS movement (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, player TEXT NOT NULL,
        amount INTEGER NOT NULL, currency TEXT NOT NULL, debit TEXT, at TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS cancelled (
        debit TEXT PRIMARY KEY, id TEXT NOT NULL, player TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL,
        found INTEGER NOT NULL, at TEXT NOT NULL
    );
"""


@dataclass(frozen=True, slots=True)
class Order:
    """One item of a message."""

    transaction: str
    player: str
    amount: int
    currency: str
    debit: str | None

    @classmethod
    def of(cls, item: Answer) -> "Order":
        """Read an item. Raises KeyError and Refusal for a malformed one."""
        currency = str(item["currency"])
        amount = money.parse(item["amount"], currency)
        return cls(str(item["transaction"]), str(item["player"]), amount, currency, item.get("debit"))


class Ledger:
    """Balances and movements in one file; for one thread."""

    def __init__(self, file: Path) -> None:
        self._database = sqlite3.connect(file, isolation_level=None)
        self._database.executescript(_SCHEMA)

    def set_player(self, player: str, *, reference: str, currency: str, balance: int) -> None:
        """Register a player, or set the balance."""
        self._database.execute(
            "INSERT INTO player VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
            " SET reference = excluded.reference, currency = excluded.currency, balance = excluded.balance",
            (player, reference, currency, balance),
        )

    def reference_of(self, player: str) -> str:
        rows = self._database.execute("SELECT reference FROM player WHERE id = ?", (player,)).fetchall()
        return str(rows[0][0]) if rows else ""

    def balances(self) -> dict[str, str]:
        """Return all balances as decimal strings."""
        rows = self._database.execute("SELECT id, currency, balance FROM player ORDER BY id").fetchall()
        return {player: money.format_amount(balance, currency) for player, currency, balance in rows}

    def balance(self, player: str, currency: str) -> Answer:
        """Return the status and the balance of a player."""
        held = self._find(player, currency)
        return {"status": "refused", "code": "player_unknown"} if held is None else self._accepted(player, currency)

    def debit(self, order: Order) -> Answer:
        """Take money, once for each id, unless it was cancelled before. Raises ValueError where it would give some."""
        if order.amount < 0:
            raise ValueError("a debit below zero")
        with self._transaction():
            if self._database.execute("SELECT 1 FROM cancelled WHERE debit = ?", (order.transaction,)).fetchone():
                return self._refused(order, "transaction_cancelled")
            return self._move("debit", order, -order.amount)

    def credit(self, order: Order) -> Answer:
        """Pay money for a debit that was made, once for each id, whatever became of the player."""
        with self._transaction():
            if not self._database.execute("SELECT 1 FROM movement WHERE id = ?", (order.debit,)).fetchone():
                return self._refused(order, "debit_unknown")
            return self._move("credit", order, order.amount)

    def correct(self, order: Order) -> Answer:
        """Pay more for a debit, or take some back; once for each id."""
        with self._transaction():
            return self._move("correction", order, order.amount)

    def roll_back(self, order: Order) -> Answer:
        """Take a debit back, or leave a mark for ever that it must not be made."""
        with self._transaction():
            done = self._database.execute("SELECT id, found FROM cancelled WHERE debit = ?", (order.debit,)).fetchone()
            if done is None:
                made = self._database.execute(
                    "SELECT amount FROM movement WHERE id = ? AND kind = 'debit'", (order.debit,)
                ).fetchone()
                self._database.execute(
                    "INSERT INTO cancelled VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        order.debit,
                        order.transaction,
                        order.player,
                        order.amount,
                        order.currency,
                        made is not None,
                        _now(),
                    ),
                )
                if made is not None:
                    self._add(order.player, -made[0])
                done = (order.transaction, made is not None)
            answer = self._accepted(order.player, order.currency)
            return {**answer, "transaction": order.transaction, "reference": f"R-{done[0]}", "found": bool(done[1])}

    def movement(self, transaction: str) -> Answer:
        """Return the movement with an id, in a list, or an empty one."""
        return self._list("movement.id = ?", (transaction,))

    def movements(self, since: str, until: str, cursor: int) -> Answer:
        """Return a page of the movements of a period, oldest first; a rollback changes the status of its debit."""
        return self._list("movement.at >= ? AND movement.at < ? AND number > ?", (since, until, cursor))

    def _list(self, condition: str, values: tuple[object, ...]) -> Answer:
        rows = self._database.execute(
            "SELECT number, movement.id, kind, movement.amount, movement.currency, movement.at,"  # noqa: S608  (constants)
            " cancelled.debit IS NOT NULL FROM movement LEFT JOIN cancelled ON cancelled.debit = movement.id"
            f" WHERE {condition} ORDER BY number LIMIT ?",
            (*values, PAGE + 1),
        ).fetchall()
        items = [
            {
                "transaction": id_,
                "kind": kind,
                "amount": money.format_amount(-amount if kind == "debit" else amount, currency),
                "currency": currency,
                "reference": f"T-{number}",
                "status": "rolled_back" if cancelled else "accepted",
                "at": at,
            }
            for number, id_, kind, amount, currency, at, cancelled in rows[:PAGE]
        ]
        return {"items": items, "next": str(rows[PAGE - 1][0]) if len(rows) > PAGE else None}

    def count(self, kind: str) -> int:
        """Return how many movements of a kind were made."""
        return int(self._database.execute("SELECT count(*) FROM movement WHERE kind = ?", (kind,)).fetchone()[0])

    def _move(self, kind: str, order: Order, change: int) -> Answer:
        known = self._database.execute(
            "SELECT number, kind, player, amount, currency FROM movement WHERE id = ?", (order.transaction,)
        ).fetchone()
        if known is not None:
            if known[1:] != (kind, order.player, change, order.currency):
                return self._refused(order, "reference_differs")
            return self._done(order, known[0])
        held = self._find(order.player, order.currency)
        if held is None:
            return self._refused(order, "player_unknown")
        if held + change < 0 and change < 0:
            return self._refused(order, "insufficient_funds")
        number = self._database.execute(
            "INSERT INTO movement (id, kind, player, amount, currency, debit, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (order.transaction, kind, order.player, change, order.currency, order.debit, _now()),
        ).lastrowid
        self._add(order.player, change)
        return self._done(order, number)

    def _done(self, order: Order, number: int | None) -> Answer:
        answer = self._accepted(order.player, order.currency)
        return {**answer, "transaction": order.transaction, "reference": f"T-{number}"}

    def _refused(self, order: Order, code: str) -> Answer:
        return {"transaction": order.transaction, "status": "refused", "code": code}

    def _accepted(self, player: str, currency: str) -> Answer:
        held = self._find(player, currency) or 0
        balance = {"amount": money.format_amount(held, currency), "currency": currency}
        return {"status": "accepted", "balance": balance}

    def _find(self, player: str, currency: str) -> int | None:
        row = self._database.execute(
            "SELECT balance FROM player WHERE id = ? AND currency = ?", (player, currency)
        ).fetchone()
        return None if row is None else int(row[0])

    def _add(self, player: str, change: int) -> None:
        self._database.execute("UPDATE player SET balance = balance + ? WHERE id = ?", (change, player))

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._database)


class _Transaction:
    """Commits at the end of a block, or rolls back."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
