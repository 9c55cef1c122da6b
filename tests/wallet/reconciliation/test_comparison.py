"""Comparing both sides of a day: matches, and every type of discrepancy."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation.comparison import MATCHING_STATUSES, OurPayment, TheirPayment, compare
from wallet.reconciliation.events import DiscrepancyType

MINE = OurPayment(PaymentKind.DEPOSIT, "p1", "tx-1", "completed", 5000, "EUR", expected=True)
THEIRS = TheirPayment(PaymentKind.DEPOSIT, "p1", "tx-1", ProviderStatus.COMPLETED, 5000, "EUR")


def types(ours: list[OurPayment], theirs: list[TheirPayment]) -> list[DiscrepancyType]:
    return [each.type for each in compare(ours, theirs).discrepancies]


def test_matches_are_summed_as_deposits_less_payouts() -> None:
    payout = replace(MINE, kind=PaymentKind.PAYOUT, payment="p2", status="paid", amount=700)
    outcome = compare([MINE, payout], [THEIRS, replace(THEIRS, kind=PaymentKind.PAYOUT, payment="p2", amount=700)])
    assert (outcome.ours, outcome.theirs, outcome.matched, outcome.amount) == (2, 2, 2, 4300)
    assert outcome.discrepancies == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
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
def test_every_difference_is_reported_as_its_type(
    ours: list[OurPayment], theirs: list[TheirPayment], expected: list[DiscrepancyType]
) -> None:
    assert types(ours, theirs) == expected


@pytest.mark.parametrize("our_status", ["pending", "completed", "failed", "reversed", "sent", "paid", "returned"])
@pytest.mark.parametrize("their_status", list(ProviderStatus))
def test_statuses_match_only_as_the_table_says(our_status: str, their_status: ProviderStatus) -> None:
    discrepancies = types([replace(MINE, status=our_status)], [replace(THEIRS, status=their_status)])
    assert (discrepancies == []) == (their_status in MATCHING_STATUSES[our_status])


PAYMENTS = st.lists(st.tuples(st.sampled_from(PaymentKind), st.sampled_from("abcd"), st.integers(1, 3)), max_size=8)


@given(PAYMENTS, PAYMENTS)
def test_every_payment_is_a_match_or_a_discrepancy(ours: Any, theirs: Any) -> None:
    here = [replace(MINE, kind=kind, payment=key, amount=amount) for kind, key, amount in ours]
    there = [replace(THEIRS, kind=kind, payment=key, amount=amount) for kind, key, amount in theirs]
    outcome = compare(here, there)
    differing = {((one.ours or one.theirs).kind, (one.ours or one.theirs).payment) for one in outcome.discrepancies}  # type: ignore[union-attr]
    keys = {(one.kind, one.payment) for one in [*here, *there]}
    assert outcome.matched + len(differing) == len(keys)
    mirrored = {DiscrepancyType.MISSING_OURS: DiscrepancyType.MISSING_THEIRS}
    mirrored |= {value: key for key, value in mirrored.items()}
    mirrored_theirs = [replace(THEIRS, kind=one.kind, payment=one.payment, amount=one.amount) for one in here]
    mirrored_ours = [replace(MINE, kind=one.kind, payment=one.payment, amount=one.amount) for one in there]
    assert sorted(types(mirrored_ours, mirrored_theirs)) == sorted(
        mirrored.get(type_, type_) for type_ in types(here, there)
    )
