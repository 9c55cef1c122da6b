"""The bodies of the wallet's part of the API."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from casino.api.fields import (
    AmountField,
    CurrencyField,
    EnumField,
    IdField,
    MoneySerializer,
    MoneyTypeField,
    StrictSerializer,
    TextField,
    present_money,
)
from casino.kernel.money import MoneyType
from casino.operators.models import Player
from wallet.api.reality_check_serializers import ReminderShown, shown_reminder
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.ledger.refusals import TableNotAllowed, TableRequired
from wallet.ledger.store import StatementLine
from wallet.responsible_gaming.queries import Reminder

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
_KIND: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)


class PlayerAccountKind(StrEnum):
    """The accounts that belong to a player."""

    ACCOUNT = AccountKind.ACCOUNT.value
    GAME = AccountKind.GAME.value
    RACK = AccountKind.RACK.value
    HOLD = AccountKind.HOLD.value
    DEBT = AccountKind.DEBT.value


class PlayerRequest(StrictSerializer):
    """Whom to register: by the operator's own reference, which is no name or address."""

    reference = TextField(max_length=80)
    nickname = TextField(max_length=40, required=False, default="Player")


class PlayerResponse(serializers.Serializer[Any]):
    """A registered player."""

    id = serializers.UUIDField()
    reference = serializers.CharField()
    nickname = serializers.CharField()
    created_at = serializers.DateTimeField()


class PlayerPage(serializers.Serializer[Any]):
    """Players in the order they were registered."""

    items = PlayerResponse(many=True)
    next = serializers.CharField(allow_null=True)


class CreditRequest(StrictSerializer):
    """A credit that no money stands behind."""

    amount = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField()
    note = TextField(max_length=80, required=False, default="")


class CreditResponse(serializers.Serializer[Any]):
    """The account after the credit."""

    player = serializers.UUIDField()
    money_type = serializers.CharField()
    balance = MoneySerializer()


class StatementFormat(StrEnum):
    """What a statement is written in."""

    JSON = "json"
    CSV = "csv"


class YesNo(StrEnum):
    """A flag in an address."""

    YES = "true"
    NO = "false"


class DateTimeOrDateField(serializers.Field[datetime, Any, str, datetime]):
    """An RFC 3339 time with its offset, or a date, which begins at midnight UTC."""

    def to_internal_value(self, data: Any) -> datetime:
        """Read the time."""
        try:
            if isinstance(data, str) and _DATE.fullmatch(data):
                return datetime.fromisoformat(data).replace(tzinfo=UTC)
            if isinstance(data, str) and _MOMENT.fullmatch(data):
                return datetime.fromisoformat(data).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("This is no time such as 2026-11-21T09:00:00Z.", code="field_invalid")

    def to_representation(self, value: datetime) -> str:
        """Print the time."""
        return value.isoformat()


class KindsField(serializers.Field[list[str], Any, str, list[str]]):
    """Kinds of entries, comma separated."""

    def to_internal_value(self, data: Any) -> list[str]:
        kinds = data.split(",") if isinstance(data, str) else []
        if not 1 <= len(kinds) <= 20 or not all(_KIND.fullmatch(kind) for kind in kinds):
            raise ValidationError("Send up to 20 kinds such as buy_in,wager.", code="field_invalid")
        return kinds

    def to_representation(self, value: list[str]) -> str:
        return ",".join(value)


class StatementQuery(serializers.Serializer[Any]):
    """Which account: the player's own, what is held or owed, or the game balance or rack at one table; and when."""

    account = EnumField(PlayerAccountKind, required=False, default=PlayerAccountKind.ACCOUNT)
    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)
    table = IdField(required=False, default=None)
    kind = KindsField(required=False, default=list)

    def get_fields(self) -> dict[str, Any]:
        """Add the fields whose names are words of the language or of the framework."""
        return {
            **super().get_fields(),
            "from": DateTimeOrDateField(required=False, default=None),
            "to": DateTimeOrDateField(required=False, default=None),
            "format": EnumField(StatementFormat, required=False, default=None),
        }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for the table where there is one, and only there. Raises TableRequired, TableNotAllowed."""
        at_table = attrs["account"] in {PlayerAccountKind.GAME, PlayerAccountKind.RACK}
        if at_table and attrs["table"] is None:
            raise TableRequired
        if not at_table and attrs["table"] is not None:
            raise TableNotAllowed
        return attrs


class BalanceResponse(serializers.Serializer[Any]):
    """One account of a player."""

    account = serializers.CharField(help_text="`account`, `hold` or `debt`, or at a table `game` or `rack`.")
    money_type = serializers.CharField(help_text="`real` or `play`.")
    table = serializers.UUIDField(allow_null=True)
    balance = MoneySerializer()


class BalancesResponse(serializers.Serializer[Any]):
    """Every account of a player, and when the player is next to be shown time played and result."""

    items = BalanceResponse(many=True)
    reality_check = ReminderShown(allow_null=True, help_text="Null for a player who never logged in.")


class StatementLineResponse(serializers.Serializer[Any]):
    """One movement on an account."""

    sequence = serializers.IntegerField(help_text="Counts the movements on this account from 1, without gaps.")
    kind = serializers.CharField()
    amount = MoneySerializer()
    balance = MoneySerializer()
    entry = serializers.IntegerField()
    event = serializers.IntegerField(help_text="The event that it follows from.")
    recorded_at = serializers.DateTimeField()


class StatementResponse(serializers.Serializer[Any]):
    """Movements of a period, newest first. Without `kind`, `opening` and `moved` make up `closing`."""

    opening = MoneySerializer(help_text="The balance before the period.")
    closing = MoneySerializer(help_text="The balance at its end.")
    moved = MoneySerializer(help_text="The sum of all lines, on this page or not.")
    items = StatementLineResponse(many=True)
    next = serializers.CharField(allow_null=True)


def present_player(player: Player) -> dict[str, Any]:
    """Shape a player for an answer."""
    return {
        "id": player.id,
        "reference": player.reference,
        "nickname": player.nickname,
        "created_at": player.created_at,
    }


def present_balances(balances: dict[AccountName, int], told: Reminder | None) -> dict[str, Any]:
    """Shape a player's balances and the next reality check for an answer."""
    return {
        "items": [
            {
                "account": account.kind.value,
                "money_type": account.money_type.value,
                "table": account.table,
                "balance": present_money(balance, account.currency),
            }
            for account, balance in balances.items()
        ],
        "reality_check": shown_reminder(told),
    }


def present_statement_line(line: StatementLine, currency: str) -> dict[str, Any]:
    """Shape one movement for an answer."""
    return {
        "sequence": line.sequence,
        "kind": line.kind,
        "amount": present_money(line.amount, currency),
        "balance": present_money(line.balance, currency),
        "entry": line.entry,
        "event": line.cause,
        "recorded_at": line.recorded_at,
    }
