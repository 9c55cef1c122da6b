"""The bodies of the part of the API that is about reconciliation."""

from datetime import date
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from casino.api.fields import ActorField, EnumField, MoneySerializer, StrictSerializer, TextField, present_money
from wallet.reconciliation.events import Resolution
from wallet.reconciliation.queries import Discrepancy, DiscrepancyNote, Reconciliation
from wallet.reconciliation.state import DiscrepancyStatus


class DayField(serializers.Field[date, Any, str, date]):
    """A day such as 2026-11-20."""

    def to_internal_value(self, data: Any) -> date:
        try:
            return date.fromisoformat(data if isinstance(data, str) and len(data) == 10 else "")
        except ValueError:
            raise ValidationError("This is no day such as 2026-11-20.", code="field_invalid") from None

    def to_representation(self, value: date) -> str:
        return value.isoformat()


class AssignmentRequest(StrictSerializer):
    """Who says so, and who looks into it from now on."""

    actor = ActorField()
    owner = ActorField()
    note = TextField(max_length=500, required=False, default="", allow_blank=True)


class ResolutionRequest(StrictSerializer):
    """What became of a difference: a word for reports, and words for people."""

    actor = ActorField()
    resolution = EnumField(Resolution)
    note = TextField(max_length=500)


class DifferencesQuery(serializers.Serializer[Any]):
    """Which differences."""

    day = DayField(required=False, default=None)
    status = EnumField(DiscrepancyStatus, required=False, default=None)


class ReconciliationShown(serializers.Serializer[Any]):
    """A day with a provider in one currency, as it came out last."""

    id = serializers.UUIDField()
    day = serializers.DateField()
    provider = serializers.CharField()
    currency = serializers.CharField()
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    ours = serializers.IntegerField(help_text="Payments that we have and the provider must have.")
    theirs = serializers.IntegerField()
    matched = serializers.IntegerField()
    amount = MoneySerializer(help_text="Deposits less payouts of what matched.")
    differing = serializers.IntegerField()
    compared_at = serializers.DateTimeField()


class ReconciliationPage(serializers.Serializer[Any]):
    """Days, newest first."""

    items = ReconciliationShown(many=True)
    next = serializers.CharField(allow_null=True)


class NoteShown(serializers.Serializer[Any]):
    """What somebody said."""

    actor = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()


class DifferenceShown(serializers.Serializer[Any]):
    """A payment about which the sides differ; what a side does not have is null."""

    id = serializers.UUIDField()
    reconciliation = serializers.UUIDField()
    day = serializers.DateField()
    provider = serializers.CharField()
    kind = serializers.CharField(help_text="`deposit` or `payout`.")
    payment = serializers.CharField()
    reference = serializers.CharField()
    what = serializers.CharField(help_text="`missing_ours`, `missing_theirs`, `amount_mismatch` or `status_mismatch`.")
    our_amount = MoneySerializer(allow_null=True)
    our_status = serializers.CharField(allow_null=True)
    their_amount = MoneySerializer(allow_null=True)
    their_status = serializers.CharField(allow_null=True)
    status = serializers.CharField(help_text="`open`, `assigned`, `resolved` or `gone`.")
    owner = serializers.CharField(allow_null=True)
    resolution = serializers.CharField(allow_null=True)
    resolved_by = serializers.CharField(allow_null=True)
    found_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    notes = NoteShown(many=True)


class DifferencePage(serializers.Serializer[Any]):
    """Differences, newest days first."""

    items = DifferenceShown(many=True)
    next = serializers.CharField(allow_null=True)


def shown_run(run: Reconciliation) -> dict[str, Any]:
    """Shape a day for an answer."""
    return {
        "id": run.id,
        "day": run.day.isoformat(),
        "provider": run.provider,
        "currency": run.currency,
        "since": run.since,
        "until": run.until,
        "ours": run.ours,
        "theirs": run.theirs,
        "matched": run.matched,
        "amount": present_money(run.amount, run.currency),
        "differing": run.discrepancies,
        "compared_at": run.compared_at,
    }


def shown_difference(difference: Discrepancy, notes: list[DiscrepancyNote]) -> dict[str, Any]:
    """Shape a difference for an answer."""
    ours, theirs = difference.our_amount, difference.their_amount
    return {
        "id": difference.id,
        "reconciliation": difference.run_id,
        "day": difference.day.isoformat(),
        "provider": difference.provider,
        "kind": difference.kind,
        "payment": difference.payment,
        "reference": difference.reference,
        "what": difference.type,
        "our_amount": None if ours is None else present_money(ours, difference.currency),
        "our_status": difference.our_status,
        "their_amount": None
        if theirs is None
        else present_money(theirs, difference.their_currency or difference.currency),
        "their_status": difference.their_status,
        "status": difference.status,
        "owner": difference.owner,
        "resolution": difference.resolution,
        "resolved_by": difference.resolved_by,
        "found_at": difference.found_at,
        "ended_at": difference.ended_at,
        "notes": [{"actor": each.actor, "note": each.note, "created_at": each.created_at} for each in notes],
    }
