"""What is read and shown of versions of a table's rules."""

from fractions import Fraction
from typing import Any

from rest_framework import serializers

from baccarat.api.bodies import OwnRules
from baccarat.api.odds_shown import ShareShown
from baccarat.api.serializers import RulesShown, one_of
from baccarat.domain.rules.odds_page import format_decimal, format_fraction
from baccarat.domain.rules.wagers import Spot
from baccarat.queries.rules_versions import PlayTotals, RulesVersionDetails
from baccarat.queries.rules_view import present_rules
from baccarat.services.rules_lifecycle import MAX_REASON_LENGTH
from baccarat.storage.rules_versions import STATUSES
from casino.api.fields import ActorField, StrictSerializer, TextField
from casino.kernel.money import MoneyType, format_amount


class Drafting(StrictSerializer):
    """What to change of the rules in force, who proposes it, and the sentence where a return needs one."""

    actor = ActorField()
    rules = OwnRules()
    acknowledgement = TextField(max_length=500, required=False, default="")


class Deciding(StrictSerializer):
    """Who acts."""

    actor = ActorField()


class Rejecting(Deciding):
    """Who refuses or withdraws, and why."""

    reason = TextField(max_length=MAX_REASON_LENGTH, help_text="Why. Kept for good: name no player in it.")


class SpotReturnShown(serializers.Serializer[Any]):
    """What a unit staked returns on average: at exact rates, and for a stake of the table's minimum."""

    spot = one_of(*Spot)
    exact = ShareShown()
    at_minimum = ShareShown()


class PlayedShown(serializers.Serializer[Any]):
    """What was played by a version; voided wagers are counted apart."""

    money_type = one_of(*MoneyType)
    rounds = serializers.IntegerField()
    wagers = serializers.IntegerField()
    staked = serializers.CharField()
    paid = serializers.CharField(help_text="Stakes and wins given back, net of all commission.")
    commission = serializers.CharField()
    voided = serializers.IntegerField()
    voided_stakes = serializers.CharField()
    actual_return = ShareShown(allow_null=True)


class VersionShown(serializers.Serializer[Any]):
    """One version of a table's rules. It never changes; `since` and `until` are when it was in force."""

    version = serializers.IntegerField()
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="What rounds played by it carry, such as mini@2."
    )
    status = serializers.ChoiceField(STATUSES)
    rules = RulesShown()
    returns = SpotReturnShown(many=True)
    acknowledgement = serializers.CharField(help_text="The sentence typed where a return needed one.")
    drafted_by = serializers.CharField()
    drafted_at = serializers.DateTimeField()
    decided_by = serializers.CharField(help_text="Who published or rejected it: another person.")
    decided_at = serializers.DateTimeField(allow_null=True)
    effective_from = serializers.CharField(
        help_text="next_round, next_shoe, or new_shoe: what shapes a shoe holds only for one that is committed to "
        "after the publishing. Empty before it is published."
    )
    reason = serializers.CharField(help_text="Why it was rejected or withdrawn.")
    first_round = serializers.IntegerField(allow_null=True)
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    played = PlayedShown(many=True)


class VersionList(serializers.Serializer[Any]):
    """All versions, the newest first."""

    items = VersionShown(many=True)


def shown(found: RulesVersionDetails) -> dict[str, Any]:
    """Show a version as VersionShown says."""
    row, currency = found.row, found.rules.currency
    same = (
        "version", "label", "status", "acknowledgement", "drafted_by", "drafted_at", "decided_by", "decided_at",
        "effective_from", "reason", "first_round", "since", "until",
    )  # fmt: skip
    return {
        **{name: getattr(row, name) for name in same},
        "rules": present_rules(found.rules),
        "returns": [
            {"spot": each.spot, "exact": _share(Fraction(each.exact)), "at_minimum": _share(Fraction(each.at_minimum))}
            for each in found.returns
        ],
        "played": [_played(each, currency) for each in found.play_totals],
    }


def _played(each: PlayTotals, currency: str) -> dict[str, Any]:
    actual = each.actual_return()
    return {
        "money_type": each.money_type,
        "rounds": each.rounds,
        "wagers": each.wagers,
        "staked": format_amount(each.staked, currency),
        "paid": format_amount(each.paid, currency),
        "commission": format_amount(each.commission, currency),
        "voided": each.voided,
        "voided_stakes": format_amount(each.voided_stakes, currency),
        "actual_return": None if actual is None else _share(actual),
    }


def _share(value: Fraction) -> dict[str, str]:
    return {"fraction": format_fraction(value), "decimal": format_decimal(value)}
