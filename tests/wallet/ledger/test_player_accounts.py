import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from casino.events.store import read
from casino.kernel.money import AmountNotPositive, MoneyType, UnknownCurrency
from casino.operators.services import create_operator
from tests.conftest import Database
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account
from wallet.events import CATALOGUE, entry_for
from wallet.ledger import store
from wallet.ledger.accounts import AccountName
from wallet.ledger.audit import check, compare_batch
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited, wallet_stream
from wallet.ledger.player_accounts import (
    credit_sandbox_player,
    lock_real_accounts,
    open_player_accounts,
    register_player,
)
from wallet.ledger.refusals import CreditTooLarge, OperatorNotSandbox, UnknownAccount

WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def open_alice(currency: str = "EUR") -> None:
    open_player_accounts(operator=OPERATOR, player=ALICE, currency=currency, metadata=METADATA)


def credit(amount: int = 500, **changes: Any) -> int:
    defaults = {"operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR", "sandbox": True}
    return credit_sandbox_player(amount=amount, metadata=METADATA, **{**defaults, **changes})


def recorded_events() -> list[object]:
    return [CATALOGUE.decode(event.type, event.schema, event.data) for event in read(wallet_stream(ALICE, "EUR"))]


@pytest.mark.django_db
def test_opening_a_players_accounts_opens_both_money_types_once() -> None:
    open_alice()
    open_alice()
    assert recorded_events() == [PlayerAccountOpened(OPERATOR, ALICE, "EUR", (MoneyType.REAL, MoneyType.PLAY))]
    assert store.balances_of_player(operator=OPERATOR, player=ALICE) == {
        account(): 0,
        account(money_type=MoneyType.PLAY): 0,
    }


@pytest.mark.django_db
def test_a_player_has_accounts_in_several_currencies() -> None:
    open_alice()
    open_alice("JPY")
    assert {name.currency for name in store.balances_of_player(operator=OPERATOR, player=ALICE)} == {"EUR", "JPY"}
    assert [event.data for event in read(wallet_stream(ALICE, "JPY"))]
    with pytest.raises(UnknownCurrency):
        open_alice("???")


@pytest.mark.django_db
def test_a_credit_is_an_event_and_its_entry() -> None:
    open_alice()
    assert credit(500, note="welcome") == 500
    assert credit(250) == 750
    assert recorded_events()[1:] == [
        SandboxCredited(OPERATOR, ALICE, MoneyType.REAL, "EUR", 500, "welcome"),
        SandboxCredited(OPERATOR, ALICE, MoneyType.REAL, "EUR", 250, ""),
    ]
    assert [line.kind for line in store.statement(account())] == ["sandbox_credit", "sandbox_credit"]


@pytest.mark.django_db
def test_posted_entries_equal_those_derived_from_events() -> None:
    open_alice()
    credit(500)
    credit(70, money_type=MoneyType.PLAY)
    events = read(wallet_stream(ALICE, "EUR"))
    derived = [entry_for(CATALOGUE.decode(event.type, event.schema, event.data), event.id) for event in events]
    assert compare_batch([event.id for event in events], [entry for entry in derived if entry]) == []
    assert list(check()) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"sandbox": False}, OperatorNotSandbox),
        ({"amount": 0}, AmountNotPositive),
        ({"amount": -5}, AmountNotPositive),
        ({"amount": 1_000_000_001}, CreditTooLarge),
        ({"player": BOB}, UnknownAccount),
        ({"operator": UUID(int=99)}, UnknownAccount),
    ],
)
def test_an_invalid_credit_is_refused_and_leaves_nothing(changes: dict[str, Any], refusal: type) -> None:
    open_alice()
    with pytest.raises(refusal):
        credit(**changes)
    assert len(recorded_events()) == 1
    assert set(store.balances_of_player(operator=OPERATOR, player=ALICE).values()) == {0}


def test_accounts_opened_concurrently_are_opened_once(database: Any, in_threads: Callable[..., list[Any]]) -> None:
    assert in_threads(6, lambda _: open_alice()) == [None] * 6
    assert len(recorded_events()) == 1


def test_concurrent_credits_all_arrive(database: Any, in_threads: Callable[..., list[Any]]) -> None:
    open_alice()
    assert sorted(in_threads(8, lambda _: credit(100))) == list(range(100, 900, 100))
    assert store.balances([account()]) == {account(): 800}
    assert list(check()) == []


def test_equal_names_are_equal_accounts() -> None:
    assert AccountName(account().kind, OPERATOR, MoneyType.REAL, "EUR", BOB) == account(BOB)


def test_no_account_is_opened_while_a_change_of_restrictions_holds_the_others(database: Database) -> None:
    operator = create_operator(slug="lucky", name="Lucky", currencies=["EUR", "JPY"], sandbox=False).id
    player = register_player(operator=operator, reference="a", nickname="", currency="EUR", metadata=METADATA).id

    def open_yens() -> None:
        open_player_accounts(operator=operator, player=player, currency="JPY", metadata=METADATA)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        with database.owner() as owner, transaction.atomic():
            lock_real_accounts(operator=operator, player=player)
            opening = pool.submit(open_yens)
            while not opening.done() and not owner.execute(WAITING).fetchall():
                time.sleep(0.01)
            assert not opening.done()
        opening.result()
    assert {name.currency for name in store.balances_of_player(operator=operator, player=player)} == {"EUR", "JPY"}
