"""The bodies of the wallet's part of the API."""

from enum import StrEnum
from typing import Any

from rest_framework import serializers

from casino.api.fields import (
    AmountField,
    BookField,
    ChoiceOf,
    CurrencyField,
    IdField,
    MoneySerializer,
    Strict,
    TextField,
    money,
)
from casino.kernel.money import Book
from casino.operators.models import Player
from wallet.accounts import AccountKind, AccountName
from wallet.ledger import StatementLine
from wallet.refusals import TableNotAllowed, TableRequired


class Purse(StrEnum):
    """The accounts that belong to a player."""

    ACCOUNT = AccountKind.ACCOUNT.value
    GAME = AccountKind.GAME.value
    RACK = AccountKind.RACK.value
    HOLD = AccountKind.HOLD.value
    DEBT = AccountKind.DEBT.value


class PlayerRequest(Strict):
    """Whom to register: by the operator's own reference, which is no name or address."""

    reference = TextField(max_length=80)
    nickname = TextField(max_length=40, required=False, default="Player")


class PlayerShown(serializers.Serializer[Any]):
    """A registered player."""

    id = serializers.UUIDField()
    reference = serializers.CharField()
    nickname = serializers.CharField()
    created_at = serializers.DateTimeField()


class PlayerPage(serializers.Serializer[Any]):
    """Players in the order they were registered."""

    items = PlayerShown(many=True)
    next = serializers.CharField(allow_null=True)


class CreditRequest(Strict):
    """A credit that no money stands behind."""

    amount = AmountField()
    currency = CurrencyField()
    book = BookField()
    note = TextField(max_length=80, required=False, default="")


class CreditShown(serializers.Serializer[Any]):
    """The account after the credit."""

    player = serializers.UUIDField()
    book = serializers.CharField()
    balance = MoneySerializer()


class StatementQuery(serializers.Serializer[Any]):
    """Which account: the player's own, what is held or owed, or the game balance or rack at one table."""

    account = ChoiceOf(Purse, required=False, default=Purse.ACCOUNT)
    book = BookField(required=False, default=Book.REAL)
    table = IdField(required=False, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """This will ask for the table where there is one, and only there. Raises TableRequired, TableNotAllowed."""
        at_table = attrs["account"] in {Purse.GAME, Purse.RACK}
        if at_table and attrs["table"] is None:
            raise TableRequired
        if not at_table and attrs["table"] is not None:
            raise TableNotAllowed
        return attrs


class BalanceShown(serializers.Serializer[Any]):
    """One account of a player."""

    account = serializers.CharField(help_text="`account`, `hold` or `debt`, or at a table `game` or `rack`.")
    book = serializers.CharField(help_text="`real` or `play`.")
    table = serializers.UUIDField(allow_null=True)
    balance = MoneySerializer()


class Balances(serializers.Serializer[Any]):
    """Every account of a player."""

    items = BalanceShown(many=True)


class StatementLineShown(serializers.Serializer[Any]):
    """One movement on an account."""

    sequence = serializers.IntegerField(help_text="Counts the movements on this account from 1, without gaps.")
    kind = serializers.CharField()
    amount = MoneySerializer()
    balance = MoneySerializer()
    entry = serializers.IntegerField()
    event = serializers.IntegerField(help_text="The event that it follows from.")
    recorded_at = serializers.DateTimeField()


class Statement(serializers.Serializer[Any]):
    """Movements, newest first."""

    items = StatementLineShown(many=True)
    next = serializers.CharField(allow_null=True)


def shown_player(player: Player) -> dict[str, Any]:
    """This will shape a player for an answer."""
    return {
        "id": player.id,
        "reference": player.reference,
        "nickname": player.nickname,
        "created_at": player.created_at,
    }


def shown_balances(balances: dict[AccountName, int]) -> dict[str, Any]:
    """This will shape a player's balances for an answer."""
    return {
        "items": [
            {
                "account": account.kind.value,
                "book": account.book.value,
                "table": account.table,
                "balance": money(balance, account.currency),
            }
            for account, balance in balances.items()
        ]
    }


def shown_line(line: StatementLine, currency: str) -> dict[str, Any]:
    """This will shape one movement for an answer."""
    return {
        "sequence": line.sequence,
        "kind": line.kind,
        "amount": money(line.amount, currency),
        "balance": money(line.balance, currency),
        "entry": line.entry,
        "event": line.cause,
        "recorded_at": line.recorded_at,
    }
