"""Transfers and changes of funding at once."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import sandbox_tenant
from tests.conftest import Database
from tests.wallet.api.test_transfers import move, new_house, wallet
from tests.wallet.payments.counter import method as method_of
from tests.wallet.payments.counter import use_provider


def test_of_fifty_at_once_with_one_reference_one_moves_money_and_all_get_its_answer(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    assert database
    house = new_house()
    alice = house.player("Alice", funds="1.00")
    answers = in_threads(50, lambda _: move(house, alice))
    assert {(answer.status_code, answer.content) for answer in answers} == {(201, answers[0].content)}
    assert (alice.balances()["account", "real"], wallet(house)) == ("101.00", -10_000)

    outs = in_threads(50, lambda number: move(house, alice, reference=f"o-{number}", direction="out", amount="10.00"))
    assert sorted(answer.status_code for answer in outs) == [201] * 10 + [409] * 40
    assert (alice.balances()["account", "real"], wallet(house)) == ("1.00", 0)


def test_no_deposit_slips_past_a_change_of_funding(
    database: Database, in_threads: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    use_provider(monkeypatch)
    house = sandbox_tenant("lucky")  # changes its funding alone
    alice, method = house.player("Alice", funds=""), str(method_of(UUID(house.id)).id)
    payment = {"method": method, "amount": "50.00", "currency": "EUR"}

    def act(number: int) -> Any:
        if number % 2:
            return house.post("operator/funding", {"funding": "transfer"}, key=uuid4().hex)
        return alice.post("me/deposits", payment)

    answers = in_threads(10, act)
    funding = house.read("operator/funding")["funding"]
    made = fetch("SELECT count(*) FROM wallet_deposit")[0][0]
    assert (funding == "transfer") == (made == 0)
    assert sum(answer.status_code == 201 for answer in answers) == made
