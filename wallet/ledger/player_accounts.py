"""Open players' accounts and credit those of sandboxes: one event and its entry per transaction."""

from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import key_limits
from casino.operators import services as operators
from casino.operators.key_limits import Movement
from casino.operators.models import Player
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited, WalletEvent, entry_for, wallet_stream
from wallet.ledger.refusals import CreditTooLarge, OperatorNotSandbox, UnknownAccount

PLAYER_ACCOUNT_EVENTS: Final = store.event_group(WalletEvent, entry_for)
MONEY_TYPES: Final = (MoneyType.REAL, MoneyType.PLAY)
MAX_SANDBOX_CREDIT: Final = 10**9
"""Largest sandbox credit in minor units: ten million in a currency with cents."""

_VERSION: Final = "SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s"
_LOCK_PLAYER: Final = "SELECT FROM operators_player WHERE id = %s FOR NO KEY UPDATE"
_REAL_ACCOUNTS: Final = """
    SELECT currency FROM wallet_account
     WHERE player_id = %s AND operator_id = %s AND kind = 'account' AND money_type = 'real'
"""
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
    """Open a player's accounts in both money types of a currency; opening them again changes nothing.

    Raises UnknownCurrency, and UnknownAccount for another operator's player.
    """
    money.exponent(currency)
    if _is_open(operator, player, currency):
        return
    with transaction.atomic():
        lock_player(player)  # a change of the player's restrictions locks all accounts: before this one or with it
        # A concurrent call waits here for the first to commit, and then sees its event below.
        store.open_accounts(
            [
                player_account(operator=operator, player=player, money_type=money_type, currency=currency)
                for money_type in MONEY_TYPES
            ]
        )
        if _is_open(operator, player, currency):
            return
        event = PlayerAccountOpened(operator, player, currency, MONEY_TYPES)
        PLAYER_ACCOUNT_EVENTS.record(wallet_stream(player, currency), version=0, events=[event], metadata=metadata)


def open_on_first_use(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> None:
    """Open a registered player's accounts in a currency in which money arrives, unless they are open.

    Raises UnknownCurrency, and UnknownAccount for a player who was never registered.
    """
    if not _is_open(operator, player, currency):
        if not fetch(_REAL_ACCOUNTS, [player, operator]):
            raise UnknownAccount
        open_player_accounts(operator=operator, player=player, currency=currency, metadata=metadata)


def lock_player(player: UUID) -> None:
    """Lock a player until the transaction ends: no account is opened meanwhile, and no session."""
    fetch(_LOCK_PLAYER, [player])


def lock_real_accounts(*, operator: UUID, player: UUID) -> None:
    """Lock a player's real accounts in all currencies: nothing is wagered or deposited meanwhile.

    Raises UnknownAccount for a player without any.
    """
    lock_player(player)
    currencies = [currency for (currency,) in fetch(_REAL_ACCOUNTS, [player, operator])]
    if not currencies:
        raise UnknownAccount
    store.lock(
        [
            player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
            for currency in currencies
        ]
    )


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
    key: str = "",
) -> int:
    """Credit a player of a sandbox operator with minor units and return the new balance.

    `sandbox` is true for a sandbox operator; `key` is the API key whose limits apply. Raises OperatorNotSandbox,
    AmountNotPositive, CreditTooLarge, UnknownAccount, KeyLimitReached.
    """
    _require_credit(amount=amount, currency=currency, sandbox=sandbox)
    account = player_account(operator=operator, player=player, money_type=money_type, currency=currency)
    source = operator_account(kind=AccountKind.SANDBOX, operator=operator, money_type=money_type, currency=currency)
    credited = SandboxCredited(operator, player, money_type, currency, amount, note)
    with transaction.atomic():
        open_on_first_use(operator=operator, player=player, currency=currency, metadata=metadata)
        # The lock of the balance serializes writers of the stream: credits wait here instead of failing on a version.
        store.lock((account, source))
        PLAYER_ACCOUNT_EVENTS.record(
            wallet_stream(player, currency), version=_version(player, currency), events=[credited], metadata=metadata
        )
        if money_type is MoneyType.REAL:
            key_limits.count(key, Movement.CREDIT, amount, currency)
        return store.balances((account,))[account]


def _require_credit(*, amount: int, currency: str, sandbox: bool) -> None:
    if not sandbox:
        raise OperatorNotSandbox
    if amount <= 0:
        raise money.AmountNotPositive(f"Got {money.format_amount(amount, currency)}.")
    if amount > MAX_SANDBOX_CREDIT:
        raise CreditTooLarge(f"One credit may be up to {money.format_amount(MAX_SANDBOX_CREDIT, currency)} {currency}.")


def _is_open(operator: UUID, player: UUID, currency: str) -> bool:
    """Return whether a player's accounts in a currency were opened. Raises UnknownAccount for another operator's."""
    for schema, data in fetch(_OPENED, [wallet_stream(player, currency)]):
        opened: PlayerAccountOpened = PLAYER_ACCOUNT_EVENTS.registry.decode(PlayerAccountOpened.__name__, schema, data)
        if opened.operator != operator:
            raise UnknownAccount
        return True
    return False


def _version(player: UUID, currency: str) -> int:
    return int(fetch(_VERSION, [wallet_stream(player, currency)])[0][0])
