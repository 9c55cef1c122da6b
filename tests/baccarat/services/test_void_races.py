"""Voids beside everything else that happens at the same time, and after any play."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baccarat.domain.rounds.state import Phase
from casino.kernel.money import MoneyType
from casino.operators.refusals import ChangeDecided
from tests.support.depth import examples
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, FUNDS, At, House, deal_all
from tests.support.voids import (
    approve,
    ask,
    debt,
    in_hand,
    last,
    money,
    refusals,
    void_settled,
)
from wallet.ledger.accounts import AccountKind

InThreads = Callable[..., list[Any]]


def test_a_round_in_hand_is_still_dealt_after_an_older_one_was_voided(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.deal({P: 500})
    ben.pass_turn()
    deal_all()
    older, running = last(house, table), in_hand(house, table)
    ask(house, older)
    ann.deal({B: 500})
    ben.pass_turn()

    approve(house, older)

    deal_all()
    assert house.round(running).phase is Phase.SETTLED
    house.agree(table)


def test_of_a_void_and_the_dealer_at_once_one_comes_first_and_the_books_agree(
    house: House, in_threads: InThreads
) -> None:
    for _ in range(6):
        table = house.table("mini")
        ann = house.seated(table)
        ann.deal({P: 5000})
        running = in_hand(house, table)

        results = in_threads(4, lambda number, r=running: ask(house, r) if number == 0 else deal_all())

        assert refusals(results) == ["done"] * 4
        after = house.round(running)
        assert after.phase in {Phase.VOIDED, Phase.SETTLED}
        assert after.phase is not Phase.VOIDED or house.game(ann) == BUY_IN
        house.agree(table)


def test_of_many_approvals_at_once_one_undoes_the_round(house: House, in_threads: InThreads) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    before = money(house, table, ann)
    ann.deal({P: 5000})
    deal_all()
    voided = last(house, table)
    ask(house, voided)

    results = in_threads(6, lambda number: approve(house, voided, by=f"staff:{number + 2}"))

    assert refusals(results) == [*[ChangeDecided.__name__] * 5, "done"]
    assert money(house, table, ann) == before
    house.agree(table)


@pytest.mark.parametrize("move", ["leave", "rebuy", "credit"])
def test_a_void_beside_a_move_of_the_money_leaves_the_books_in_agreement(
    house: House, in_threads: InThreads, move: str
) -> None:
    for _ in range(4):
        table = house.table("mini")
        ann = house.seated(table)
        ann.deal({P: 5000})
        deal_all()
        voided = last(house, table)
        ask(house, voided)
        moves: dict[str, Callable[[], object]] = {
            "leave": ann.leave,
            "rebuy": partial(ann.rebuy, 2500),
            "credit": partial(house.credit, ann.player, 2500),
        }

        results = in_threads(2, lambda number, r=voided, m=moves[move]: approve(house, r) if number == 0 else m())

        assert refusals(results) == ["done", "done"]
        credited = 2500 if move == "credit" else 0
        assert house.account(ann) + house.game(ann) - debt(house, ann) == FUNDS + credited
        house.agree(table)


WISH = st.tuples(st.sampled_from([P, B, T]), st.sampled_from([2500, 5000, 10_000]))


@settings(max_examples=examples(8), suppress_health_check=list(HealthCheck))
@given(
    preset=st.sampled_from(["atlantic_city", "big_table", "overview", "mini"]),
    wishes=st.lists(WISH, min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
    stays=st.booleans(),
)
def test_whatever_was_played_voiding_all_of_it_restores_what_there_was(
    house: House, preset: str, wishes: list[tuple[str, int]], order: Any, stays: bool
) -> None:
    table = house.table(preset)
    ann = house.company(table, 2)[0] if preset in {"atlantic_city", "big_table"} else house.seated(table)
    before = house.account(ann) + house.game(ann)
    played = []
    for spot, stake in wishes:
        ann.deal({spot: stake})
        for seat in house.in_hand(table).seats:
            if seat.player != ann.player:
                At(replace(ann.guest, player=seat.player)).pass_turn()
        deal_all()
        played.append(last(house, table))
    if not stays:
        ann.leave()
    order.shuffle(played)

    for round_ in played:
        void_settled(house, round_)

    assert house.account(ann) + house.game(ann) == before
    assert (house.rack(ann), debt(house, ann)) == (0, 0)
    assert [house.holds(table, kind) for kind in (AccountKind.BANK, AccountKind.COMMISSION)] == [0, 0]
    assert all(house.round(round_).phase is Phase.VOIDED for round_ in played)
    assert house.holds(table, AccountKind.STAKES, MoneyType.REAL) == 0
    house.agree(table)
