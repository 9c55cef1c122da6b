"""Changes of withdrawal policies and deposit methods: two persons agree, and they take effect after a delay.

A sandbox operator's money comes from nothing, so its key alone changes them at once.
"""

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.kernel.text import isolate
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from wallet import acts
from wallet.payments import methods
from wallet.payments.gate import HoldTerms
from wallet.payments.methods import MethodOffer
from wallet.payments.terms import DepositTerms, WithdrawalTerms

POLICY: Final = ChangeName.WITHDRAWAL_POLICY
METHOD: Final = ChangeName.DEPOSIT_METHOD


def request_policy(
    *,
    operator: UUID,
    currency: str,
    auto_approve_up_to: int,
    second_approval_above: int,
    terms: WithdrawalTerms,
    holds: HoldTerms,
    by: str,
) -> Change:
    """Request a withdrawal policy for a currency, in minor units.

    Raises InvalidWithdrawalPolicy, ChangeNeedsSecondPerson.
    """
    return changes.request(
        operator=operator,
        kind=POLICY,
        subject=f"operator:{operator}",
        summary=f"Change the withdrawal policy for {currency}",
        details={
            "currency": currency,
            "auto_approve_up_to": auto_approve_up_to,
            "second_approval_above": second_approval_above,
            "terms": asdict(terms),
            "holds": asdict(holds),
        },
        by=by,
    )


def request_method(*, operator: UUID, offer: MethodOffer, by: str, method: UUID | None = None) -> Change:
    """Request a new method, or the next version of a method.

    Raises InvalidDepositMethod, UnknownCurrency, UnknownProvider, UnknownDepositMethod, ChangeNeedsSecondPerson.
    """
    identity = method or new_id(database_now())
    return changes.request(
        operator=operator,
        kind=METHOD,
        subject=f"method:{identity}",
        summary=f"{'Add' if method is None else 'Change'} the deposit method {isolate(offer.name)}",
        details={"method": str(identity), "is_new": method is None, "offer": asdict(offer)},
        by=by,
    )


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(POLICY, acts.APPROVE_TERMS, _apply_policy))
    changes.register(ChangeKind(METHOD, acts.APPROVE_TERMS, _apply_method))


def _apply_policy(change: Change) -> None:
    details = change.details
    methods.set_policy(
        operator=changes.operator_of(change),
        currency=details["currency"],
        auto_approve_up_to=details["auto_approve_up_to"],
        second_approval_above=details["second_approval_above"],
        terms=WithdrawalTerms(**details["terms"]),
        holds=HoldTerms(**{**details["holds"], "tags": tuple(details["holds"]["tags"])}),
        actor=change.requested_by,
    )


def _apply_method(change: Change) -> None:
    details: dict[str, Any] = change.details
    fields = details["offer"]
    offer = MethodOffer(**{**fields, "terms": DepositTerms(**fields["terms"])})
    method, operator = UUID(details["method"]), changes.operator_of(change)
    if details["is_new"]:
        methods.create(operator=operator, offer=offer, actor=change.requested_by, method=method)
    else:
        methods.change(operator=operator, method=method, offer=offer, actor=change.requested_by)
