"""An operator's deposit methods and withdrawal policy; a change adds the next version."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.significant import act_log
from wallet.models import DepositMethod
from wallet.payments.gate import HoldTerms
from wallet.payments.providers import require_known
from wallet.payments.refusals import InvalidDepositMethod, UnknownDepositMethod
from wallet.payments.terms import (
    DepositTerms,
    WithdrawalPolicy,
    WithdrawalTerms,
    require_valid_policy,
    require_valid_terms,
)

DEFAULT_WITHDRAWAL_TERMS: Final = WithdrawalTerms()
DEFAULT_HOLD_TERMS: Final = HoldTerms()
MAX_PROCESSING_SECONDS: Final = 90 * 24 * 3600
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 4))"
_POLICY: Final = """
    SELECT auto_approve_up_to, second_approval_above, version, minimum, maximum, max_pending, fee_fixed, fee_ppm,
           played_ppm, kyc_above, hold_hours, hold_tags
      FROM wallet_withdrawal_policy
     WHERE operator_id = %s AND currency = %s ORDER BY version DESC LIMIT 1
"""
_SET_POLICY: Final = """
    INSERT INTO wallet_withdrawal_policy (operator_id, currency, version, auto_approve_up_to, second_approval_above,
        actor, minimum, maximum, max_pending, fee_fixed, fee_ppm, played_ppm, kyc_above, hold_hours, hold_tags)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""


@dataclass(frozen=True, slots=True)
class MethodOffer:
    """The terms of a method; a deposit usually completes within `processing_seconds`."""

    name: str
    provider: str
    terms: DepositTerms
    processing_seconds: int
    supports_withdrawals: bool
    enabled: bool


@dataclass(frozen=True, slots=True)
class MethodVersion:
    """One version of a method."""

    id: UUID
    version: int
    operator: UUID
    offer: MethodOffer
    created_at: datetime


def create(*, operator: UUID, offer: MethodOffer, actor: str, method: UUID | None = None) -> MethodVersion:
    """Add a method, under an id that was chosen for it or a new one.

    Raises InvalidDepositMethod, UnknownCurrency, UnknownProvider.
    """
    _require_valid(offer)
    with transaction.atomic():
        new_version = _add(method or new_id(database_now()), 1, operator, offer, actor)
        _record_change(new_version, actor, "A deposit method was added", before=None)
    return new_version


def change(*, operator: UUID, method: UUID, offer: MethodOffer, actor: str) -> MethodVersion:
    """Make `offer` the method's next version; pending deposits keep theirs.

    Call it inside a transaction. Raises UnknownDepositMethod, InvalidDepositMethod (also for another currency),
    UnknownProvider.
    """
    _require_valid(offer)
    fetch(_LOCK, [str(method)])
    before = find_method(operator=operator, method=method)
    if before.offer.terms.currency != offer.terms.currency:
        raise InvalidDepositMethod("A method keeps its currency.")
    new_version = _add(method, before.version + 1, operator, offer, actor)
    _record_change(new_version, actor, "A deposit method was changed", before=asdict(before.offer))
    return new_version


def find_method(*, operator: UUID, method: UUID) -> MethodVersion:
    """Find the latest version of an operator's method. Raises UnknownDepositMethod, also for another operator's."""
    row = DepositMethod.objects.filter(operator_id=operator, method_id=method).order_by("-version").first()
    if row is None:
        raise UnknownDepositMethod
    return _method(row)


def list_methods(*, operator: UUID) -> list[MethodVersion]:
    """List the latest version of each of an operator's methods, oldest method first."""
    rows = DepositMethod.objects.filter(operator_id=operator).order_by("method_id", "-version").distinct("method_id")
    return [_method(row) for row in rows]


def policy(*, operator: UUID, currency: str) -> WithdrawalPolicy:
    """Return an operator's policy for a currency; without one, two members of staff approve every withdrawal."""
    rows = fetch(_POLICY, [operator, currency])
    if not rows:
        return WithdrawalPolicy()
    auto_approve_up_to, second_approval_above, version, *bounds, played_ppm, kyc_above, hours, tags = rows[0]
    holds = HoldTerms(played_ppm, kyc_above, hours, tuple(tags))
    return WithdrawalPolicy(auto_approve_up_to, second_approval_above, version, WithdrawalTerms(*bounds), holds)


def set_policy(
    *,
    operator: UUID,
    currency: str,
    auto_approve_up_to: int,
    second_approval_above: int,
    actor: str,
    terms: WithdrawalTerms = DEFAULT_WITHDRAWAL_TERMS,
    holds: HoldTerms = DEFAULT_HOLD_TERMS,
) -> WithdrawalPolicy:
    """Set an operator's policy for a currency, in minor units, for withdrawals requested from now on.

    Call it inside a transaction. Raises InvalidWithdrawalPolicy.
    """
    fetch(_LOCK, [str(operator)])
    before = policy(operator=operator, currency=currency)
    after = WithdrawalPolicy(auto_approve_up_to, second_approval_above, before.version + 1, terms, holds)
    require_valid_policy(after)
    bounds: list[Any] = [terms.minimum, terms.maximum, terms.max_pending, terms.fee_fixed, terms.fee_ppm]
    bounds += [holds.played_ppm, holds.kyc_above, holds.hours, list(holds.tags)]
    fetch(_SET_POLICY, [operator, currency, after.version, auto_approve_up_to, second_approval_above, actor, *bounds])
    act_log.done(
        "wallet.change_depositmethod",
        operator=operator,
        subject=f"operator:{operator}",
        actor=actor,
        reason="The withdrawal policy was changed",
        before=asdict(before) if before.version else None,
        after=asdict(after),
        currency=currency,
    )
    return after


def _record_change(method: MethodVersion, actor: str, reason: str, *, before: dict[str, Any] | None) -> None:
    act_log.done(
        "wallet.change_depositmethod",
        operator=method.operator,
        subject=f"method:{method.id}",
        actor=actor,
        reason=reason,
        before=before,
        after=asdict(method.offer),
        currency=method.offer.terms.currency,
    )


def _require_valid(offer: MethodOffer) -> None:
    require_valid_terms(offer.terms)
    if not 0 <= offer.processing_seconds <= MAX_PROCESSING_SECONDS:
        raise InvalidDepositMethod(f"A deposit takes 0 to {MAX_PROCESSING_SECONDS} seconds.")
    require_known(offer.provider)


def _add(method: UUID, version: int, operator: UUID, offer: MethodOffer, actor: str) -> MethodVersion:
    row = DepositMethod.objects.create(
        method_id=method,
        version=version,
        operator_id=operator,
        name=offer.name,
        provider=offer.provider,
        **asdict(offer.terms),
        processing_seconds=offer.processing_seconds,
        supports_withdrawals=offer.supports_withdrawals,
        enabled=offer.enabled,
        actor=actor,
        created_at=database_now(),
    )
    return _method(row)


def _method(row: DepositMethod) -> MethodVersion:
    terms = DepositTerms(row.currency, row.minimum, row.maximum, row.fee_fixed, row.fee_ppm)
    offer = MethodOffer(row.name, row.provider, terms, row.processing_seconds, row.supports_withdrawals, row.enabled)
    return MethodVersion(row.method_id, row.version, row.operator_id, offer, row.created_at)
