"""Request deposits, repeat the last one, and apply providers' reports."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators import key_limits
from casino.operators.key_limits import Movement
from wallet import notices
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger import store
from wallet.ledger.player_accounts import open_on_first_use
from wallet.notices import Notice, NoticeKind
from wallet.payments import debts, deposit_state, records
from wallet.payments.deposit_state import DepositState
from wallet.payments.events import DepositCompleted, DepositRequested, DepositReversed, deposit_stream
from wallet.payments.methods import find_method
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport
from wallet.payments.refusals import DepositMethodUnavailable, NoEarlierDeposit
from wallet.payments.terms import quote_deposit
from wallet.responsible_gaming.eligibility import require_deposit

Decide = Callable[[DepositState, int, datetime], Sequence[Any]]
UNKNOWN: Final = "unknown_payment"
NO_CHANGE: Final = "no_change"
APPLIED: Final = "applied"

_OWNER: Final = "SELECT operator_id, player_id, currency FROM wallet_deposit WHERE id = %s AND provider = %s"
_REFERENCE_IN_USE: Final = "SELECT FROM wallet_deposit WHERE provider = %s AND reference = %s AND id <> %s"
_LAST: Final = """
    SELECT method_id, amount FROM wallet_deposit
     WHERE player_id = %s AND operator_id = %s AND currency = %s ORDER BY id DESC LIMIT 1
"""


_guards: Final[list[Callable[[UUID], None]]] = []


def register_guard(guard: Callable[[UUID], None]) -> None:
    """Let an upper layer refuse the deposits of an operator's players, in their transaction."""
    _guards.append(guard)


def require_not_stopped(operator: UUID) -> None:
    """Ask whether money may come in from an operator's players. Raises DepositsAreStopped."""
    for guard in _guards:
        guard(operator)


def request(
    *, operator: UUID, player: UUID, currency: str, method: UUID, amount: int, metadata: Metadata, key: str = ""
) -> UUID:
    """Request a deposit of minor units and return its id; the provider is called after the commit.

    `key` is the API key that opened the player's session. Raises UnknownDepositMethod, DepositMethodUnavailable,
    AmountOutOfRange, FeeExceedsAmount, DepositsAreStopped, FundingDiffers, UnknownAccount, PlayerExcluded,
    PlayLimitReached, KeyLimitReached.
    """
    version = find_method(operator=operator, method=method)
    offer = version.offer
    if not offer.enabled or offer.terms.currency != currency:
        raise DepositMethodUnavailable
    fee = quote_deposit(offer.terms, amount).fee
    with transaction.atomic():
        require_not_stopped(operator)
        funding.require(operator, Funding.HOUSE)
        open_on_first_use(operator=operator, player=player, currency=currency, metadata=metadata)
        _, at = records.lock_account(operator=operator, player=player, currency=currency)
        deposit = new_id(at)
        require_deposit(operator=operator, player=player, currency=currency, amount=amount, now=at)
        event = DepositRequested(
            deposit, operator, player, version.id, version.version, offer.provider, currency, amount, fee, at
        )
        records.write_deposit(None, version=0, events=[event], metadata=metadata)
        key_limits.count(key, Movement.DEPOSIT, amount, currency)
        records.wake_processor_on_commit()
    return deposit


def repeat(*, operator: UUID, player: UUID, currency: str, metadata: Metadata, key: str = "") -> UUID:
    """Request method and amount of the player's last deposit in a currency again, at the method's current terms.

    Raises NoEarlierDeposit and what `request` raises.
    """
    rows = fetch(_LAST, [player, operator, currency])
    if not rows:
        raise NoEarlierDeposit
    method, amount = rows[0]
    return request(
        operator=operator, player=player, currency=currency, method=method, amount=amount, metadata=metadata, key=key
    )


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a provider's report, once however often it comes, and return the outcome.

    That is `applied`, `no_change`, `unknown_payment`, `reference_taken`, or the code of an implausible report.
    """
    with transaction.atomic(savepoint=False):
        if fetch(_REFERENCE_IN_USE, [provider, report.reference, report.payment]):
            return "reference_taken"
        return _decide(
            report.payment,
            provider,
            lambda state, balance, at: deposit_state.apply_report(state, report, available=balance, at=at),
        )


def record_refusal(deposit: UUID, *, provider: str, reason: str) -> str:
    """Fail a deposit that the provider refused to start."""
    with transaction.atomic():
        return _decide(
            deposit, provider, lambda state, _, at: deposit_state.record_refusal(state, reason=reason, at=at)
        )


def _decide(deposit: UUID, provider: str, decide: Decide) -> str:
    rows = fetch(_OWNER, [deposit, provider])
    if not rows:
        return UNKNOWN
    operator, player, currency = rows[0]
    account, at = records.lock_account(operator=operator, player=player, currency=currency)
    before = records.PAYMENT_EVENTS.history(deposit_stream(deposit))
    state = deposit_state.fold(before)
    try:
        events = decide(state, store.balances([account])[account], at)
    except ImplausibleReport as error:
        return error.code
    if not events:
        return NO_CHANGE
    metadata = records.system_metadata(operator, f"provider:{provider}")
    records.write_deposit(state, version=len(before), events=events, metadata=metadata)
    if any(isinstance(event, DepositCompleted) for event in events):
        debts.collect(operator=operator, player=player, currency=currency, metadata=metadata)
    for event in events:
        if isinstance(event, DepositReversed) and event.credited:
            notices.notify_player(_notice(event))
    return APPLIED


def _notice(event: DepositReversed) -> Notice:
    details = {
        "amount": event.taken + event.owed,
        "owed": event.owed,
        "currency": event.currency,
        "money_type": MoneyType.REAL.value,
    }
    return Notice(event.operator, event.player, NoticeKind.DEPOSIT_REVERSED, event.deposit, details)
