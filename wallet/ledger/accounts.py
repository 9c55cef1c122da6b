"""Names of accounts: of a player, a player at a table, a table, or an operator, in one money type and currency.

An account's id is computed from its name (UUID version 5, RFC 9562) and never looked up.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha1
from typing import Final
from uuid import UUID

from casino.kernel.money import MoneyType

NAMESPACE: Final = UUID("6f0d3a8e-2f0b-4c39-9a56-3d1f1c7a9b42")
"""Changing it would change the id of every account."""
_IN: Final = NAMESPACE.bytes
_VARIANT: Final = "89ab"


class AccountKind(StrEnum):
    """Purpose of an account: the first six belong to a player, the next three to a table, the rest to an operator."""

    ACCOUNT = "account"
    """A player's money outside the games."""
    GAME = "game"
    """A player's money at one table."""
    RACK = "rack"
    """Commission that a player owes at one table, held back until it is collected."""
    HOLD = "hold"
    """Money of withdrawals that are neither paid nor returned."""
    DEBT = "debt"
    """A player's debt after a reversed deposit, as a balance below zero."""
    RETURNING = "returning"
    """A player's money that is owed to the operator's own wallet, which has not confirmed it yet."""
    STAKES = "stakes"
    """Confirmed wagers of the rounds in play at a table."""
    BANK = "bank"
    """The operator's winnings and losses at a table."""
    COMMISSION = "commission"
    """Commission collected at a table."""
    DEPOSITS = "deposits"
    WITHDRAWALS = "withdrawals"
    FEES = "fees"
    ADJUSTMENTS = "adjustments"
    SANDBOX = "sandbox"
    """Counterpart of credits without a payment."""
    WALLET = "wallet"
    """Counterpart of transfers and of wagers: what came from the operator's own wallet, less what went back."""


class PlayerAccountKind(StrEnum):
    """The accounts that belong to a player: `game` and `rack` at a table, the others once."""

    ACCOUNT = AccountKind.ACCOUNT.value
    GAME = AccountKind.GAME.value
    RACK = AccountKind.RACK.value
    HOLD = AccountKind.HOLD.value
    DEBT = AccountKind.DEBT.value
    RETURNING = AccountKind.RETURNING.value


NEVER_NEGATIVE: Final = frozenset(
    {
        AccountKind.ACCOUNT,
        AccountKind.GAME,
        AccountKind.RACK,
        AccountKind.STAKES,
        AccountKind.HOLD,
        AccountKind.RETURNING,
    }
)
TABLE_ACCOUNT_KINDS: Final = frozenset({AccountKind.STAKES, AccountKind.BANK, AccountKind.COMMISSION})
PLAYER_ACCOUNT_KINDS: Final = frozenset(AccountKind(kind.value) for kind in PlayerAccountKind)
OPERATOR_ACCOUNT_KINDS: Final = frozenset(set(AccountKind) - PLAYER_ACCOUNT_KINDS - TABLE_ACCOUNT_KINDS)


class _Cached:
    """Hash and id of a name, computed once: an audit needs them millions of times."""

    __slots__ = ("_hash", "_identity")
    _hash: int
    _identity: tuple[UUID, str, str]


@dataclass(frozen=True, slots=True)
class AccountName(_Cached):
    """The full name of an account, which identifies it."""

    kind: AccountKind
    operator: UUID
    money_type: MoneyType
    currency: str
    player: UUID | None = None
    table: UUID | None = None

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            value = hash((self.kind, self.operator, self.money_type, self.currency, self.player, self.table))
            object.__setattr__(self, "_hash", value)
            return value

    @property
    def id(self) -> UUID:
        """The version-5 UUID of the name's text."""
        return self._identify()[0]

    @property
    def text(self) -> str:
        """The name as kind/operator/money_type/currency/player/table; the last two may be empty."""
        return self._identify()[1]

    @property
    def key(self) -> str:
        """The id as PostgreSQL prints it."""
        return self._identify()[2]

    def _identify(self) -> tuple[UUID, str, str]:
        try:
            return self._identity
        except AttributeError:
            identity = _compute_identity(self)
            object.__setattr__(self, "_identity", identity)
            return identity


@lru_cache(maxsize=65_536)
def _compute_identity(name: AccountName) -> tuple[UUID, str, str]:
    text = f"{name.kind}/{name.operator}/{name.money_type}/{name.currency}/{name.player or ''}/{name.table or ''}"
    key = _key_of(text)
    return UUID(key), text, key


def account_key(*, kind: str, operator: str, money_type: str, currency: str, player: str = "", table: str = "") -> str:
    """Return the `key` of an account whose name is given as texts, with ids as PostgreSQL prints them."""
    return _key_of(f"{kind}/{operator}/{money_type}/{currency}/{player}/{table}")


def _key_of(text: str) -> str:
    """Compute a version-5 UUID (RFC 9562, section 5.5) as text; uuid.uuid5 would dominate the cost of an audit."""
    digits = sha1(_IN + text.encode(), usedforsecurity=False).hexdigest()
    variant = _VARIANT[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def player_account(*, operator: UUID, player: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name a player's account outside the games."""
    return AccountName(AccountKind.ACCOUNT, operator, money_type, currency, player)


def game_account(*, operator: UUID, player: UUID, table: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name a player's game balance at one table."""
    return AccountName(AccountKind.GAME, operator, money_type, currency, player, table)


def rack_account(*, operator: UUID, player: UUID, table: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name the account of a player's deferred commission at one table."""
    return AccountName(AccountKind.RACK, operator, money_type, currency, player, table)


def hold_account(*, operator: UUID, player: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name the account that holds a player's pending withdrawals."""
    return AccountName(AccountKind.HOLD, operator, money_type, currency, player)


def debt_account(*, operator: UUID, player: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name the account of a player's debt."""
    return AccountName(AccountKind.DEBT, operator, money_type, currency, player)


def returning_account(*, operator: UUID, player: UUID, currency: str) -> AccountName:
    """Name the account of a player's real money that the operator's own wallet has not confirmed yet."""
    return AccountName(AccountKind.RETURNING, operator, MoneyType.REAL, currency, player)


def table_account(
    *, kind: AccountKind, operator: UUID, table: UUID, money_type: MoneyType, currency: str
) -> AccountName:
    """Name a table's stakes, bank or commission. Raises ValueError for any other kind."""
    if kind not in TABLE_ACCOUNT_KINDS:
        raise ValueError(f"A table has no {kind} account.")
    return AccountName(kind, operator, money_type, currency, None, table)


def operator_account(*, kind: AccountKind, operator: UUID, money_type: MoneyType, currency: str) -> AccountName:
    """Name one of an operator's own accounts, such as deposits. Raises ValueError for any other kind."""
    if kind not in OPERATOR_ACCOUNT_KINDS:
        raise ValueError(f"An operator has no {kind} account.")
    return AccountName(kind, operator, money_type, currency)
