"""Both sides of a day, compared: every way in which they may differ, and none where they agree."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation.comparison import MATCHING_STATUSES, OurPayment, TheirPayment, compare
from wallet.reconciliation.days import bounds, day_of
from wallet.reconciliation.events import DiscrepancyType

MINE = OurPayment(PaymentKind.DEPOSIT, "p1", "tx-1", "completed", 5000, "EUR", expected=True)
THEIRS = TheirPayment(PaymentKind.DEPOSIT, "p1", "tx-1", ProviderStatus.COMPLETED, 5000, "EUR")


def kinds(ours: list[OurPayment], theirs: list[TheirPayment]) -> list[DiscrepancyType]:
    return [each.type for each in compare(ours, theirs).discrepancies]


def test_what_agrees_is_matched_and_added_up_deposits_less_payouts() -> None:
    payout = replace(MINE, kind=PaymentKind.PAYOUT, payment="p2", status="paid", amount=700)
    outcome = compare([MINE, payout], [THEIRS, replace(THEIRS, kind=PaymentKind.PAYOUT, payment="p2", amount=700)])
    assert (outcome.ours, outcome.theirs, outcome.matched, outcome.amount) == (2, 2, 2, 4300)
    assert outcome.discrepancies == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ([], [THEIRS], [DiscrepancyType.MISSING_OURS]),
        ([MINE], [], [DiscrepancyType.MISSING_THEIRS]),
        ([replace(MINE, expected=False)], [], []),
        ([MINE], [replace(THEIRS, amount=5001)], [DiscrepancyType.AMOUNT_MISMATCH]),
        ([MINE], [replace(THEIRS, currency="USD")], [DiscrepancyType.AMOUNT_MISMATCH]),
        ([MINE], [replace(THEIRS, status=ProviderStatus.REVERSED)], [DiscrepancyType.STATUS_MISMATCH]),
        (
            [MINE],
            [replace(THEIRS, status=ProviderStatus.FAILED, amount=1)],
            [DiscrepancyType.AMOUNT_MISMATCH, DiscrepancyType.STATUS_MISMATCH],
        ),
        ([MINE], [replace(THEIRS, kind=PaymentKind.PAYOUT)],
         [DiscrepancyType.MISSING_THEIRS, DiscrepancyType.MISSING_OURS]),
        ([replace(MINE, status="cancelled", kind=PaymentKind.PAYOUT)], [replace(THEIRS, kind=PaymentKind.PAYOUT)],
         [DiscrepancyType.STATUS_MISMATCH]),
    ],
)  # fmt: skip
def test_every_way_to_differ_is_named(
    ours: list[OurPayment], theirs: list[TheirPayment], found: list[DiscrepancyType]
) -> None:
    assert kinds(ours, theirs) == found


@pytest.mark.parametrize("state", ["pending", "completed", "failed", "reversed", "sent", "paid", "returned"])
@pytest.mark.parametrize("said", list(ProviderStatus))
def test_states_agree_only_as_the_table_says(state: str, said: ProviderStatus) -> None:
    found = kinds([replace(MINE, status=state)], [replace(THEIRS, status=said)])
    assert (found == []) == (said in MATCHING_STATUSES[state])


some = st.lists(st.tuples(st.sampled_from(PaymentKind), st.sampled_from("abcd"), st.integers(1, 3)), max_size=8)


@given(some, some)
def test_matches_and_differences_account_for_every_payment(ours: Any, theirs: Any) -> None:
    here = [replace(MINE, kind=kind, payment=key, amount=amount) for kind, key, amount in ours]
    there = [replace(THEIRS, kind=kind, payment=key, amount=amount) for kind, key, amount in theirs]
    outcome = compare(here, there)
    differing = {((one.ours or one.theirs).kind, (one.ours or one.theirs).payment) for one in outcome.discrepancies}  # type: ignore[union-attr]
    keys = {(one.kind, one.payment) for one in [*here, *there]}
    assert outcome.matched + len(differing) == len(keys)
    mirrored = {DiscrepancyType.MISSING_OURS: DiscrepancyType.MISSING_THEIRS}
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
