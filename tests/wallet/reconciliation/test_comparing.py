"""Both sides of a day, compared: every way in which they may differ, and none where they agree."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.payments.provider_reports import Kind, Said
from wallet.reconciliation.comparison import AGREES, Ours, Theirs, compare
from wallet.reconciliation.days import bounds, day_of
from wallet.reconciliation.events import DifferenceKind

MINE = Ours(Kind.DEPOSIT, "p1", "tx-1", "completed", 5000, "EUR", expected=True)
THEIRS = Theirs(Kind.DEPOSIT, "p1", "tx-1", Said.COMPLETED, 5000, "EUR")


def kinds(ours: list[Ours], theirs: list[Theirs]) -> list[DifferenceKind]:
    return [each.what for each in compare(ours, theirs).differences]


def test_what_agrees_is_matched_and_added_up_deposits_less_payouts() -> None:
    payout = replace(MINE, kind=Kind.PAYOUT, payment="p2", state="paid", amount=700)
    outcome = compare([MINE, payout], [THEIRS, replace(THEIRS, kind=Kind.PAYOUT, payment="p2", amount=700)])
    assert (outcome.ours, outcome.theirs, outcome.matched, outcome.amount) == (2, 2, 2, 4300)
    assert outcome.differences == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ([], [THEIRS], [DifferenceKind.MISSING_HERE]),
        ([MINE], [], [DifferenceKind.MISSING_THERE]),
        ([replace(MINE, expected=False)], [], []),
        ([MINE], [replace(THEIRS, amount=5001)], [DifferenceKind.AMOUNT_DIFFERS]),
        ([MINE], [replace(THEIRS, currency="USD")], [DifferenceKind.AMOUNT_DIFFERS]),
        ([MINE], [replace(THEIRS, said=Said.REVERSED)], [DifferenceKind.STATE_DIFFERS]),
        (
            [MINE],
            [replace(THEIRS, said=Said.FAILED, amount=1)],
            [DifferenceKind.AMOUNT_DIFFERS, DifferenceKind.STATE_DIFFERS],
        ),
        ([MINE], [replace(THEIRS, kind=Kind.PAYOUT)], [DifferenceKind.MISSING_THERE, DifferenceKind.MISSING_HERE]),
        ([replace(MINE, state="cancelled", kind=Kind.PAYOUT)], [replace(THEIRS, kind=Kind.PAYOUT)],
         [DifferenceKind.STATE_DIFFERS]),
    ],
)  # fmt: skip
def test_every_way_to_differ_is_named(ours: list[Ours], theirs: list[Theirs], found: list[DifferenceKind]) -> None:
    assert kinds(ours, theirs) == found


@pytest.mark.parametrize("state", ["pending", "completed", "failed", "reversed", "sent", "paid", "returned"])
@pytest.mark.parametrize("said", list(Said))
def test_states_agree_only_as_the_table_says(state: str, said: Said) -> None:
    found = kinds([replace(MINE, state=state)], [replace(THEIRS, said=said)])
    assert (found == []) == (said in AGREES[state])


some = st.lists(st.tuples(st.sampled_from(Kind), st.sampled_from("abcd"), st.integers(1, 3)), max_size=8)


@given(some, some)
def test_matches_and_differences_account_for_every_payment(ours: Any, theirs: Any) -> None:
    here = [replace(MINE, kind=kind, payment=key, amount=amount) for kind, key, amount in ours]
    there = [replace(THEIRS, kind=kind, payment=key, amount=amount) for kind, key, amount in theirs]
    outcome = compare(here, there)
    differing = {((one.ours or one.theirs).kind, (one.ours or one.theirs).payment) for one in outcome.differences}  # type: ignore[union-attr]
    keys = {(one.kind, one.payment) for one in [*here, *there]}
    assert outcome.matched + len(differing) == len(keys)
    mirrored = {DifferenceKind.MISSING_HERE: DifferenceKind.MISSING_THERE}
    mirrored |= {value: key for key, value in mirrored.items()}
    told = [replace(THEIRS, kind=one.kind, payment=one.payment, amount=one.amount) for one in here]
    back = [replace(MINE, kind=one.kind, payment=one.payment, amount=one.amount) for one in there]
    assert sorted(kinds(back, told)) == sorted(mirrored.get(what, what) for what in kinds(here, there))


def test_days_begin_where_the_operator_counts_them() -> None:
    assert bounds(date(2026, 11, 20), "UTC") == (
        datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 21, tzinfo=UTC),
    )  # fmt: skip
    since, until = bounds(date(2026, 10, 25), "Europe/Malta")  # clocks go back
    assert (until - since).total_seconds() == 25 * 3600
    since, until = bounds(date(2026, 3, 29), "Europe/Malta")
    assert (until - since).total_seconds() == 23 * 3600
    assert day_of(datetime(2026, 11, 20, 23, 30, tzinfo=UTC), "Europe/Malta") == date(2026, 11, 21)
