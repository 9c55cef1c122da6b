"""Whatever is posted, in whatever batches: money is neither made nor lost, and the model agrees with the database."""

from collections import defaultdict
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import OPERATOR, causes
from wallet.ledger import store
from wallet.ledger.accounts import NEVER_NEGATIVE, AccountKind, AccountName, operator_account, player_account
from wallet.ledger.audit import check
from wallet.ledger.entries import NewEntry, NewPosting, build_entry
from wallet.ledger.refusals import InsufficientFunds


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
    """Applies a batch to the model; whether any single entry of it leaves an account below its floor."""
    failed = False
    for each in batch:
        for posting in each.postings:
            balances[posting.account] += posting.amount
            failed |= posting.account.kind in NEVER_NEGATIVE and balances[posting.account] < 0
    return failed


@pytest.mark.django_db
@settings(max_examples=40, deadline=None)
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
            wanted = defaultdict(int, model)
            if overdrawn(wanted, entries):
                with pytest.raises(InsufficientFunds), transaction.atomic():
                    store.post(entries)
            else:
                store.post(entries)
                model = wanted
        assert store.balances(model) == model
        assert list(check()) == []
        for money_type in MoneyType:
            for currency in ("EUR", "JPY"):
                assert sum(store.balances(accounts(money_type, currency)).values()) == 0
        transaction.set_rollback(True)
