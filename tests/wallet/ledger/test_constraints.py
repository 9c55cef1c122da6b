"""Constraints and permissions of the ledger's tables, enforced by PostgreSQL."""

from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from tests.wallet.ledger.world import account, bank, causes, fund, game, stakes
from wallet.ledger import store

CHANGES = [
    "UPDATE wallet_account SET kind = 'bank'",
    "UPDATE wallet_entry SET kind = 'other'",
    "UPDATE wallet_posting SET amount = amount + 1",
    "DELETE FROM wallet_account",
    "DELETE FROM wallet_entry",
    "DELETE FROM wallet_posting",
    "TRUNCATE wallet_account CASCADE",
    "TRUNCATE wallet_entry CASCADE",
    "TRUNCATE wallet_posting",
]
ENTRY = "INSERT INTO wallet_entry (kind, cause) VALUES ('raw', %s) RETURNING cause"
POSTING = """INSERT INTO wallet_posting (entry_id, account_id, amount, balance, sequence)
    SELECT %s, account_id, amount, amount, 1000 FROM unnest(%s::uuid[], %s::bigint[]) AS new (account_id, amount)"""


def insert(postings: list[tuple[Any, int]]) -> None:
    store.open_accounts([account(), bank(), stakes()])
    (cause,) = causes(1)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ENTRY, [cause])
        (entry_id,) = cursor.fetchone()
        if postings:
            cursor.execute(POSTING, [entry_id, [name.id for name, _ in postings], [amount for _, amount in postings]])


@pytest.mark.parametrize("statement", CHANGES)
def test_neither_the_application_nor_the_owner_can_change_the_ledger(database: Any, statement: str) -> None:
    fund(game(), 100)
    with pytest.raises(DatabaseError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(statement)
    with database.owner() as owner, pytest.raises(psycopg.Error, match="never changed or removed"):
        owner.execute(statement)
    assert store.balances([game()]) == {game(): 100}


def test_postings_that_create_money_are_refused(database: Any) -> None:
    with pytest.raises(IntegrityError, match="does not sum to zero"):
        insert([(account(), 10), (bank(), -9)])


def test_postings_on_an_unknown_account_are_refused(database: Any) -> None:
    with pytest.raises(IntegrityError, match="does not sum to zero"):
        insert([(game(), 10), (game(account().operator), -10)])


def test_an_entry_without_postings_is_refused_at_commit(database: Any) -> None:
    with pytest.raises(IntegrityError, match="has 0 postings"):
        insert([])


def test_an_unbalanced_posting_cannot_be_added_to_an_entry(database: Any) -> None:
    insert([(account(), 10), (bank(), -10)])
    with pytest.raises(IntegrityError, match="does not sum to zero"), connection.cursor() as cursor:
        cursor.execute(POSTING, [1, [stakes().id], [5]])


def test_an_entry_of_an_unknown_event_is_refused(database: Any) -> None:
    with pytest.raises(IntegrityError, match="foreign key"), connection.cursor() as cursor:
        cursor.execute(ENTRY, [10**9])


def test_the_database_refuses_a_negative_balance(database: Any) -> None:
    fund(game(), 100)
    with pytest.raises(IntegrityError, match="wallet_balance_never_negative"), connection.cursor() as cursor:
        cursor.execute("UPDATE wallet_balance SET balance = -1 WHERE account_id = %s", [game().id])
