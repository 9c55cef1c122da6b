"""The bodies of the part of the API that is about corrections by hand."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import (
    ActorField,
    AmountField,
    CurrencyField,
    EnumField,
    FlagField,
    IdField,
    MoneySerializer,
    MoneyTypeField,
    StrictSerializer,
    TextField,
    present_money,
)
from casino.kernel.money import MoneyType
from wallet.adjustments.events import AdjustmentReason, Direction
from wallet.adjustments.queries import Adjustment, AdjustmentTotal, AdjustmentText
from wallet.adjustments.state import AdjustmentStatus
from wallet.api.serializers import DateTimeOrDateField, StatementFormat


class AdjustmentRequest(StrictSerializer):
    """Whose account to correct, by how much and why; `note` is for staff, `message` for the player."""

    actor = ActorField()
    player = IdField()
    direction = EnumField(Direction)
    amount = AmountField()
    currency = CurrencyField()
    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)
    reason = EnumField(AdjustmentReason)
    note = TextField(max_length=500)
    message = TextField(max_length=500, required=False, default="", allow_blank=True)


class ApprovalRequest(StrictSerializer):
    """Who agrees; with `as_debt` the player owes what a debit finds missing."""

    actor = ActorField()
    as_debt = FlagField(required=False, default=False)
    answer = TextField(max_length=500, required=False, default="", allow_blank=True)


class RejectionRequest(StrictSerializer):
    """Who refuses, and why."""

    actor = ActorField()
    answer = TextField(max_length=500)


class AdjustmentShown(serializers.Serializer[Any]):
    """An adjustment as it stands; of a debit, `taken` was on the account and `owed` became a debt."""

    id = serializers.UUIDField()
    player = serializers.UUIDField()
    direction = serializers.CharField(help_text="`credit` or `debit`, as the player sees it.")
    money_type = serializers.CharField()
    amount = MoneySerializer()
    reason = serializers.CharField()
    status = serializers.CharField(help_text="`requested`, `approved` or `rejected`.")
    requested_by = serializers.CharField()
    requested_at = serializers.DateTimeField()
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    taken = MoneySerializer()
    owed = MoneySerializer()
    note = serializers.CharField()
    message = serializers.CharField()
    answer = serializers.CharField()


class AdjustmentPage(serializers.Serializer[Any]):
    """Adjustments, newest first."""

    items = AdjustmentShown(many=True)
    next = serializers.CharField(allow_null=True)


class ReasonTotal(serializers.Serializer[Any]):
    """What was approved for one reason."""

    reason = serializers.CharField()
    direction = serializers.CharField()
    money_type = serializers.CharField()
    count = serializers.IntegerField()
    amount = MoneySerializer()
    owed = MoneySerializer(help_text="The part of it that became debts.")


class ReasonTotals(serializers.Serializer[Any]):
    """Approved adjustments of a period, by reason."""

    items = ReasonTotal(many=True)


class PeriodQuery(serializers.Serializer[Any]):
    """From when to when."""

    def get_fields(self) -> dict[str, Any]:
        """Add the fields whose names are words of the language or of the framework."""
        return {
            **super().get_fields(),
            "from": DateTimeOrDateField(required=False, default=None),
            "to": DateTimeOrDateField(required=False, default=None),
            "format": EnumField(StatementFormat, required=False, default=None),
        }


class TotalsQuery(PeriodQuery):
    """Which money_type: real money unless play money is asked for."""

    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)


class AdjustmentsQuery(PeriodQuery):
    """Which adjustments."""

    player = IdField(required=False, default=None)
    status = EnumField(AdjustmentStatus, required=False, default=None)
    reason = EnumField(AdjustmentReason, required=False, default=None)


def shown_adjustment(adjustment: Adjustment, words: AdjustmentText | None) -> dict[str, Any]:
    """Shape an adjustment for an answer; without words where they were erased."""
    currency = adjustment.currency
    return {
        "id": adjustment.id,
        "player": adjustment.player_id,
        "direction": adjustment.direction,
        "money_type": adjustment.money_type,
        "amount": present_money(adjustment.amount, currency),
        "reason": adjustment.reason,
        "status": adjustment.status,
        "requested_by": adjustment.requested_by,
        "requested_at": adjustment.requested_at,
        "decided_by": adjustment.decided_by,
        "decided_at": adjustment.decided_at,
        "taken": present_money(adjustment.taken, currency),
        "owed": present_money(adjustment.owed, currency),
        "note": "" if words is None else words.note,
        "message": "" if words is None else words.message,
        "answer": "" if words is None else words.answer,
    }


def shown_total(total: AdjustmentTotal) -> dict[str, Any]:
    """Shape the total of one reason for an answer."""
    return {
        "reason": total.reason,
        "direction": total.direction,
        "money_type": total.money_type,
        "count": total.count,
        "amount": present_money(total.amount, total.currency),
        "owed": present_money(total.owed, total.currency),
    }
