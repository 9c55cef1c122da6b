"""What the call that restores a game answers, for the API's document."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from baccarat.api import examples
from baccarat.api.serializers import TableShown, one_of
from baccarat.domain.tables.events import Absence
from casino.api.fields import MoneySerializer
from casino.kernel.money import MoneyType
from wallet.api.balances import Balances
from wallet.api.deposits import DepositResponse
from wallet.api.limits import ExclusionResponse
from wallet.api.notices import NoticeResponse
from wallet.api.reality_checks import RealityCheckReminder
from wallet.api.table_limit import TableLimit
from wallet.api.withdrawals import WithdrawalResponse


def _shape(shape: Any, **options: Any) -> Any:
    return extend_schema_field(shape)(serializers.JSONField(**options))


def _shapes(shape: Any, **options: Any) -> Any:
    return serializers.ListField(child=_shape(shape), **options)


class LiveEventResponse(serializers.Serializer[Any]):
    """An event as the stream sends it: what this player may see of it, amounts as decimal strings."""

    position = serializers.IntegerField()
    type = serializers.CharField()
    table = serializers.UUIDField(allow_null=True)
    round = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    data = serializers.DictField()  # type: ignore[assignment]


class AbsenceResultResponse(serializers.Serializer[Any]):
    """What rounds settled meanwhile came to for the player, in one kind of money."""

    money_type = one_of(*MoneyType)
    rounds = serializers.IntegerField()
    voided = serializers.IntegerField(help_text="Rounds that were voided; `net` has what that undid.")
    staked = MoneySerializer()
    returned = MoneySerializer(help_text="Net of commission, also where it is deferred.")
    net = MoneySerializer(help_text="Below zero for a loss.")


class FreedSeatResponse(serializers.Serializer[Any]):
    """A seat that was not kept any longer; the money is on the account."""

    table = serializers.UUIDField()
    seat = serializers.IntegerField()
    money_type = one_of(*MoneyType)
    reason = one_of(*Absence)
    returned = MoneySerializer()
    commission_collected = MoneySerializer()
    released_at = serializers.DateTimeField()


class AbsenceResponse(serializers.Serializer[Any]):
    """What was decided since position `after` at the tables where the player sat."""

    after = serializers.IntegerField()
    events = LiveEventResponse(many=True, help_text="The newest 200, oldest first.")
    more = serializers.BooleanField(help_text="True: older ones are left out; the rounds' own lists have them.")
    results = AbsenceResultResponse(many=True, help_text="Of the last hundred rounds of each table.")
    seats_released = FreedSeatResponse(many=True)


class GameRecoveryResponse(serializers.Serializer[Any]):
    """Everything that concerns a player, as of one sealed position."""

    position = serializers.IntegerField(help_text="Follow the stream after this one.")
    server_time = serializers.DateTimeField(help_text="Compare deadlines with it.")
    tables = TableShown(many=True, help_text="Where the player sits.")
    wallet = _shape(Balances)
    deposits = _shapes(DepositResponse, help_text="Under way, and those that ended since `after`.")
    withdrawals = _shapes(WithdrawalResponse, help_text="Under way, and those that ended since `after`.")
    debts = MoneySerializer(many=True, help_text="They keep the player from playing for real money.")
    table_limit = _shape(TableLimit)
    exclusion = _shape(ExclusionResponse, allow_null=True, help_text="Why the player neither deposits nor plays.")
    reality_check = _shape(RealityCheckReminder, allow_null=True, help_text="When to show time played and result.")
    notices = _shapes(NoticeResponse, help_text="The newest twenty that are not read.")
    away = AbsenceResponse(allow_null=True, help_text="Null where no `after` was given.")


_MONEY: Final = {"amount": "10.00", "currency": "EUR"}
EXAMPLE: Final[dict[str, Any]] = {
    "position": 48230,
    "server_time": "2026-11-21T09:00:30.000000Z",
    "tables": [examples.SHOWN],
    "wallet": {
        "items": [{"account": "account", "money_type": "play", "table": None, "balance": _MONEY}],
        "reality_check": {"minutes": 60, "due_at": "2026-11-21T09:45:00.000000Z"},
    },
    "deposits": [],
    "withdrawals": [],
    "debts": [],
    "table_limit": {"limit": None, "set_at": None, "next_change_at": None},
    "exclusion": None,
    "reality_check": {"minutes": 60, "due_at": "2026-11-21T09:45:00.000000Z"},
    "notices": [],
    "away": {
        "after": 48210,
        "events": [
            {
                "position": 48214,
                "type": "CardsDealt",
                "table": examples.TABLE_ID,
                "round": examples.ROUND_ID,
                "recorded_at": "2026-11-21T09:00:03.520000Z",
                "data": {"position": 0, "cards": ["2s", "8d", "9c", "Ad"]},
            }
        ],
        "more": False,
        "results": [
            {
                "money_type": "play",
                "rounds": 1,
                "voided": 0,
                "staked": _MONEY,
                "returned": {"amount": "19.50", "currency": "EUR"},
                "net": {"amount": "9.50", "currency": "EUR"},
            }
        ],
        "seats_released": [],
    },
}
