from typing import Any

import pytest
from django.db import connection

from casino.events.rebuild import rebuild
from casino.events.sql import fetch
from tests.conftest import as_owner
from tests.wallet.ledger.world import account, bank, causes, deposits, fund, game, move, stakes
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind
from wallet.ledger.audit import check, compare_batch
from wallet.ledger.entries import NewPosting, build_entry
from wallet.ledger.store import BALANCES

TAMPERING = {
    "entry does not sum to zero": "UPDATE wallet_posting SET amount = amount + 1 WHERE account_id = %(alices)s",
    "running balance is wrong": "UPDATE wallet_posting SET balance = balance + 1 WHERE account_id = %(alices)s",
    "entry has fewer than two postings": "DELETE FROM wallet_posting WHERE account_id = %(alices)s",
    "posting out of sequence": "UPDATE wallet_posting SET sequence = sequence + 1 WHERE account_id = %(alices)s",
    "entry without its event": "DELETE FROM events_event WHERE stream = 'funds'",
    "entry of another operator": "UPDATE wallet_entry SET operator_id = gen_random_uuid()",
    "posting without its entry": "DELETE FROM wallet_entry",
    "posting on an unknown account": "DELETE FROM wallet_account WHERE id = %(alices)s",
    "balance of an unknown account": "DELETE FROM wallet_account WHERE id = %(alices)s",
    "balance went below zero": "UPDATE wallet_posting SET amount = -1, balance = -1 WHERE account_id = %(alices)s",
    "balance is not the sum of its postings": "UPDATE wallet_balance SET balance = 7 WHERE account_id = %(alices)s",
    "balance has the wrong floor": "UPDATE wallet_balance SET floor = NOT floor WHERE account_id = %(alices)s",
    "account id is not that of its name": "UPDATE wallet_account SET currency = 'SEK' WHERE id = %(alices)s",
}


@pytest.mark.parametrize("kind", TAMPERING)
def test_tampering_by_the_database_owner_is_reported(database: Any, kind: str) -> None:
    fund(game(), 100)
    assert list(check()) == []
    with database.owner() as owner:
        for table in ("wallet_account", "wallet_entry", "wallet_posting", "wallet_balance", "events_event"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for table, constraint in owner.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid::regclass::text LIKE 'wallet_%'"
        ).fetchall():
            owner.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint}")
        owner.execute(TAMPERING[kind], {"alices": game().id})
    assert kind in {finding.kind for finding in check()}


@pytest.mark.django_db
def test_entries_are_compared_with_those_that_their_events_lead_to() -> None:
    right, missing, extra, different, kind, silent = causes(6)
    store.post(
        [
            move(right, deposits(), game(), 100),
            move(extra, game(), stakes(), 1),
            move(different, game(), stakes(), 2),
            move(kind, game(), stakes(), 3),
        ]
    )
    derived = [
        move(right, deposits(), game(), 100),
        move(missing, game(), stakes(), 9),
        move(different, game(), bank(), 2),
        build_entry(kind="other", cause=kind, postings=(NewPosting(game(), -3), NewPosting(stakes(), 3))),
    ]
    findings = compare_batch([right, missing, extra, different, kind, silent], derived)
    assert {(finding.location, finding.kind) for finding in findings} == {
        (f"event {missing}", "entry is missing"),
        (f"event {extra}", "entry that no event leads to"),
        (f"event {different}", "entry moves something else"),
        (f"event {kind}", "entry is of another kind"),
    }


def test_balances_are_rebuilt_from_postings_byte_for_byte(database: Any) -> None:
    fund(account(), 500)
    store.open_accounts([bank()])
    store.post([move(causes(1)[0], account(), game(), 200)])
    rows = "SELECT t::text FROM wallet_balance t ORDER BY account_id"
    before = fetch(rows)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE wallet_balance SET balance = 1, sequence = 77")
    with as_owner(database.owner_url):
        assert rebuild(BALANCES).rows == {"wallet_balance": len(before)} == {"wallet_balance": 4}
    assert fetch(rows) == before


def test_sql_and_python_agree_on_which_accounts_may_go_below_zero(database: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT wallet_open(array_agg(gen_random_uuid()), array_agg(kind || %s)) FROM unnest(%s::text[]) AS kind",
            [f"/{account().operator}/real/EUR//", [str(kind) for kind in AccountKind]],
        )
    assert "balance has the wrong floor" not in {finding.kind for finding in check()}
    with as_owner(database.owner_url):
        rebuild(BALANCES)
    assert "balance has the wrong floor" not in {finding.kind for finding in check()}
