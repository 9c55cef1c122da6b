"""The gate before payouts: each cause holds by itself, what was released holds no more, and play counts once."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.payments.gate import (
    MILLION,
    CauseKind,
    HoldTerms,
    MoneyFlow,
    PayoutFacts,
    causes,
    keeps_from_cancelling,
    unplayed,
)

FREE = PayoutFacts(amount=1000, terms=HoldTerms(), kyc="unknown")
CAUSED: dict[str, dict[str, Any]] = {
    "open_case:1": {"cases": ("1",)},
    "kyc_failed": {"kyc": "failed"},
    "kyc_missing": {"kyc": "pending", "terms": HoldTerms(kyc_above=999)},
    "sanctions": {"statuses": ("sanctions",)},
    "pep": {"statuses": ("pep",)},
    "tag:watch": {"tags": ("vip", "watch"), "terms": HoldTerms(tags=("watch", "other"))},
    "excluded_by_house": {"excluded_by_house": True},
    "frozen": {"frozen": True},
    "unplayed": {"moved": (MoneyFlow(1000, 999),)},
    "daily_cap": {"over_cap": True},
    "daily_wins": {"wins_over_cap": True},
}
MOVES = st.lists(st.builds(MoneyFlow, st.integers(-500, 1000), st.integers(0, 1500)), max_size=8)


def test_nothing_holds_a_player_of_whom_nothing_is_known() -> None:
    assert causes(FREE) == ()


def test_every_kind_of_cause_is_tried_here() -> None:
    assert {each.partition(":")[0] for each in CAUSED} == set(CauseKind)


@pytest.mark.parametrize("cause", CAUSED)
def test_each_cause_holds_by_itself(cause: str) -> None:
    assert causes(replace(FREE, **CAUSED[cause])) == (cause,)


@pytest.mark.parametrize("cause", CAUSED)
def test_what_was_released_holds_no_more_but_a_freeze_until_it_is_lifted(cause: str) -> None:
    left = causes(replace(FREE, **CAUSED[cause], released=(cause,)))
    assert left == (("frozen",) if cause == "frozen" else ())


def test_another_case_holds_what_was_released_for_one() -> None:
    assert causes(replace(FREE, cases=("2", "1"), released=("open_case:1",))) == ("open_case:2",)


@pytest.mark.parametrize(
    ("amount", "kyc", "held"),
    [(1000, "unknown", False), (1001, "unknown", True), (1001, "expired", True), (10**9, "verified", False)],
)
def test_an_unverified_identity_holds_only_above_the_amount(amount: int, kyc: str, held: bool) -> None:
    facts = replace(FREE, amount=amount, kyc=kyc, terms=HoldTerms(kyc_above=1000))
    assert causes(facts) == (("kyc_missing",) if held else ())


def test_only_a_case_or_a_freeze_keeps_a_player_from_cancelling() -> None:
    keeping = {cause for cause in CAUSED if keeps_from_cancelling([cause])}
    assert keeping == {"open_case:1", "frozen"}


@pytest.mark.parametrize(
    ("moved", "owed"),
    [
        ([(1500, 0)], 1500),
        ([(1500, 1500)], 0),
        ([(100, 5000), (1500, 0)], 1500),  # play before a deposit is not for it
        ([(1500, 0), (10, 10)], 1500),  # a small deposit later does not hide a large one
        ([(1000, 400), (-300, 0)], 300),  # what was paid out needs no play any more
        ([(1000, 0), (-2000, 0), (50, 20)], 30),
    ],
)
def test_each_deposit_has_to_be_played(moved: list[tuple[int, int]], owed: int) -> None:
    assert unplayed([MoneyFlow(*each) for each in moved], MILLION) == owed


def test_the_policy_says_which_share_has_to_be_played() -> None:
    moved = [MoneyFlow(1001, 0)]
    assert [unplayed(moved, share) for share in (0, 1, 500_000, 2 * MILLION)] == [0, 1, 501, 2002]


@given(MOVES, st.integers(0, 2 * MILLION), st.integers(0, 1000))
def test_more_play_never_owes_more_and_enough_owes_nothing(moved: list[MoneyFlow], share: int, more: int) -> None:
    owed = unplayed(moved, share)
    assert unplayed([*moved, MoneyFlow(0, more)], share) == max(0, owed - more)
    assert unplayed([*moved, MoneyFlow(0, owed)], share) == 0
    assert 0 <= owed <= unplayed(moved, share + 1)


@given(st.sets(st.sampled_from(sorted(CAUSED))), st.sets(st.sampled_from(sorted(CAUSED))))
def test_causes_are_held_together_and_released_one_by_one(present: set[str], released: set[str]) -> None:
    merged: dict[str, Any] = {}
    for cause in sorted(present):
        merged.update({name: value for name, value in CAUSED[cause].items() if name != "terms"})
    kyc = "failed" if "kyc_failed" in present else "pending" if "kyc_missing" in present else "verified"
    both = tuple(each for each in ("sanctions", "pep") if each in present)
    terms = HoldTerms(kyc_above=999, tags=("watch",))
    facts = replace(FREE, **{**merged, "kyc": kyc, "statuses": both, "terms": terms}, released=tuple(released))
    expected = present - (released - {"frozen"})
    if "kyc_failed" in present:
        expected -= {"kyc_missing"}
    assert set(causes(facts)) == expected
