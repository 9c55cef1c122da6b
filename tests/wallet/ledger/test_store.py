"""Posting entries and reading balances and statements, with concurrent and random batches."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.kernel.money import MoneyType
from tests.support.depth import examples
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR, account, bank, causes, deposits, fund, game, move, stakes
from wallet.ledger import store
from wallet.ledger.accounts import NEVER_NEGATIVE, AccountKind, AccountName, operator_account, player_account
from wallet.ledger.audit import check
from wallet.ledger.entries import NewEntry, NewPosting, build_entry
from wallet.ledger.refusals import InsufficientFunds
from wallet.ledger.store import ConflictingEntry

InThreads = Callable[..., list[Any]]


@pytest.mark.django_db
def test_posting_moves_money_and_keeps_the_running_balance() -> None:
    first, second, third = causes(3)
    store.post([move(first, deposits(), account(), 1000), move(second, account(), game(), 300)])
    store.post([move(third, account(), game(), 200)])
    assert store.balances([account(), game(), deposits(), stakes()]) == {
        account(): 500,
        game(): 500,
        deposits(): -1000,
        stakes(): 0,
    }
    assert [(line.sequence, line.amount, line.balance, line.cause) for line in store.statement(account())] == [
        (3, -200, 500, third),
        (2, -300, 700, second),
        (1, 1000, 1000, first),
    ]


@pytest.mark.django_db
def test_a_statement_is_read_from_either_end_in_pages() -> None:
    store.post([move(cause, deposits(), account(), 1) for cause in causes(5)])
    assert [line.sequence for line in store.statement(account(), limit=2)] == [5, 4]
    assert [line.sequence for line in store.statement(account(), before=4, limit=2)] == [3, 2]
    assert [line.sequence for line in store.statement(account(), after=0, limit=2)] == [1, 2]
    assert [line.sequence for line in store.statement(account(), after=2, before=5)] == [3, 4]


@pytest.mark.django_db
def test_posting_is_one_statement_and_so_is_reading_balances() -> None:
    fund(game(), 100)
    wagers = [move(cause, game(), stakes(), 1) for cause in causes(20)]
    with CaptureQueriesContext(
        connection,
    ) as posted:
        store.post(wagers)
    with CaptureQueriesContext(connection) as read:
        store.balances([game(), stakes(), bank(), account()])
    assert (len(posted), len(read)) == (1, 1)


@pytest.mark.django_db
def test_a_cause_posts_once() -> None:
    fund(game(), 100)
    (cause,) = causes(1)
    for _ in range(3):
        store.post([move(cause, game(), stakes(), 40)])
    store.post([move(cause, game(), stakes(), 40)] * 2)
    assert store.balances([game()]) == {game(): 60}


@pytest.mark.django_db
def test_a_batch_posts_only_its_new_entries() -> None:
    fund(game(), 100)
    first, second, third = (move(cause, game(), stakes(), 10) for cause in causes(3))
    store.post([second])
    store.post([first, second, third])
    assert store.balances([game(), stakes()]) == {game(): 70, stakes(): 30}
    assert list(check()) == []


@pytest.mark.django_db
@pytest.mark.parametrize("field", ["kind", "amount", "account", "extra posting"])
def test_a_different_entry_for_the_same_cause_is_an_error(field: str) -> None:
    fund(game(), 100)
    (cause,) = causes(1)
    store.post([move(cause, game(), stakes(), 40)])
    other = {
        "kind": build_entry(kind="other", cause=cause, postings=(NewPosting(game(), -40), NewPosting(stakes(), 40))),
        "amount": move(cause, game(), stakes(), 41),
        "account": move(cause, game(), bank(), 40),
        "extra posting": build_entry(
            kind="moved",
            cause=cause,
            postings=(NewPosting(game(), -40), NewPosting(stakes(), 39), NewPosting(bank(), 1)),
        ),
    }[field]
    with pytest.raises(ConflictingEntry), transaction.atomic():
        store.post([other])
    assert store.balances([game(), stakes(), bank()]) == {game(): 60, stakes(): 40, bank(): 0}


@pytest.mark.django_db
def test_two_different_entries_of_one_cause_in_a_batch_are_an_error() -> None:
    with pytest.raises(ConflictingEntry):
        store.post([move(1, game(), stakes(), 1), move(1, game(), stakes(), 2)])


@pytest.mark.django_db
def test_insufficient_funds_report_balance_and_amount_needed() -> None:
    fund(game(), 1000)
    first, second = causes(2)
    with pytest.raises(InsufficientFunds) as caught, transaction.atomic():
        store.post([move(first, game(), stakes(), 400), move(second, game(), stakes(), 750)])
    refusal = caught.value
    assert (refusal.account, refusal.balance, refusal.needed) == (game(), 600, 750)
    assert refusal.facts == {"account": "game", "balance": "6.00", "needed": "7.50", "currency": "EUR"}
    assert store.balances([game(), stakes()]) == {game(): 1000, stakes(): 0}


@pytest.mark.django_db
def test_no_entry_of_a_batch_goes_below_zero_even_if_a_later_one_repays_it() -> None:
    first, second = causes(2)
    with pytest.raises(InsufficientFunds), transaction.atomic():
        store.post([move(first, game(), stakes(), 5), move(second, bank(), game(), 100)])
    store.post([move(second, bank(), game(), 100), move(first, game(), stakes(), 5)])
    assert store.balances([game(), bank()]) == {game(): 95, bank(): -100}


@pytest.mark.django_db
def test_real_and_play_money_stay_apart() -> None:
    fund(game(money_type=MoneyType.PLAY), 500)
    assert store.balances([game(), game(money_type=MoneyType.PLAY)]) == {
        game(): 0,
        game(money_type=MoneyType.PLAY): 500,
    }


@pytest.mark.django_db
def test_only_the_players_own_accounts_are_listed() -> None:
    fund(account(), 500)
    fund(account(BOB), 300, "bobs")
    store.post([move(causes(1)[0], account(), game(), 200)])
    assert store.balances_of_player(operator=OPERATOR, player=ALICE) == {account(): 300, game(): 200}
    assert store.balances_of_player(operator=BOB, player=ALICE) == {}


@pytest.mark.django_db
def test_opening_accounts_again_changes_nothing() -> None:
    store.open_accounts([account(), game()])
    fund(account(), 5)
    store.open_accounts([game(), account(), stakes()])
    assert store.balances([account(), game()]) == {account(): 5, game(): 0}


def test_fifty_parallel_wagers_on_a_balance_for_ten_succeed_ten_times(database: Any, in_threads: InThreads) -> None:
    fund(game(), 1000)
    ids = causes(50)

    def wager(number: int) -> str:
        with transaction.atomic():
            store.post([move(ids[number], game(), stakes(), 100)])
        return "confirmed"

    results = in_threads(50, wager)
    assert results.count("confirmed") == 10
    refused = [result for result in results if result != "confirmed"]
    assert {type(result) for result in refused} == {InsufficientFunds}, refused
    assert store.balances([game(), stakes()]) == {game(): 0, stakes(): 1000}
    lines = store.statement(game(), after=0)
    assert [line.sequence for line in lines] == list(range(1, 12))
    assert [line.balance for line in lines] == list(range(1000, -1, -100))
    assert list(check()) == []


def test_a_cause_posted_by_eight_threads_has_one_entry(database: Any, in_threads: InThreads) -> None:
    fund(game(), 1000)
    (cause,) = causes(1)
    assert in_threads(8, lambda _: store.post([move(cause, game(), stakes(), 100)])) == [None] * 8
    assert store.balances([game(), stakes()]) == {game(): 900, stakes(): 100}
    assert len(store.statement(stakes())) == 1


def test_accounts_used_in_opposite_order_do_not_deadlock(database: Any, in_threads: InThreads) -> None:
    ids = [causes(25, f"thread-{number}") for number in range(4)]

    def swap(number: int) -> None:
        pair = (account(), account(BOB)) if number % 2 else (account(BOB), account())
        for cause in ids[number]:
            both = [NewPosting(pair[0], 1), NewPosting(pair[1], 1), NewPosting(deposits(), -2)]
            store.post([build_entry(kind="both", cause=cause, postings=both)])

    assert in_threads(4, swap) == [None] * 4
    assert store.balances([account(), account(BOB), deposits()]) == {
        account(): 100,
        account(BOB): 100,
        deposits(): -200,
    }
    assert [line.sequence for line in store.statement(deposits(), after=0, limit=200)] == list(range(1, 101))
    assert list(check()) == []


def test_an_account_first_used_by_many_threads_is_opened_once(database: Any, in_threads: InThreads) -> None:
    ids = causes(12)
    assert in_threads(12, lambda number: store.post([move(ids[number], bank(), game(), 5)])) == [None] * 12
    assert store.balances([game(), bank()]) == {game(): 60, bank(): -60}


def accounts(money_type: MoneyType, currency: str) -> list[AccountName]:
    where: dict[str, Any] = {"operator": OPERATOR, "money_type": money_type, "currency": currency}
    players = [player_account(player=UUID(int=number), **where) for number in (1, 2, 3)]
    return [*players, operator_account(kind=AccountKind.DEPOSITS, **where)]


@st.composite
def movements(draw: st.DrawFn) -> tuple[NewPosting, ...]:
    names = accounts(draw(st.sampled_from(MoneyType)), draw(st.sampled_from(["EUR", "JPY"])))
    moved = {name: draw(st.integers(-20, 20)) for name in draw(st.permutations(names))[:3]}
    first, *rest = moved
    moved[first] = -sum(moved[name] for name in rest)
    return tuple(NewPosting(name, amount) for name, amount in moved.items())


def overdrawn(balances: dict[AccountName, int], batch: list[NewEntry]) -> bool:
    """Apply a batch to the model and return whether any entry leaves an account below its floor."""
    failed = False
    for each in batch:
        for posting in each.postings:
            balances[posting.account] += posting.amount
            failed |= posting.account.kind in NEVER_NEGATIVE and balances[posting.account] < 0
    return failed


@pytest.mark.django_db
@settings(max_examples=examples(40))
@given(batches=st.lists(st.lists(movements(), min_size=1, max_size=5), max_size=8))
def test_the_ledger_agrees_with_a_dictionary(batches: list[list[tuple[NewPosting, ...]]]) -> None:
    model: defaultdict[AccountName, int] = defaultdict(int)
    with transaction.atomic():
        for number, batch in enumerate(batches):
            ids = causes(len(batch), f"batch-{number}")
            moved = [(cause, postings) for cause, postings in zip(ids, batch, strict=True)]
            entries = [
                build_entry(kind="any", cause=c, postings=p) for c, p in moved if sum(bool(x.amount) for x in p) > 1
            ]
            expected = defaultdict(int, model)
            if overdrawn(expected, entries):
                with pytest.raises(InsufficientFunds), transaction.atomic():
                    store.post(entries)
            else:
                store.post(entries)
                model = expected
        assert store.balances(model) == model
        assert list(check()) == []
        for money_type in MoneyType:
            for currency in ("EUR", "JPY"):
                assert sum(store.balances(accounts(money_type, currency)).values()) == 0
        transaction.set_rollback(True)
