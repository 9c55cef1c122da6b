from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR, TABLE, account, bank, game, stakes
from wallet.ledger import entries
from wallet.ledger.entries import NewPosting, UnbalancedEntry, build_entry

AMOUNTS = st.integers(-(10**12), 10**12)
ACCOUNTS = [account(), account(BOB), game(), stakes(), bank()]


def test_postings_on_one_account_are_merged_and_zeros_dropped() -> None:
    entry = build_entry(
        kind="settled",
        cause=7,
        postings=[
            NewPosting(game(), 5),
            NewPosting(bank(), -8),
            NewPosting(game(), 3),
            NewPosting(stakes(), 2),
            NewPosting(stakes(), -2),
        ],
    )
    assert entry.postings == (NewPosting(game(), 8), NewPosting(bank(), -8))


def test_an_entry_that_creates_money_is_refused() -> None:
    with pytest.raises(UnbalancedEntry, match="does not sum to zero"):
        build_entry(kind="paid", cause=1, postings=[NewPosting(game(), 5), NewPosting(bank(), -4)])


def test_real_and_play_money_do_not_balance_each_other() -> None:
    with pytest.raises(UnbalancedEntry):
        build_entry(
            kind="paid", cause=1, postings=[NewPosting(game(money_type=MoneyType.PLAY), 5), NewPosting(bank(), -5)]
        )


def test_an_entry_that_moves_nothing_is_refused() -> None:
    with pytest.raises(UnbalancedEntry, match="moves nothing"):
        build_entry(kind="paid", cause=1, postings=[NewPosting(game(), 0), NewPosting(bank(), 0)])


def test_buy_in_and_cash_out_move_the_same_money_there_and_back() -> None:
    where: dict[str, Any] = {
        "operator": OPERATOR,
        "player": ALICE,
        "table": TABLE,
        "money_type": MoneyType.REAL,
        "currency": "EUR",
    }
    there = entries.buy_in(cause=1, amount=500, **where)
    again = entries.rebuy(cause=2, amount=500, **where)
    back = entries.cash_out(cause=3, amount=500, **where)
    assert there.postings == again.postings == (NewPosting(account(), -500), NewPosting(game(), 500))
    assert back.postings == (NewPosting(game(), -500), NewPosting(account(), 500))
    assert (there.kind, again.kind, back.kind) == ("buy_in", "rebuy", "cash_out")


@given(st.lists(st.tuples(st.sampled_from(ACCOUNTS), AMOUNTS), max_size=8))
def test_an_entry_exists_exactly_when_it_sums_to_zero_and_moves_something(moves: list[tuple[object, int]]) -> None:
    postings = [NewPosting(name, amount) for name, amount in moves]  # type: ignore[arg-type]
    net = {name: sum(p.amount for p in postings if p.account == name) for name in ACCOUNTS}
    try:
        entry = build_entry(kind="any", cause=1, postings=postings)
    except UnbalancedEntry:
        assert sum(net.values()) != 0 or not any(net.values())
    else:
        assert sum(posting.amount for posting in entry.postings) == 0
        assert {posting.account: posting.amount for posting in entry.postings} == {n: a for n, a in net.items() if a}
