"""Deposit methods and withdrawal policies: an operator's data, changed by adding the next version."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.significant import recorder
from wallet.payments import withdrawal_terms
from wallet.payments.fees import DepositTerms, require_valid_terms
from wallet.payments.providers import require_known
from wallet.payments.refusals import InvalidDepositMethod, UnknownDepositMethod
from wallet.payments.withdrawal_terms import WithdrawalPolicy, WithdrawalTerms

DEFAULT_WITHDRAWAL_TERMS: Final = WithdrawalTerms()
MAX_PROCESSING_SECONDS: Final = 90 * 24 * 3600
_COLUMNS: Final = """method_id, version, operator_id, name, provider, currency, minimum, maximum, fee_fixed, fee_ppm,
    processing_seconds, supports_withdrawals, enabled, created_at"""
_ADD: Final = f"""
    INSERT INTO wallet_deposit_method (method_id, version, operator_id, name, provider, currency, minimum, maximum,
        fee_fixed, fee_ppm, processing_seconds, supports_withdrawals, enabled, actor)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    RETURNING {_COLUMNS}
"""  # noqa: S608  (constants)
_LATEST: Final = f"""
    SELECT DISTINCT ON (method_id) {_COLUMNS} FROM wallet_deposit_method
     WHERE operator_id = %s ORDER BY method_id, version DESC
"""  # noqa: S608
_ONE: Final = f"""
    SELECT {_COLUMNS} FROM wallet_deposit_method
     WHERE operator_id = %s AND method_id = %s ORDER BY version DESC LIMIT 1
"""  # noqa: S608
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 4))"
_POLICY: Final = """
    SELECT auto_approve_up_to, second_approval_above, version, minimum, maximum, max_pending, fee_fixed, fee_ppm
      FROM wallet_withdrawal_policy
     WHERE operator_id = %s ORDER BY version DESC LIMIT 1
"""
_SET_POLICY: Final = """
    INSERT INTO wallet_withdrawal_policy (operator_id, version, auto_approve_up_to, second_approval_above, actor,
        minimum, maximum, max_pending, fee_fixed, fee_ppm)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""


@dataclass(frozen=True, slots=True)
class MethodOffer:
    """What an operator says of a method; `seconds` is how long a deposit takes to complete, as a rule."""

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


def create(*, operator: UUID, offer: MethodOffer, actor: str) -> MethodVersion:
    """Add a method. Raises MethodImpossible, UnknownCurrency, UnknownProvider."""
    _require_possible(offer)
    with transaction.atomic():
        made = _add(new_id(), 1, operator, offer, actor)
        _note(made, actor, "A deposit method was added", before=None)
    return made


def change(*, operator: UUID, method: UUID, offer: MethodOffer, actor: str) -> MethodVersion:
    """Make `offer` the method's next version; deposits under way keep theirs.

    Call it inside a transaction. Raises UnknownMethod, MethodImpossible (also for another currency), UnknownProvider.
    """
    _require_possible(offer)
    fetch(_LOCK, [str(method)])
    before = find_method(operator=operator, method=method)
    if before.offer.terms.currency != offer.terms.currency:
        raise InvalidDepositMethod("A method keeps its currency.")
    made = _add(method, before.version + 1, operator, offer, actor)
    _note(made, actor, "A deposit method was changed", before=asdict(before.offer))
    return made


def find_method(*, operator: UUID, method: UUID) -> MethodVersion:
    """Find the latest version of an operator's method. Raises UnknownMethod, also for another operator's."""
    rows = fetch(_ONE, [operator, method])
    if not rows:
        raise UnknownDepositMethod
    return _method(rows[0])


def database_now() -> datetime:
    """Return the database's time, which deposits are asked for by."""
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


def list_methods(*, operator: UUID) -> list[MethodVersion]:
    """List the latest version of each of an operator's methods, oldest method first."""
    return [_method(row) for row in fetch(_LATEST, [operator])]


def policy(*, operator: UUID) -> WithdrawalPolicy:
    """Return an operator's policy; as long as none was set, two members of staff look at everything."""
    rows = fetch(_POLICY, [operator])
    if not rows:
        return WithdrawalPolicy()
    auto_approve_up_to, second_approval_above, version, *bounds = rows[0]
    return WithdrawalPolicy(auto_approve_up_to, second_approval_above, version, WithdrawalTerms(*bounds))


def set_policy(
    *,
    operator: UUID,
    auto_approve_up_to: int,
    second_approval_above: int,
    actor: str,
    terms: WithdrawalTerms = DEFAULT_WITHDRAWAL_TERMS,
) -> WithdrawalPolicy:
    """Set an operator's policy, in minor units, for withdrawals asked for from now on.

    Call it inside a transaction. Raises PolicyImpossible.
    """
    fetch(_LOCK, [str(operator)])
    before = policy(operator=operator)
    made = WithdrawalPolicy(auto_approve_up_to, second_approval_above, before.version + 1, terms)
    withdrawal_terms.require_valid_policy(made)
    bounds = [terms.minimum, terms.maximum, terms.max_pending, terms.fee_fixed, terms.fee_ppm]
    fetch(_SET_POLICY, [operator, made.version, auto_approve_up_to, second_approval_above, actor, *bounds])
    recorder.record(
        kind=recorder.SignificantEventKind.CONFIG_CHANGED,
        operator=operator,
        subject=f"operator:{operator}",
        actor=actor,
        reason="The withdrawal policy was changed",
        before=asdict(before) if before.version else None,
        after=asdict(made),
    )
    return made


def _note(method: MethodVersion, actor: str, reason: str, *, before: dict[str, Any] | None) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.CONFIG_CHANGED,
        operator=method.operator,
        subject=f"method:{method.id}",
        actor=actor,
        reason=reason,
        before=before,
        after=asdict(method.offer),
        currency=method.offer.terms.currency,
    )


def _require_possible(offer: MethodOffer) -> None:
    require_valid_terms(offer.terms)
    if not 0 <= offer.processing_seconds <= MAX_PROCESSING_SECONDS:
        raise InvalidDepositMethod(f"A deposit takes 0 to {MAX_PROCESSING_SECONDS} seconds.")
    require_known(offer.provider)


def _add(method: UUID, version: int, operator: UUID, offer: MethodOffer, actor: str) -> MethodVersion:
    terms = offer.terms
    values = (offer.name, offer.provider, terms.currency, terms.minimum, terms.maximum, terms.fee_fixed, terms.fee_ppm)
    more = (offer.processing_seconds, offer.supports_withdrawals, offer.enabled, actor)
    return _method(fetch(_ADD, [method, version, operator, *values, *more])[0])


def _method(row: tuple[Any, ...]) -> MethodVersion:
    method, version, operator, name, provider, currency, minimum, maximum, fixed, ppm, *rest = row
    seconds, supports_withdrawals, enabled, created_at = rest
    terms = DepositTerms(currency, minimum, maximum, fixed, ppm)
    offer = MethodOffer(name, provider, terms, seconds, supports_withdrawals, enabled)
    return MethodVersion(method, version, operator, offer, created_at)
