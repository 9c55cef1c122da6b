"""Open players' accounts and credit those of sandboxes: one event and its entry per transaction."""

from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import services as operators
from casino.operators.models import Player
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, AccountName, operator_account, player_account
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited, WalletEvent, entry_for, wallet_stream
from wallet.ledger.refusals import AccountCurrencyDiffers, CreditTooLarge, OperatorNotSandbox, UnknownAccount

PLAYER_ACCOUNT_EVENTS: Final = store.event_group(WalletEvent, entry_for)
MONEY_TYPES: Final = (MoneyType.REAL, MoneyType.PLAY)
MAX_SANDBOX_CREDIT: Final = 10**9
"""Largest sandbox credit in minor units: ten million in a currency with cents."""

_VERSION: Final = "SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s"
_OPENED: Final = "SELECT schema, data::text FROM events_event WHERE stream = %s AND version = 1"


def register_player(
    *, operator: UUID, reference: str, nickname: str, currency: str, metadata: Metadata, brand: UUID | None = None
) -> Player:
    """Register an operator's player, or a brand's own, and open the accounts in a currency.

    The same reference returns the same player. Raises UnknownCurrency.
    """
    with transaction.atomic():
        player = operators.register_player(operator=operator, reference=reference, nickname=nickname, brand=brand)
        open_player_accounts(operator=operator, player=player.id, currency=currency, metadata=metadata)
    return player


def open_player_accounts(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> None:
    """Open a player's accounts in both money types; opening them again changes nothing.

    Raises UnknownCurrency, and AccountCurrencyDiffers when they are in another one.
    """
    money.exponent(currency)
    with transaction.atomic():
        # A concurrent call waits here for the first to commit, and then sees its event below.
        store.open_accounts(_accounts(operator, player, currency))
        opened = _find_opening(player)
        if opened is None:
            event = PlayerAccountOpened(operator, player, currency, MONEY_TYPES)
            PLAYER_ACCOUNT_EVENTS.record(wallet_stream(player), version=0, events=[event], metadata=metadata)
        elif opened.currency != currency:
            raise AccountCurrencyDiffers(f"The account is in {opened.currency}, not in {currency}.")


def credit_sandbox_player(
    *,
    operator: UUID,
    player: UUID,
    money_type: MoneyType,
    currency: str,
    amount: int,
    sandbox: bool,
    metadata: Metadata,
    note: str = "",
) -> int:
    """Credit a player of a sandbox operator with minor units and return the new balance.

    `sandbox` is true for a sandbox operator. Raises OperatorNotSandbox, AmountNotPositive, CreditTooLarge,
    UnknownAccount.
    """
    _require_credit(amount=amount, currency=currency, sandbox=sandbox)
    account = player_account(operator=operator, player=player, money_type=money_type, currency=currency)
    source = operator_account(kind=AccountKind.SANDBOX, operator=operator, money_type=money_type, currency=currency)
    credited = SandboxCredited(operator, player, money_type, currency, amount, note)
    with transaction.atomic():
        _require_open(operator, player, currency)
        # The lock of the balance serializes writers of the stream: credits wait here instead of failing on a version.
        store.lock((account, source))
        PLAYER_ACCOUNT_EVENTS.record(
            wallet_stream(player), version=_version(player), events=[credited], metadata=metadata
        )
        return store.balances((account,))[account]


def _require_credit(*, amount: int, currency: str, sandbox: bool) -> None:
    if not sandbox:
        raise OperatorNotSandbox
    if amount <= 0:
        raise money.AmountNotPositive(f"Got {money.format_amount(amount, currency)}.")
    if amount > MAX_SANDBOX_CREDIT:
        raise CreditTooLarge(f"One credit may be up to {money.format_amount(MAX_SANDBOX_CREDIT, currency)} {currency}.")


def _require_open(operator: UUID, player: UUID, currency: str) -> None:
    opened = _find_opening(player)
    if opened is None or (opened.operator, opened.currency) != (operator, currency):
        raise UnknownAccount


def _accounts(operator: UUID, player: UUID, currency: str) -> list[AccountName]:
    return [
        player_account(operator=operator, player=player, money_type=money_type, currency=currency)
        for money_type in MONEY_TYPES
    ]


def _find_opening(player: UUID) -> PlayerAccountOpened | None:
    for schema, data in fetch(_OPENED, [wallet_stream(player)]):
        opened: PlayerAccountOpened = PLAYER_ACCOUNT_EVENTS.registry.decode(PlayerAccountOpened.__name__, schema, data)
        return opened
    return None


def _version(player: UUID) -> int:
    return int(fetch(_VERSION, [wallet_stream(player)])[0][0])
