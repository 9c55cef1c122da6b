from typing import Any

import pytest
from django.db import connection

from casino.events.sql import fetch
from tests.wallet.ledger.world import account, bank, causes, deposits, fund, game, move, stakes
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind
from wallet.ledger.audit import check, compare_batch, matches_expected
from wallet.ledger.entries import NewPosting, build_entry
from wallet.ledger.rebuild import rebuild_balances

TAMPERING = {
    "entry does not sum to zero": "UPDATE wallet_posting SET amount = amount + 1 WHERE account_id = %(alices)s",
    "running balance is wrong": "UPDATE wallet_posting SET balance = balance + 1 WHERE account_id = %(alices)s",
    "entry has fewer than two postings": "DELETE FROM wallet_posting WHERE account_id = %(alices)s",
    "posting out of sequence": "UPDATE wallet_posting SET sequence = sequence + 1 WHERE account_id = %(alices)s",
    "entry without its event": "DELETE FROM events_event WHERE stream = 'funds'",
    "posting without its entry": "DELETE FROM wallet_entry",
    "posting on an unknown account": "DELETE FROM wallet_account WHERE id = %(alices)s",
    "balance of an unknown account": "DELETE FROM wallet_account WHERE id = %(alices)s",
    "balance went below zero": "UPDATE wallet_posting SET amount = -1, balance = -1 WHERE account_id = %(alices)s",
    "balance is not the sum of its postings": "UPDATE wallet_balance SET balance = 7 WHERE account_id = %(alices)s",
    "balance has the wrong floor": "UPDATE wallet_balance SET floor = NOT floor WHERE account_id = %(alices)s",
    "account id is not that of its name": "UPDATE wallet_account SET currency = 'SEK' WHERE id = %(alices)s",
}


@pytest.mark.parametrize("finding", TAMPERING)
def test_what_the_owner_tampers_with_is_found_and_named(database: Any, finding: str) -> None:
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
        owner.execute(TAMPERING[finding], {"alices": game().id})
    assert finding in {found.kind for found in check()}


def test_no_text_hides_a_second_entry_or_one_that_is_missing() -> None:
    wanted = {10: "wager: a -5, b 5", 9: "wager: a -3, b 3"}
    said = "9 wager: a -3, b 3\n10 wager: a -5, b 5"
    assert matches_expected(2, said, wanted)
    assert matches_expected(0, None, {})
    for count, text in ((1, said), (3, said), (2, said.replace("5", "6")), (0, None)):
        assert not matches_expected(count, text, wanted)


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
    found = compare_batch([right, missing, extra, different, kind, silent], derived)
    assert {(finding.location, finding.kind) for finding in found} == {
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
    assert rebuild_balances() == len(before) == 4
    assert fetch(rows) == before


def test_every_kind_of_account_has_the_floor_that_the_rules_give_it(database: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT wallet_open(array_agg(gen_random_uuid()), array_agg(kind || %s)) FROM unnest(%s::text[]) AS kind",
            [f"/{account().operator}/real/EUR//", [str(kind) for kind in AccountKind]],
        )
    found = {finding.kind for finding in check()}
    assert "balance has the wrong floor" not in found
    rebuild_balances()
    assert "balance has the wrong floor" not in {finding.kind for finding in check()}
